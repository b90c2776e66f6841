"""Paired differences of agents, and the smallest difference that a suite can detect."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from aiq.records.estimate import Estimate
from aiq.records.suite_report import Detectable

Floats = npt.NDArray[np.float64]


def over_tests(first: Floats, second: Floats, confidence: float) -> Estimate:
    """Return the mean difference of two agents, paired by test, with Student's interval over tests like these.

    Args:
        first: performances by test, (T,).
        second: the other agent's.
        confidence: of the interval; None with fewer than two tests, or where all differences are alike.
    """
    difference = first - second
    n = difference.size
    value = float(difference.mean())
    if n < 2 or np.ptp(difference) == 0:
        return Estimate(value, None, n, "paired over tests: no spread, no interval", None, confidence)
    half = float(stats.t.ppf((1 + confidence) / 2, n - 1) * difference.std(ddof=1) / math.sqrt(n))
    return Estimate(value, (value - half, value + half), n, "paired over tests, Student", None, confidence)


def over_runs(first: Floats, second: Floats, variance: Floats, confidence: float) -> Estimate:
    """Return the mean difference of two agents on exactly these tests, with a normal interval over runs.

    Args:
        first: mean performances by test, (T,).
        second: the other agent's.
        variance: the sum of the variances of both means, by test, (T,), NaN where unknown.
        confidence: of the interval.
    """
    value, n = float((first - second).mean()), first.size
    total = float(variance.sum())
    if not total > 0:
        return Estimate(value, None, n, "over runs: errors unknown or 0, no interval", None, confidence)
    half = float(stats.norm.ppf((1 + confidence) / 2)) * math.sqrt(total) / n
    return Estimate(value, (value - half, value + half), n, "over runs of these tests, normal", None, confidence)


def detectable(means: Floats, variance: Floats, power: float, alpha: float) -> Detectable:
    """Return the smallest difference of two agents' means that the suite detects.

    Args:
        means: performances, (A, T).
        variance: variance of each of these means over runs, (A, T), NaN where unknown.
        power: probability of finding it.
        alpha: level of the two-sided test.
    """
    agents, tests = means.shape
    first, second = np.triu_indices(agents, 1)
    differences = means[first] - means[second]
    spread = float(np.sqrt(differences.var(axis=1, ddof=1).mean())) if tests > 1 else 0.0
    found = smallest(spread / math.sqrt(tests), tests - 1, power, alpha) if tests > 1 else None
    noise = variance.sum(axis=1).mean() * 2
    runs = smallest(math.sqrt(noise) / tests, math.inf, power, alpha) if noise > 0 else None
    return Detectable(found, runs, spread, tests, int(first.size), power, alpha)


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
    if math.isinf(df):
        return error * float(stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power))
    limit = stats.t.ppf(1 - alpha / 2, df)

    def lacking(shift: float) -> float:
        found = float(stats.nct.sf(limit, df, shift))  # NaN far out, where the test always rejects
        return (1.0 if math.isnan(found) else found) - power

    high = 2.0 * (limit + stats.t.ppf(max(power, 0.5), df) + 1)
    return error * float(optimize.brentq(lacking, 0.0, high))
