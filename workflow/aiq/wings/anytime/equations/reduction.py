"""From repeated tests to Υ and ξ against the budget, and reward against complexity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from aiq import seeding
from aiq.errors import InputError
from aiq.records.estimate import Estimate
from aiq.stats import percentile_interval
from aiq.wings.anytime.equations.administer import AnytimeRun
from aiq.wings.anytime.equations.protocol import Array


@dataclass(frozen=True, slots=True)
class BudgetPoint:
    """State of a set of repeated tests at one budget: Υ, ξ, and how many tests had finished no environment."""

    agent: str
    environments: str
    measure: str
    budget: float
    upsilon: Estimate
    level: Estimate
    unfinished: int


@dataclass(frozen=True, slots=True)
class ComplexityReward:
    """Mean R of one agent in environments with ``low`` ≤ H < ``high``."""

    agent: str
    environments: str
    low: float
    high: float
    estimate: Estimate


def _resampled(table: Array, counts: Array, resamples: int, rng: np.random.Generator) -> Array:
    """Return bootstrap means, (resamples,): tests are drawn again, and in each drawn test its environments."""
    runs, width = table.shape
    inside = np.arange(width)
    means = np.empty(resamples)
    for index in range(resamples):
        drawn = rng.integers(runs, size=runs)
        picks = np.floor(rng.random((runs, width)) * counts[drawn, None]).astype(np.int64)
        values = np.take_along_axis(table[drawn], picks, axis=1) * (inside < counts[drawn, None])
        means[index] = (values.sum(axis=1) / counts[drawn]).mean()
    return means


def at_budget(runs: Sequence[AnytimeRun], budget: float, *, resamples: int = 1000, seed: int = 0) -> BudgetPoint:
    """Return Υ and ξ of repeated tests of one agent had they been stopped at ``budget`` (interactions or seconds).

    Υ is the mean over tests of each test's Υ; tests that had finished no environment have none and are
    counted. The interval resamples tests and environments within tests (percentiles).
    """
    head = runs[0]
    finished = [[row for row in run.rows if row.spent <= budget] for run in runs]
    rewards = [[row.reward for row in rows] for rows in finished if rows]
    if not rewards:
        raise InputError(
            f"no test of {head.agent!r} had finished an environment at the budget {budget}; give a larger budget"
        )
    counts = np.array([len(row) for row in rewards])
    table = np.zeros((len(rewards), counts.max()))
    for values, row in zip(table, rewards, strict=True):
        values[: len(row)] = row
    words = ("anytime", head.agent, head.environments, head.measure, str(float(budget)))
    rng = seeding.generator(seed, *words)
    value = float((table.sum(axis=1) / counts).mean())
    means = _resampled(table, counts, resamples, rng)
    method = "mean over tests of the mean over environments, bootstrap of tests and of environments in them"
    upsilon = Estimate(value, percentile_interval(means), len(rewards), method, seed)
    levels = np.array([rows[-1].next_level if rows else 1.0 for rows in finished])
    drawn = levels[rng.integers(levels.size, size=(resamples, levels.size))].mean(axis=1)
    interval = percentile_interval(drawn) if levels.size > 1 else None
    level = Estimate(float(levels.mean()), interval, levels.size, "mean over tests, bootstrap of tests", seed)
    unfinished = len(runs) - len(rewards)
    return BudgetPoint(head.agent, head.environments, head.measure, float(budget), upsilon, level, unfinished)


def reward_by_complexity(
    runs: Sequence[AnytimeRun], edges: Sequence[float], *, resamples: int = 1000, seed: int = 0
) -> tuple[ComplexityReward, ...]:
    """Return the mean R over environments with edges[i] ≤ H < edges[i + 1], intervals by bootstrap of tests.

    The ``edges`` ascend; groups that no environment fell into are left out.
    """
    head = runs[0]
    rewards = np.array([row.reward for run in runs for row in run.rows])
    heights = np.array([row.complexity for run in runs for row in run.rows])
    tests = np.array([run.repetition for run in runs for _ in run.rows])
    points = []
    for low, high in pairwise(edges):
        inside = (heights >= low) & (heights < high)
        if not inside.any():
            continue
        chosen, groups = rewards[inside], tests[inside]
        rng = seeding.generator(seed, "anytime", "complexity", head.agent, head.environments, str(float(low)))
        members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
        number, means = len(members), []
        for _ in range(resamples if number > 1 else 0):
            drawn = np.concatenate([members[g] for g in rng.integers(number, size=number)])
            means.append(chosen[drawn].mean())
        method = "mean over environments, bootstrap of tests"
        estimate = Estimate(float(chosen.mean()), percentile_interval(means), int(chosen.size), method, seed)
        points.append(ComplexityReward(head.agent, head.environments, float(low), float(high), estimate))
    return tuple(points)
