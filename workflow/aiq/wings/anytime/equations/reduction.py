"""From repeated tests to Υ and ξ against the budget, and reward against complexity."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from aiq import seeding
from aiq.errors import InputError
from aiq.records.estimate import Estimate
from aiq.stats import cluster_resamples, percentile_interval
from aiq.wings.anytime.equations.checks import Array
from aiq.wings.anytime.records import AnytimeRun, BudgetPoint, ComplexityReward


def _together(runs: Sequence[AnytimeRun]) -> AnytimeRun:
    """Return the first run of repeated tests, all of one agent.

    Raises:
        InputError: no runs, runs of different tests, or a repetition twice.
    """
    if not runs:
        raise InputError("there are no tests to reduce; give at least one")
    head = runs[0]
    kinds = {(run.agent, run.environments, run.measure, run.root) for run in runs}
    if len(kinds) > 1 or len({run.repetition for run in runs}) < len(runs):
        raise InputError(
            f"the tests of {head.agent!r} are mixed with others or given twice; reduce the repetitions of one agent in "
            "one class at a time"
        )
    return head


def _padded(rows: Sequence[Sequence[float]]) -> tuple[Array, Array]:
    """Return rewards (runs, most environments) padded with 0 and the numbers of environments (runs,)."""
    counts = np.array([len(row) for row in rows])
    table = np.zeros((len(rows), counts.max()))
    for values, row in zip(table, rows, strict=True):
        values[: len(row)] = row
    return table, counts


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


def _level_at(run: AnytimeRun, finished: int) -> float:
    """Return ξ after the first ``finished`` environments (1 at the beginning)."""
    return run.rows[finished - 1].next_level if finished else 1.0


def at_budget(runs: Sequence[AnytimeRun], budget: float, *, resamples: int = 1000, seed: int = 0) -> BudgetPoint:
    """Return Υ and ξ of repeated tests had they been stopped at ``budget`` (interactions or seconds).

    Υ is the mean over tests of each test's Υ; tests that had finished no environment have none and are
    counted. The interval resamples tests and environments within tests (percentiles).

    Raises:
        InputError: the runs do not belong together, or no test had finished an environment by then.
    """
    head = _together(runs)
    finished = [[row.reward for row in run.rows if row.spent <= budget] for run in runs]
    rows = [row for row in finished if row]
    if not rows:
        raise InputError(
            f"no test of {head.agent!r} had finished an environment at the budget {budget}; give a larger budget"
        )
    table, counts = _padded(rows)
    words = ("anytime", head.agent, head.environments, head.measure, str(float(budget)))
    rng = seeding.generator(seed, *words)
    value = float((table.sum(axis=1) / counts).mean())
    means = _resampled(table, counts, resamples, rng)
    method = "mean over tests of the mean over environments, bootstrap of tests and of environments in them"
    upsilon = Estimate(value, percentile_interval(means), len(rows), method, seed)
    levels = np.array([_level_at(run, len(row)) for run, row in zip(runs, finished, strict=True)])
    drawn = levels[rng.integers(levels.size, size=(resamples, levels.size))].mean(axis=1)
    interval = percentile_interval(drawn) if levels.size > 1 else None
    level = Estimate(float(levels.mean()), interval, levels.size, "mean over tests, bootstrap of tests", seed)
    unfinished = len(runs) - len(rows)
    return BudgetPoint(head.agent, head.environments, head.measure, float(budget), upsilon, level, unfinished)


def reward_by_complexity(
    runs: Sequence[AnytimeRun], edges: Sequence[float], *, resamples: int = 1000, seed: int = 0
) -> tuple[ComplexityReward, ...]:
    """Return the mean R over environments with edges[i] ≤ H < edges[i + 1], intervals by bootstrap of tests.

    Groups that no environment fell into are left out.

    Raises:
        InputError: the runs do not belong together, or the edges do not ascend.
    """
    head = _together(runs)
    if len(edges) < 2 or np.any(np.diff(edges) <= 0):
        raise InputError(f"the edges are {list(edges)}; give two or more numbers in ascending order")
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
        number = int(np.unique(groups).size)
        means = [chosen[index].mean() for index in cluster_resamples(groups, resamples, rng)] if number > 1 else []
        estimate = Estimate(
            float(chosen.mean()),
            percentile_interval(means),
            int(chosen.size),
            "mean over environments, bootstrap of tests",
            seed,
        )
        points.append(ComplexityReward(head.agent, head.environments, float(low), float(high), estimate))
    return tuple(points)
