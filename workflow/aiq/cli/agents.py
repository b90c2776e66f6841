"""The verb ``agents``: one table of agents by measures; cells kept in a folder, performances as a table."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aiq.cli.verbs import TABLE, Answer, answers, every, say, wants_json
from aiq.errors import InputError
from aiq.records.estimate import Estimate
from aiq.records.table import Display, Table, words

if TYPE_CHECKING:
    from aiq.agents.players import Weights
    from aiq.agents.table import Catalogue
    from aiq.records.comparison import AgentScore, AgentTable

_SIZES = {
    "programs": (100, "programs of the algorithmic quotient's sample"),
    "length": (1, "cycles of its trials"),
    "runs": (100, "its trials"),
    "budget": (1, "interactions of an anytime test"),
    "tests": (2, "repeated anytime tests"),
    "episodes": (1, "worlds of Lambda*"),
    "practice": (0, "episodes of a game or a domain before those that count"),
    "scored": (1, "episodes of a game or a domain that count"),
    "repetitions": (2, "repetitions of games and domains"),
    "trials": (2, "trials of the open-world evaluation, for every level"),
    "training": (100, "environment steps of each network"),
}
"""Size -> its smallest value, and what it counts."""


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@click.option(
    "--measure", "measures", multiple=True, metavar="MEASURE", help="one of the list; repeatable; default all"
)
@every([click.option(f"--{n}", type=click.IntRange(least, 10_000_000), help=h) for n, (least, h) in _SIZES.items()])
@click.option("--network", type=click.Path(), help="NPZ file: network of level 0 of CartPole3D; default: train one")
@click.option("--keep", type=click.Path(), help="folder that keeps finished cells, to go on from")
@click.option("--performances", type=TABLE, help="write agent,domain,performance,repetition to this CSV file")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**63 - 1), help="root seed")
@answers
def agents(
    agents: tuple[str, ...], measures: tuple[str, ...], network: str | None, keep: str | None,
    performances: str | None, seed: int, **sizes: int | None,
) -> Answer:  # fmt: skip
    """Score agents by every measure that can take them, as one table.

    An AGENT is one of the list, module:function (called with the task, it returns a function of the observation or an
    object that acts), actor:module:function (an agent of the algorithmic test), or sb3:ALGORITHM:FILE (a policy that
    Stable-Baselines3 saved). Without an AGENT the lists of agents and measures are shown and nothing is played. An
    empty cell means that the measure cannot take the agent; the reason stands below the table.

    \b
    Example:
      aiq agents random q --measure anytime-grid --tests 5 --budget 100
    """
    from aiq.agents.table import Catalogue, Sizes
    from aiq.storage import write_table

    asked = {name: value for name, value in sizes.items() if value is not None}
    weights = None if network is None else _network(network)
    catalogue = Catalogue(replace(Sizes(), **asked), seed, weights)
    of_measures = {name: measure.about for name, measure in catalogue.measures().items()}
    if not agents:
        of_agents = {name: agent.about for name, agent in catalogue.agents().items()}
        tables = (
            Display("", ("agent", "what it is"), tuple(of_agents.items())),
            Display("", ("measure", "its score"), tuple(of_measures.items())),
        )
        return Answer({"agents": of_agents, "measures": of_measures}, tables)
    report = say if sys.stderr.isatty() and not wants_json() else None
    table = _scored(catalogue, agents, measures, keep, report)
    if performances is not None:
        write_table(performances, _performances(table))
    return Answer({**table.as_dict(), "sizes": asdict(catalogue.sizes)}, _displays(table, of_measures))


def _scored(
    catalogue: Catalogue, agents: Sequence[str], measures: Sequence[str], keep: str | None,
    report: Callable[[str], None] | None,
) -> AgentTable:  # fmt: skip
    """Return the table of some agents by some measures; no measure means all.

    ``keep``: a folder in which every finished cell is kept and from which it is taken again, so that a long table can
    be made in pieces; what is kept must come from the same sizes and seed. ``report`` is told of every finished cell.
    """
    from aiq.agents.table import cell, compared

    entries = [catalogue.agent(word) for word in agents]
    if len(set(agents)) < len(agents):
        raise InputError(f"the agents are {', '.join(agents)}; name at least one, each once")
    chosen = catalogue.chosen(measures)
    cells = []
    for entry in entries:
        for measure in chosen.values():
            path = None if keep is None else _path(Path(keep), entry.name, measure.name)
            kept = None if path is None or not path.exists() else _kept(path, entry.name, measure.name, catalogue)
            scored = kept or cell(entry, measure, catalogue.root)
            if path is not None and kept is None:
                _keep(path, scored, catalogue)
            if report is not None:
                report(f"{entry.name}, {measure.name}: {scored.seconds:.1f} s")
            cells.append(scored)
    return compared(tuple(agents), tuple(chosen), tuple(cells), catalogue.root)


def _network(path: str) -> Weights:
    """Return the weights of a network for CartPole3D: the arrays of an NPZ file in the order of their names."""
    import numpy as np

    try:
        with np.load(path) as arrays:
            weights = [np.asarray(arrays[name], np.float32) for name in sorted(arrays)]
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is no NPZ file of a network ({error}); give weight and bias of each layer") from error
    if len(weights) < 2 or len(weights) % 2 or weights[0].shape[1:] != (10,) or weights[-1].shape != (5,):
        raise InputError(
            f"{path} holds no network of 10 inputs and 5 actions; give weight and bias of each layer in turn"
        )
    return weights


def _performances(table: AgentTable) -> Table:
    """Return the performances that the scores are made of; tests that several measures have once, from the first."""
    tests: dict[tuple[str, str], Sequence[float]] = {}
    for scored in table.cells:
        for domain, values in scored.performances:
            tests.setdefault((scored.agent, domain), values)
    rows = [(*test, value, number) for test, values in tests.items() for number, value in enumerate(values)]
    return Table.of(("agent", "domain", "performance", "repetition"), rows)


# ---- Cells that are kept -------------------------------------------------------------------------


def _path(folder: Path, agent: str, measure: str) -> Path:
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in agent)
    return folder / f"{plain}+{measure}.json"


def _question(catalogue: Catalogue) -> dict[str, object]:
    return {"sizes": asdict(catalogue.sizes), "root": catalogue.root}


def _keep(path: Path, scored: AgentScore, catalogue: Catalogue) -> None:
    from aiq.storage.files import replacing

    with replacing(path) as part:
        part.write_text(json.dumps({**scored.as_dict(), "question": _question(catalogue)}), encoding="utf-8")


def _kept(path: Path, agent: str, measure: str, catalogue: Catalogue) -> AgentScore:
    """Return a kept cell; refused where it comes from other sizes or another seed."""
    from aiq.records.comparison import AgentScore

    kept = json.loads(path.read_text())
    if kept["question"] != _question(catalogue) or kept["agent"] != agent:
        raise InputError(f"{path} was kept of other sizes, another seed or another agent; give another folder")
    fields, estimate = kept["score"], None
    if fields is not None:
        estimate = Estimate(**{**fields, "interval": None if fields["interval"] is None else tuple(fields["interval"])})
    named = tuple((name, tuple(values)) for name, values in kept["performances"].items())
    return AgentScore(agent, measure, estimate, kept["cannot"] or "", kept["seconds"], named)


# ---- Tables for a person -------------------------------------------------------------------------


_MEANING = (
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


def _displays(table: AgentTable, abouts: Mapping[str, str]) -> list[Display]:
    """Return the table of scores with what its columns are (``abouts``), the table of ranks, and that of agreement."""
    cells = {(scored.agent, scored.measure): scored for scored in table.cells}
    scores = tuple((agent, *(_score(cells[agent, measure]) for measure in table.measures)) for agent in table.agents)
    columns = tuple(f"{measure}: {abouts[measure]}" for measure in table.measures)
    refused = tuple(f"{scored.agent}, {scored.measure}: cannot: {scored.why}" for scored in table.cells if scored.why)
    tables = [Display("scores", ("agent", *table.measures), scores, (*_MEANING, *columns, *refused))]
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


COMMANDS = (agents,)
