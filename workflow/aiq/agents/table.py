"""Score agents by measures, one cell after another."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

from aiq.agents.protocol import CannotPlay
from aiq.agents.ranking import agreement, ranked
from aiq.agents.scoring.base import Entry, Measure
from aiq.records.agents import AgentRank, AgentScore, AgentTable, Agreement
from aiq.records.estimate import Estimate

Report = Callable[[str], None]
"""Is told of every finished cell."""


def cell(entry: Entry, measure: Measure, root: int) -> AgentScore:
    """Return one cell of the table: the score of an agent by a measure, or why there is none.

    Raises:
        InputError: the agent raised, or left its actions.
    """
    begun = time.process_time()
    try:
        scored = measure.score(entry, root)
    except CannotPlay as why:
        return AgentScore(entry.name, measure.name, None, str(why), time.process_time() - begun)
    spent = time.process_time() - begun
    return AgentScore(entry.name, measure.name, scored.estimate, "", spent, scored.performances)


def compared(
    agents: tuple[str, ...], measures: tuple[str, ...], cells: tuple[AgentScore, ...], root: int
) -> AgentTable:
    """Return a table of finished cells with the ranks, and the agreement of every two measures."""
    scores: dict[str, dict[str, Estimate]] = {
        measure: {one.agent: one.estimate for one in cells if one.measure == measure and one.estimate is not None}
        for measure in measures
    }
    ranks: list[AgentRank] = []
    for measure in measures:
        if scores[measure]:
            ranks += ranked(measure, scores[measure])
    agreements: list[Agreement] = []
    for pair in itertools.combinations(measures, 2):
        found = agreement(pair, scores[pair[0]], scores[pair[1]])
        if found.alike + found.opposite + found.undecided:
            agreements.append(found)
    return AgentTable(agents, measures, cells, tuple(ranks), tuple(agreements), root)
