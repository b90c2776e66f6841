"""The work of the verb ``agents``: what is asked, cells kept in a folder, scores and performances as tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from aiq.agents.network import Weights
from aiq.agents.table import Catalogue, Report, cell, compared
from aiq.errors import InputError
from aiq.records.comparison import AgentScore, AgentTable
from aiq.records.estimate import Estimate
from aiq.records.table import Display, words
from aiq.storage.files import replacing


def score(
    catalogue: Catalogue,
    agents: Sequence[str],
    measures: Sequence[str],
    keep: str | Path | None = None,
    report: Report | None = None,
) -> AgentTable:
    """Return the table of some agents by some measures; none means all.

    ``keep``: a folder in which every finished cell is kept and from which it is taken again, so that a long table can
    be made in pieces; what is kept must come from the same sizes and seed. ``report`` is told of every finished cell.

    Raises:
        InputError: an unknown or misbehaving agent, an agent named twice, an unknown measure, or cells kept of another
            question.
    """
    entries = [catalogue.agent(word) for word in agents]
    if not entries or len(set(agents)) < len(agents):
        raise InputError(f"the agents are {', '.join(agents) or 'none'}; name at least one, each once")
    chosen = catalogue.chosen(measures)
    cells = []
    for entry in entries:
        for measure in chosen.values():
            held = None if keep is None else _held(Path(keep), entry.name, measure.name, catalogue)
            scored = held or cell(entry, measure, catalogue.root)
            if keep is not None and held is None:
                with replacing(_path(Path(keep), scored.agent, scored.measure)) as part:
                    part.write_text(
                        json.dumps({**scored.as_dict(), "question": _question(catalogue)}), encoding="utf-8"
                    )
            if report is not None:
                report(f"{entry.name}, {measure.name}: {scored.seconds:.1f} s")
            cells.append(scored)
    return compared(tuple(agents), tuple(chosen), tuple(cells), catalogue.root)


def network(path: str | Path) -> Weights:
    """Return the weights of a network for CartPole3D: the arrays of an NPZ file in the order of their names.

    Raises:
        InputError: there is no such file, or it holds no network for CartPole3D.
    """
    try:
        with np.load(path) as held:
            weights = [np.asarray(held[name], np.float32) for name in sorted(held)]
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is no NPZ file of a network ({error}); give weight and bias of each layer") from error
    if len(weights) < 2 or len(weights) % 2 or weights[0].shape[1:] != (10,) or weights[-1].shape != (5,):
        raise InputError(
            f"{path} holds no network of 10 inputs and 5 actions; give weight and bias of each layer in turn"
        )
    return weights


def write_performances(table: AgentTable, path: str | Path) -> None:
    """Write the performances that the scores are made of."""
    with replacing(path) as part:
        part.write_text(performances(table), encoding="utf-8")


def performances(table: AgentTable) -> str:
    """Return the performances that the scores are made of, as CSV: agent,domain,performance,repetition.

    Tests that several measures have are listed once, from the first of them.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["agent", "domain", "performance", "repetition"])
    seen: set[tuple[str, str]] = set()
    for scored in table.cells:
        for domain, values in scored.performances:
            if (scored.agent, domain) not in seen:
                writer.writerows([scored.agent, domain, value, number] for number, value in enumerate(values))
            seen.add((scored.agent, domain))
    return out.getvalue()


def _path(folder: Path, agent: str, measure: str) -> Path:
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in agent)
    return folder / f"{plain}+{measure}.json"


def _question(catalogue: Catalogue) -> dict[str, object]:
    return {
        "sizes": {name: getattr(catalogue.sizes, name) for name in catalogue.sizes.__slots__},
        "root": catalogue.root,
    }


def _held(folder: Path, agent: str, measure: str, catalogue: Catalogue) -> AgentScore | None:
    """Return a kept cell, or None; raises InputError where it comes from other sizes or another seed."""
    path = _path(folder, agent, measure)
    if not path.exists():
        return None
    kept = json.loads(path.read_text())
    if kept["question"] != _question(catalogue) or kept["agent"] != agent:
        raise InputError(f"{path} was kept of other sizes, another seed or another agent; give another folder")
    fields, estimate = kept["score"], None
    if fields is not None:
        estimate = Estimate(**{**fields, "interval": None if fields["interval"] is None else tuple(fields["interval"])})
    named = tuple((name, tuple(values)) for name, values in kept["performances"].items())
    return AgentScore(agent, measure, estimate, kept["cannot"] or "", kept["seconds"], named)


MEANING = (
    "in brackets the 95 % interval of each score over its own draws (programs, tests, worlds, repetitions, trials); an "
    "agent that was trained was trained once, and how another training would have come out is in no interval",
    "measures have units of their own: compare agents in a column, never numbers in a row",
)
_RANGES = (
    "a rank with the ranks that the noise leaves open: with 95 % probability all those of a column hold the true "
    "ranks; ranks count the agents that this measure can take"
)
_PAIRS = (
    "pairs of agents that both measures take: told apart and ordered alike, ordered in opposite ways, or told apart by "
    "at most one of the two; these are few agents, chosen by hand, so nothing follows for agents in general"
)


def agents(table: AgentTable, abouts: Mapping[str, str]) -> list[Display]:
    """Return the table of scores with what its columns are (``abouts``), the table of ranks, and that of agreement."""
    cells = {(scored.agent, scored.measure): scored for scored in table.cells}
    scores = tuple((agent, *(_score(cells[agent, measure]) for measure in table.measures)) for agent in table.agents)
    columns = tuple(f"{measure}: {abouts[measure]}" for measure in table.measures)
    refused = tuple(f"{scored.agent}, {scored.measure}: cannot: {scored.why}" for scored in table.cells if scored.why)
    tables = [Display("scores", ("agent", *table.measures), scores, (*MEANING, *columns, *refused))]
    if len(table.agents) > 1:
        places = {(rank.agent, rank.measure): rank for rank in table.ranks}
        ranks = []
        for agent in table.agents:
            own = [places.get((agent, measure)) for measure in table.measures]
            ranks.append((agent, *(None if r is None else f"{r.rank} [{r.interval[0]}, {r.interval[1]}]" for r in own)))
        tables.append(Display("ranks", ("agent", *table.measures), tuple(ranks), (_RANGES,)))
    if table.agreements:
        pairs = tuple((*pair.measures, pair.alike, pair.opposite, pair.undecided) for pair in table.agreements)
        titles = ("measure", "and", "alike", "opposite", "undecided")
        tables.append(Display("do the measures agree?", titles, pairs, (_PAIRS,)))
    return tables


def _score(cell: AgentScore) -> str | None:
    if cell.estimate is None:
        return None
    interval = "" if cell.estimate.interval is None else f" {words(cell.estimate.interval)}"
    return f"{cell.estimate.value:.3g}{interval}"
