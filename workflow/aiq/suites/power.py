"""What differences a suite can detect, and how many tests a given difference needs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from aiq.records.suite_report import Detectable, Needed
from aiq.suites.leaderboard import Leaderboard

Floats = npt.NDArray[np.float64]


def detectable(board: Leaderboard, noise: Floats, tests: int, power: float, alpha: float) -> Detectable:
    """Return the smallest difference of two agents' means that the suite detects.

    Args:
        board: where agents stand.
        noise: variance of each cell over runs, (A, T), NaN where unknown.
        tests: number of tests.
        power: probability of finding it.
        alpha: level of the two-sided test.
    """
    error, df = typical_error(board), float(np.median(board.degrees))
    over_tests = smallest(error, df, power, alpha) if df > 0 else None
    again = float(noise.sum(axis=1).mean() * 2)
    runs = smallest(math.sqrt(again) / tests, math.inf, power, alpha) if again > 0 else None
    return Detectable(over_tests, runs, error * math.sqrt(tests), tests, board.clusters, len(board.value), power, alpha)


def typical_error(board: Leaderboard) -> float:
    """Return the standard error of the difference of two agents, pooled over all pairs."""
    psi = board.influence - board.influence.mean(axis=0)
    return math.sqrt(2 * float((psi**2).sum()) / max(len(psi) - 1, 1))


def needed(board: Leaderboard, tests: int, sizes: Sequence[float], power: float, alpha: float) -> tuple[Needed, ...]:
    """Return how many tests like these find differences of some sizes, clusters as large as these.

    Args:
        board: where agents stand.
        tests: how many there are.
        sizes: differences of two means, above 0.
        power: probability of finding each.
        alpha: level of the two-sided test.
    """
    error, df = typical_error(board), float(np.median(board.degrees))
    if not df > 0:
        return ()
    return tuple(Needed(size, _count(error, df, tests, size, power, alpha)) for size in sizes)


def _count(error: float, df: float, tests: int, size: float, power: float, alpha: float) -> int:
    """Return the fewest tests that find a difference of that size, at least two."""

    def excess(logarithm: float) -> float:
        times = math.exp(logarithm)
        return smallest(error / math.sqrt(times), max((df + 1) * times - 1, 1.0), power, alpha) - size

    least, most = math.log(2 / tests), math.log(1e12)
    if error == 0 or excess(least) <= 0:
        return 2
    times = math.exp(float(optimize.brentq(excess, least, most)))
    return max(2, math.ceil(tests * times - 1e-6))


def smallest(error: float, df: float, power: float, alpha: float) -> float:
    """Return the difference that a two-sided Student test finds with probability ``power``.

    Args:
        error: standard error of a difference.
        df: its degrees of freedom; infinite where it is known.
        power: probability of rejection.
        alpha: level.
    """
    if error == 0:
        return 0.0
    if math.isinf(df) or df > 1e5:
        return error * float(stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power))
    limit = stats.t.ppf(1 - alpha / 2, df)

    def lacking(shift: float) -> float:
        found = float(stats.nct.sf(limit, df, shift))  # NaN far out, where the test always rejects
        return (1.0 if math.isnan(found) else found) - power

    high = 2.0 * (limit + stats.t.ppf(max(power, 0.5), df) + 1)
    return error * float(optimize.brentq(lacking, 0.0, high))
