"""Numbers by which agents are ordered, and how they move when a test or an agent stands twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import trim_mean

from aiq.measures import instrument
from aiq.measures.quotient.beyond import geometric_means
from aiq.records.estimate import Estimate
from aiq.records.instrument import Beside, Moved
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.stats import percentile_interval
from aiq.suites import response
from aiq.suites.aggregates import QUARTER

Floats = npt.NDArray[np.float64]

SAME = 1e-9  # numbers that differ by less are ties
WEAKER = 0.5  # the agent that joins has so much of the weakest agent's performance


def _ability(table: Floats) -> Floats:
    return response.fit(table).ability


AVERAGES: Mapping[str, Callable[[Floats], Floats]] = {
    "geometric_mean": geometric_means,
    "mean": lambda table: np.asarray(table.mean(axis=-1)),
    "median": lambda table: np.asarray(np.median(table, axis=-1)),
    "interquartile_mean": lambda table: np.asarray(trim_mean(table, QUARTER, axis=-1)),
}
"""Averages over tests, (..., n) to (...,); the interquartile mean leaves a quarter of the tests out on each side."""


def beside(
    scores: Scores, agents: Sequence[str], table: Floats, resampled: Floats | None, confidence: float, seed: int
) -> tuple[tuple[Beside, ...], str | None]:
    """Return every agent by every rule, best first, and why there is no ability by item response theory.

    Args:
        scores: the agents' AIQ.
        agents: their names in the order of the table.
        table: mean performances, (A, n).
        resampled: replicates of them, (B, A, n), or None.
        confidence: of the intervals.
        seed: for the records.
    """
    ability, why = abilities(table)
    found = []
    for one in scores.agents:
        i = list(agents).index(one.agent)
        numbers: dict[str, Estimate] = {"per_dimension": one.per_dimension}
        for rule, average in AVERAGES.items():
            interval = None if resampled is None else percentile_interval(average(resampled[:, i]), confidence)
            how = f"{rule.replace('_', ' ')} over tests, replicates of the agent's repetitions"
            numbers[rule] = Estimate(float(average(table[i])), interval, table.shape[1], how, seed, confidence)
        if ability is not None and np.isfinite(ability[i]):
            how = "ability of the graded response model, no interval"
            numbers["ability"] = Estimate(float(ability[i]), None, len(table), how, seed, confidence)
        found.append(Beside(one.agent, numbers))
    return tuple(found), why


def abilities(table: Floats) -> tuple[Floats | None, str | None]:
    """Return abilities of the agents (A,) by the graded response model, or None and why there are none."""
    agents, tests = table.shape
    if agents < response.FEWEST or tests < 2:
        return None, (
            f"no ability by item response theory: {agents} agents on {tests} tests; it needs {response.FEWEST} agents "
            "and 2 tests"
        )
    found = _ability(table)
    if not np.isfinite(found).all():
        return None, "no ability by item response theory: fewer than two tests tell the agents apart"
    return found, None


def moved(space: Space, table: Floats, with_ability: bool) -> tuple[Moved, ...]:
    """Return how every rule's numbers move when a test stands twice, and when an agent joins.

    With a copy of a test the space is built again. The agents that join, one at a time: one at half the performances of
    the weakest, and a copy of the best.

    Args:
        space: the suite.
        table: mean performances, (A, n).
        with_ability: whether abilities are defined.
    """
    n = table.shape[1]
    usual = _places(instrument.rebuilt(space))
    copied = [_places(instrument.with_copy(space, i)) for i in range(n)]
    means = table.mean(axis=1)
    joined = [WEAKER * table[means.argmin()], table[means.argmax()]]
    found = []
    for rule in ("per_dimension", *AVERAGES, *(("ability",) if with_ability else ())):
        before = _numbers(rule, usual, table)
        twice = [
            _numbers(rule, where, np.column_stack([table, table[:, i]])) for i, where in enumerate(copied)
        ]  # fmt: skip
        more = [_numbers(rule, usual, np.vstack([table, row]))[:-1] for row in joined]
        changes = [_largest(before, one) for one in twice]
        worst = int(np.argmax(changes))
        found.append(Moved(
            rule, changes[worst], space.domains[worst] if changes[worst] > SAME else None,
            _pairs(before, twice), max(_largest(before, one) for one in more), _pairs(before, more),
        ))  # fmt: skip
    return tuple(found)


def _places(space: Space) -> Floats:
    return np.asarray(space.coordinates[None])


def _numbers(rule: str, points: Floats, table: Floats) -> Floats:
    """Return the numbers of all agents by a rule, (A,)."""
    if rule == "per_dimension":
        return instrument.values(points, table[None], range(table.shape[1]))[0]
    return _ability(table) if rule == "ability" else AVERAGES[rule](table)


def _largest(before: Floats, after: Floats) -> float:
    """Return the largest change, 0 where it is rounding."""
    change = float(np.nanmax(np.abs(after - before)))
    return change if change > SAME else 0.0


def _pairs(before: Floats, after: Sequence[Floats]) -> float | None:
    """Return the largest share of pairs of agents that change order; None for one agent."""
    if before.size < 2:
        return None
    i, j = np.triu_indices(before.size, 1)
    return max(float((_signs(one, i, j) != _signs(before, i, j)).mean()) for one in after)


def _signs(values: Floats, i: npt.NDArray[np.intp], j: npt.NDArray[np.intp]) -> Floats:
    difference = values[i] - values[j]
    return np.asarray(np.sign(np.where(np.abs(difference) <= SAME, 0.0, difference)))
