"""Mean, median, interquartile mean and optimality gap of agents, with stratified bootstrap intervals.

The four aggregates of Agarwal et al. 2021 (Deep RL at the edge of the statistical precipice): runs are drawn with
replacement within every test, tests stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from scipy.stats import trim_mean

Floats = npt.NDArray[np.float64]

QUARTER = 0.25
LEAST = 200  # resamples


def _of_tests(runs: Floats) -> Floats:
    there = ~np.isnan(runs)
    count = there.sum(axis=-1)
    total = np.where(there, runs, 0.0).sum(axis=-1)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def interquartile_mean(runs: Floats) -> Floats:
    """Return the mean of the middle half of all runs of all tests, (..., T, R) to (...)."""
    flat = runs.reshape(*runs.shape[:-2], -1)
    if not np.isnan(flat).any():
        return np.asarray(trim_mean(flat, QUARTER, axis=-1))
    there = [row[~np.isnan(row)] for row in flat.reshape(-1, flat.shape[-1])]
    return np.array([trim_mean(row, QUARTER) for row in there]).reshape(flat.shape[:-1])


AGGREGATES: Mapping[str, Callable[[Floats], Floats]] = {
    "mean": lambda runs: np.asarray(np.nanmean(_of_tests(runs), axis=-1)),
    "median": lambda runs: np.asarray(np.nanmedian(_of_tests(runs), axis=-1)),
    "interquartile_mean": interquartile_mean,
    "optimality_gap": lambda runs: np.asarray(1 - np.nanmean(_of_tests(runs), axis=-1)),
}
"""Name -> function of runs (..., T, R), NaN where there is none, to (...). Performances are at most 1."""


def aggregates(
    values: Floats, runs: Floats | None, noise: Floats, resamples: int, confidence: float, rng: np.random.Generator
) -> dict[str, tuple[Floats, Floats, Floats]]:
    """Return value, low and high end of each aggregate of every agent, (A,) each.

    Ends are NaN where a test has one run of unknown error, or where an agent's runs are all alike.

    Args:
        values: means of the tests, (A, T), NaN where missing.
        runs: single runs, (A, T, R), or None.
        noise: variance of each value over runs, (A, T), NaN where unknown.
        resamples: bootstrap resamples, at least ``LEAST`` of them.
        confidence: of the intervals.
        rng: source of randomness.
    """
    given = values[:, :, None] if runs is None else runs
    there = ~np.isnan(values)
    known = (np.isfinite(noise) | ~there).all(axis=1)
    drawn = _drawn(given, noise, max(resamples, LEAST), rng) if known.any() else None
    found = {}
    for name, statistic in AGGREGATES.items():
        ends = np.full((2, len(values)), np.nan)
        if drawn is not None:
            tail = (1 - confidence) / 2
            ends = np.quantile(np.array([statistic(one) for one in drawn]), [tail, 1 - tail], axis=0)
            ends[:, ~known | (ends[0] == ends[1])] = np.nan
        found[name] = (statistic(given), ends[0], ends[1])
    return found


def _drawn(given: Floats, noise: Floats, count: int, rng: np.random.Generator) -> list[Floats]:
    """Return resamples: runs drawn within their cell, or single results drawn with their errors."""
    if given.shape[2] == 1:
        error = np.sqrt(np.nan_to_num(noise))[:, :, None]
        return [np.clip(given + error * rng.standard_normal(given.shape), 0.0, 1.0) for _ in range(count)]
    runs = np.maximum((~np.isnan(given)).sum(axis=2), 1)[:, :, None]
    places = ((rng.random(given.shape) * runs).astype(np.int64) for _ in range(count))
    return [np.where(np.isnan(given), np.nan, np.take_along_axis(given, place, axis=2)) for place in places]
