"""Arithmetic and geometric mean of the means of several independent samples, with Student's intervals.

Of m samples with means x_l, variances s_l² and n values each, the arithmetic mean has the variance sum(s_l² / n) / m²,
and the logarithm of the geometric mean (delta method) sum(s_l² / (n x_l²)) / m². Degrees of freedom:
Welch and Satterthwaite.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from aiq.records.estimate import Estimate
from aiq.stats.moderated import student_quantile

Floats = npt.NDArray[np.float64]


def mean_of_means(values: npt.ArrayLike, what: str = "tests", confidence: float = 0.95) -> Estimate:
    """Return the mean over samples (rows) of their means; the interval is Student's.

    Args:
        values: shape (samples, n).
        what: what a sample is, in words.
        confidence: of the interval; None is given for one value a sample, or values that never differ.
    """
    table = np.asarray(values, np.float64)
    value, half = float(table.mean()), _half(_parts(table, np.ones(len(table))), table.shape[1], confidence)
    interval = None if half is None else (value - half, value + half)
    method = f"mean over {len(table)} {what} of the mean over repetitions; Student's t"
    return Estimate(value, interval, int(table.shape[1]), method, None, confidence)


def geometric_mean_of_means(values: npt.ArrayLike, what: str = "tests", confidence: float = 0.95) -> Estimate:
    """Return the geometric mean over samples (rows) of their means; Student's interval on the scale of the logarithm.

    Where a mean is 0 the value is 0 and has no interval.

    Args:
        values: shape (samples, n), at least 0.
        what: what a sample is, in words.
        confidence: of the interval; None is given for one value a sample, or values that never differ.

    Raises:
        ValueError: a value is below 0.
    """
    table = np.asarray(values, np.float64)
    means = table.mean(axis=1)
    if table.min() < 0:
        raise ValueError(f"a geometric mean of {table.min()} is not defined")
    method = f"geometric mean over {len(table)} {what} of the mean over repetitions; Student's t of its logarithm"
    if means.min() == 0:
        return Estimate(0.0, None, int(table.shape[1]), method, None, confidence)
    value = float(np.exp(np.log(means).mean()))
    half = _half(_parts(table, means), table.shape[1], confidence)
    interval = None if half is None else (value * math.exp(-half), value * math.exp(half))
    return Estimate(value, interval, int(table.shape[1]), method, None, confidence)


def _parts(table: Floats, scale: Floats) -> Floats:
    """Return each sample's part of the variance, (samples,); NaN for one value a sample."""
    if table.shape[1] < 2:
        return np.full(len(table), np.nan)
    parts: Floats = table.var(axis=1, ddof=1) / (table.shape[1] * scale**2 * len(table) ** 2)
    return parts


def _half(parts: Floats, n: int, confidence: float) -> float | None:
    """Return half the width of an interval, or None where nothing is known of the noise."""
    variance = float(parts.sum())
    if not variance > 0:
        return None
    df = variance**2 / float((parts**2).sum() / (n - 1))
    return student_quantile((1 + confidence) / 2, df) * math.sqrt(variance)
