"""Mean, median, interquartile mean and optimality gap of agents, with stratified bootstrap intervals.

The four aggregates of Agarwal et al. 2021 (Deep RL at the edge of the statistical precipice), by scipy's statistics:
runs are drawn with replacement within every test, tests stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from aiq.records.estimate import Estimate

Floats = npt.NDArray[np.float64]

QUARTER = 0.25


def mean(*runs: Floats, axis: int = -1) -> Floats:
    """Return the mean over tests of the tests' means."""
    return np.asarray(np.mean([x.mean(axis=axis) for x in runs], axis=0))


def median(*runs: Floats, axis: int = -1) -> Floats:
    """Return the median over tests of the tests' means."""
    return np.asarray(np.median([x.mean(axis=axis) for x in runs], axis=0))


def interquartile_mean(*runs: Floats, axis: int = -1) -> Floats:
    """Return the mean of the middle half of all runs of all tests."""
    return np.asarray(stats.trim_mean(np.concatenate(runs, axis=axis), QUARTER, axis=axis))


def optimality_gap(*runs: Floats, axis: int = -1) -> Floats:
    """Return the mean shortfall from 1 (performances are at most 1)."""
    return np.asarray(1 - np.mean([np.minimum(x, 1.0).mean(axis=axis) for x in runs], axis=0))


AGGREGATES: Mapping[str, Callable[..., Floats]] = {
    "mean": mean,
    "median": median,
    "interquartile_mean": interquartile_mean,
    "optimality_gap": optimality_gap,
}


def aggregate(
    name: str,
    runs: Sequence[Floats],
    se: Floats,
    resamples: int,
    confidence: float,
    seed: int,
    rng: np.random.Generator,
) -> Estimate:
    """Return one aggregate of an agent with its interval over runs.

    Args:
        name: one of ``AGGREGATES``.
        runs: the performances on each test, (runs,).
        se: standard error of the one run of each test, NaN where unknown; read where no test has more than one run.
        resamples: bootstrap resamples.
        confidence: of the interval.
        seed: written into the record.
        rng: source of randomness.

    Returns:
        The interval is None where some test has one run of unknown error.
    """
    statistic = AGGREGATES[name]
    value = float(statistic(*runs))
    sizes = [run.size for run in runs]
    if min(sizes) > 1:
        if all(np.ptp(run) == 0 for run in runs):
            return Estimate(value, None, min(sizes), "runs all alike: no interval", seed, confidence)
        found = stats.bootstrap(
            tuple(runs), statistic, n_resamples=resamples, vectorized=True, axis=-1, method="percentile",
            confidence_level=confidence, rng=rng,
        )  # fmt: skip
        low, high = found.confidence_interval
        return Estimate(
            value,
            (float(low), float(high)),
            min(sizes),
            "bootstrap of runs within tests, percentiles",
            seed,
            confidence,
        )
    if max(sizes) == 1 and np.isfinite(se).all():
        drawn = np.clip(np.concatenate(runs) + se * rng.standard_normal((resamples, len(runs))), 0.0, 1.0)
        replicates = statistic(*(drawn[:, [j]] for j in range(len(runs))))
        tail = (1 - confidence) / 2
        low, high = np.quantile(replicates, [tail, 1 - tail])
        return Estimate(value, (float(low), float(high)), 1, "normal draws of the standard errors", seed, confidence)
    return Estimate(value, None, min(sizes), "one run of unknown error: no interval", seed, confidence)
