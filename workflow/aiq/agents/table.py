"""Score agents by measures, one cell after another.

Ranks of agents with the ranks that the noise of their scores leaves open, and how far two measures agree.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping

from scipy.special import ndtri

from aiq.agents.protocol import CannotPlay
from aiq.agents.scoring.base import Entry, Measure
from aiq.records.agents import AgentRank, AgentScore, AgentTable, Agreement
from aiq.records.estimate import Estimate
from aiq.stats import Z

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


def told_apart(one: Estimate, two: Estimate, comparisons: int = 1, confidence: float = 0.95) -> int:
    """Return 1 where the first score is higher, -1 where it is lower, 0 where the noise leaves that open.

    Scores count as independent and normal with the error that their interval speaks of (half its width / 1.96, so a
    Student's interval of few repetitions gives a larger one). A score without interval is told apart from none.

    Args:
        one: a score.
        two: another score by the same measure.
        comparisons: made at once; the probability that any of them errs is kept (Bonferroni).
        confidence: of all of them together.
    """
    if one.interval is None or two.interval is None:
        return 0
    spread = sum(((high - low) / (2 * Z)) ** 2 for low, high in (one.interval, two.interval)) ** 0.5
    width = -float(ndtri((1 - confidence) / (2 * comparisons)))
    difference = one.value - two.value
    return 0 if abs(difference) <= width * spread else (1 if difference > 0 else -1)


def ranked(measure: str, scores: Mapping[str, Estimate]) -> tuple[AgentRank, ...]:
    """Return the rank of each agent, and those from 1 + agents certainly above it to all - agents certainly below it.

    With 95 % probability all these ranges hold the true ranks at once (measured on normal scores of five agents with
    five repetitions each: 97 % where all are alike, the worst case).

    Args:
        measure: its name.
        scores: agent -> score.
    """
    pairs = len(scores) * (len(scores) - 1) // 2
    found = []
    for agent, own in scores.items():
        signs = [told_apart(own, other, pairs) for name, other in scores.items() if name != agent]
        place = 1 + sum(other.value > own.value for other in scores.values())
        open_ = (1 + signs.count(-1), len(scores) - signs.count(1))
        found.append(AgentRank(agent, measure, place, open_, len(scores)))
    return tuple(found)


def agreement(names: tuple[str, str], one: Mapping[str, Estimate], two: Mapping[str, Estimate]) -> Agreement:
    """Return how two measures order the pairs of agents that both can take, each measure's pairs at 95 % together.

    Args:
        names: of the measures.
        one: agent -> score by the first.
        two: agent -> score by the second.
    """
    both = [agent for agent in one if agent in two]
    pairs = list(itertools.combinations(both, 2))
    products = [told_apart(one[a], one[b], len(pairs)) * told_apart(two[a], two[b], len(pairs)) for a, b in pairs]
    return Agreement(names, products.count(1), products.count(-1), products.count(0))
