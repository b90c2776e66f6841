"""The table of agents, for people."""

from __future__ import annotations

from collections.abc import Mapping

from aiq.records.agents import AgentScore, AgentTable
from aiq.records.table import Shown, words

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


def agents(found: AgentTable, abouts: Mapping[str, str]) -> list[Shown]:
    """Return the table of scores with what its columns are, the table of ranks, and that of agreement.

    Args:
        found: the table.
        abouts: measure -> what its score is.
    """
    cells = {(one.agent, one.measure): one for one in found.cells}
    scores = tuple((agent, *(_score(cells[agent, measure]) for measure in found.measures)) for agent in found.agents)
    columns = tuple(f"{measure}: {abouts[measure]}" for measure in found.measures)
    refused = tuple(f"{one.agent}, {one.measure}: cannot: {one.why}" for one in found.cells if one.why)
    tables = [Shown("scores", ("agent", *found.measures), scores, (*MEANING, *columns, *refused))]
    if len(found.agents) > 1:
        places = {(one.agent, one.measure): one for one in found.ranks}
        ranks = []
        for agent in found.agents:
            own = [places.get((agent, measure)) for measure in found.measures]
            ranks.append((agent, *(None if r is None else f"{r.rank} [{r.interval[0]}, {r.interval[1]}]" for r in own)))
        tables.append(Shown("ranks", ("agent", *found.measures), tuple(ranks), (_RANGES,)))
    if found.agreements:
        pairs = tuple((*one.measures, one.alike, one.opposite, one.undecided) for one in found.agreements)
        titles = ("measure", "and", "alike", "opposite", "undecided")
        tables.append(Shown("do the measures agree?", titles, pairs, (_PAIRS,)))
    return tables


def _score(cell: AgentScore) -> str | None:
    """Return a score with its interval as text, or None where there is none."""
    if cell.estimate is None:
        return None
    interval = "" if cell.estimate.interval is None else f" {words(cell.estimate.interval)}"
    return f"{cell.estimate.value:.3g}{interval}"
