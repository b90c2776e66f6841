"""Statistics shared by all measures: moderated variances of few repetitions, sums of unequal parts, means of means.

With three repetitions a variance has two degrees of freedom and may be anything. Variances of like things are
therefore drawn towards what all of them say, as if ``prior_df`` further degrees of freedom said so (Smyth, "Linear
models and empirical Bayes methods for assessing differential expression", 2004, with the prior's weight given
instead of estimated). Degrees of freedom of sums are Satterthwaite's (1946). What the intervals cover is measured in
``studies/coverage_dissimilarity.py``.

Of m samples with means x_l, variances s_l² and n values each, the arithmetic mean of the means has the variance
sum(s_l² / n) / m², and the logarithm of their geometric mean (delta method) sum(s_l² / (n x_l²)) / m².

The confidence set of a ratio of two noisy numbers (E. C. Fieller, "Some problems in interval estimation", Journal of
the Royal Statistical Society B 16, 1954) is an interval, what lies outside one, or the whole line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from aiq.records.estimate import Estimate, Floats, StandardError

Segment = tuple[float, float]

LINE: tuple[Segment, ...] = ((-math.inf, math.inf),)
Z = 1.959963984540054
"""Upper 2.5 % point of the standard normal distribution: a 95 % interval is the value ± ``Z`` standard errors."""
PRIOR_DF = 8.0
_CURVED_FROM = 7  # variances at fewer places are drawn to their mean, not to a parabola
_LEAST = 0.1  # of the mean variance: the parabola never goes below


# ---- Resampling ----------------------------------------------------------------------------------


def percentile_interval(replicates: npt.ArrayLike, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the central percentile interval of bootstrap replicates, or None with fewer than two finite ones.

    Raises:
        ValueError: ``confidence`` is outside (0, 1).
    """
    values = np.asarray(replicates, dtype=np.float64)
    values = values[np.isfinite(values)]
    if values.size < 2:
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


# ---- Moderated variances, errors of sums ---------------------------------------------------------


def _pull(df: Floats, at: Floats | None) -> Floats:
    """Return the matrix (K, K) that takes variances to what all of them say: their mean, or a parabola over ``at``."""
    if at is None or np.count_nonzero(df) < _CURVED_FROM:
        return np.tile(df / df.sum(), (df.size, 1))
    basis = np.vander(at - at.mean(), 3)
    weighted = basis.T * df
    return np.asarray(basis @ np.linalg.solve(weighted @ basis, weighted))


def sample_variances(values: npt.ArrayLike) -> Floats:
    """Return the variance over the first axis, (R, ...) -> (...), R at least 2; exactly 0 where all are alike."""
    array = np.asarray(values, dtype=np.float64)
    alike = array.max(axis=0) == array.min(axis=0)
    return np.asarray(np.where(alike, 0.0, array.var(axis=0, ddof=1)), dtype=np.float64)


def moderated_variances(
    variances: npt.ArrayLike, df: npt.ArrayLike, *, prior_df: float = PRIOR_DF, at: npt.ArrayLike | None = None
) -> Floats:
    """Return variances (K,) drawn towards their common level, (K,); where ``df`` is 0 the number given is not read.

    The common level weighs ``prior_df`` degrees of freedom; 0 leaves variances as they are. ``at`` (K,), distinct, are
    the places where they were taken: from 7 on the common level is a parabola over them (never below a tenth of the
    mean); None: their mean, weighted by ``df`` (K,), not all 0.
    """
    own = np.asarray(df, dtype=np.float64)
    values = np.where(own > 0, np.asarray(variances, dtype=np.float64), 0.0)
    where = None if at is None else np.asarray(at, dtype=np.float64)
    level = np.maximum(_pull(own, where) @ values, _LEAST * (own @ values) / own.sum())
    prior = np.where(own > 0, prior_df, max(prior_df, 1.0))
    return np.asarray((prior * level + own * values) / (prior + own), dtype=np.float64)


def contrast_error(
    variances: npt.ArrayLike,
    counts: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    prior_df: float = PRIOR_DF,
    at: npt.ArrayLike | None = None,
) -> StandardError:
    """Return the error of a sum of independent means weighted by ``weights`` (K,), from moderated variances (K,).

    The variance of the sum is linear in the sample variances, sum_j b_j s_j^2; its degrees of freedom are (sum_j b_j
    s_j^2)^2 / sum_j (b_j m_j)^2 / df_j with the moderated variances m_j (Satterthwaite). ``counts`` (K,) are the
    observations at each place, at least 1 each and 2 somewhere; see ``moderated_variances`` for the rest.
    """
    n = np.asarray(counts, dtype=np.float64)
    own = n - 1
    squared = np.asarray(weights, dtype=np.float64) ** 2 / n
    moderated = moderated_variances(variances, own, prior_df=prior_df, at=at)
    total = float(squared @ moderated)
    if total <= 0:
        return StandardError(0.0, float(own.sum()))
    where = None if at is None else np.asarray(at, dtype=np.float64)
    prior = np.where(own > 0, prior_df, max(prior_df, 1.0))
    shares = squared / (prior + own)
    linear = own * shares + (prior * shares) @ _pull(own, where)
    repeated = own > 0
    spread = float(((linear[repeated] * moderated[repeated]) ** 2 / own[repeated]).sum())
    df = float(own.sum()) if spread <= 0 else total**2 / spread
    least = float(own[repeated].min())
    return StandardError(math.sqrt(total), float(min(max(df, least), own.sum())))


def sum_error(parts: Sequence[StandardError]) -> StandardError:
    """Return the error of a sum of independent parts, at least one, with Satterthwaite's degrees of freedom.

    Raises:
        ValueError: there is no part.
    """
    variances = np.array([part.se**2 for part in parts])
    df = np.array([part.df for part in parts])
    total = float(variances.sum())
    if total <= 0:
        return StandardError(0.0, float(df.min()))
    spread = float((variances**2 / df).sum())
    return StandardError(math.sqrt(total), total**2 / spread if spread > 0 else math.inf)


def student_quantile(probability: float, df: float) -> float:
    """Return Student's quantile; with infinite degrees of freedom the normal one."""
    return float(stdtrit(min(df, 1e10), probability))


def moderated_interval(
    value: float, error: StandardError | None, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Return Student's interval about a value, or None where nothing is known of its error.

    An error of 0 (repetitions that are all alike) is no knowledge either: None, never an interval that is a point.

    Raises:
        ValueError: ``confidence`` is outside (0, 1).
    """
    if error is None or error.se == 0:
        return None
    half = student_quantile((1 + confidence) / 2, error.df) * error.se
    return float(value - half), float(value + half)


def moderated_means(
    samples: Sequence[npt.ArrayLike], *, prior_df: float = 4.0
) -> tuple[Floats, tuple[StandardError | None, ...]]:
    """Return the means (K,) of samples and their errors, each variance drawn towards the mean variance of all.

    The degrees of freedom of a sample of R values are ``prior_df`` + R - 1, but never more than those of all samples
    together: a sample alone borrows nothing. A sample of one value takes its variance from the others, with one degree
    of freedom at least. All errors are None where no sample has two values.
    """
    values = [np.asarray(sample, dtype=np.float64) for sample in samples]
    means = np.array([sample.mean() for sample in values])
    own = np.array([sample.size - 1.0 for sample in values])
    if not (own > 0).any():
        return means, (None,) * len(values)
    variances = np.array([float(sample_variances(sample)) if sample.size > 1 else 0.0 for sample in values])
    moderated = moderated_variances(variances, own, prior_df=prior_df)
    df = np.minimum(np.where(own > 0, prior_df + own, max(prior_df, 1.0)), own.sum())
    errors = tuple(
        StandardError(math.sqrt(m / (k + 1)), float(d)) if d > 0 else None
        for m, k, d in zip(moderated, own, df, strict=True)
    )
    return means, errors


# ---- Means of the means of several independent samples -------------------------------------------


def mean_of_means(values: npt.ArrayLike, what: str = "tests") -> Estimate:
    """Return the mean over samples (rows) of their means; Student's 95 % interval, None where nothing varies."""
    table = np.asarray(values, np.float64)
    value, half = float(table.mean()), _half(table, 1.0)
    interval = None if half is None else (value - half, value + half)
    method = f"mean over {len(table)} {what} of the mean over repetitions; Student's t"
    return Estimate(value, interval, table.shape[1], method)


def geometric_mean_of_means(values: npt.ArrayLike, what: str = "tests") -> Estimate:
    """Return the geometric mean over samples (rows), none below 0, of their means; Student's interval of its logarithm.

    Where a mean is 0 the value is 0 and has no interval; nor has one where nothing varies.

    Raises:
        ValueError: a value is below 0.
    """
    table = np.asarray(values, np.float64)
    means = table.mean(axis=1)
    method = f"geometric mean over {len(table)} {what} of the mean over repetitions; Student's t of its logarithm"
    if means.min() == 0:
        return Estimate(0.0, None, table.shape[1], method)
    value, half = float(np.exp(np.log(means).mean())), _half(table, means)
    interval = None if half is None else (value * math.exp(-half), value * math.exp(half))
    return Estimate(value, interval, table.shape[1], method)


def _half(table: Floats, scale: Floats | float) -> float | None:
    """Return half the width of the interval of a mean of means over ``scale``; None where nothing varies."""
    samples, n = table.shape
    if n < 2:
        return None
    parts = table.var(axis=1, ddof=1) / (n * scale**2 * samples**2)
    variance = float(parts.sum())
    if not variance > 0:
        return None
    df = variance**2 / float((parts**2).sum() / (n - 1))
    return student_quantile(0.975, df) * math.sqrt(variance)


# ---- The confidence set of a ratio ---------------------------------------------------------------


def fieller_set(
    numerator: float, denominator: float, variances: tuple[float, float, float], critical: float
) -> tuple[Segment, ...]:
    """Return every ratio r for which numerator - r denominator lies within ``critical``, above 0, standard errors of 0.

    A ratio is bounded only where the denominator differs from 0 by more than ``critical`` standard errors. Where it
    does not, the set is what lies outside an open interval, or the whole line, which a denominator of 0 without error
    gives too. ``variances`` are those of the numerator, the covariance of both, and of the denominator. One or two
    closed segments in rising order, their ends possibly infinite.

    Raises:
        ValueError: a number is not finite, a variance is negative, or ``critical`` is not above 0.
    """
    size = max(abs(numerator), abs(denominator), math.sqrt(variances[0]), math.sqrt(variances[2]))
    if size == 0:
        return LINE
    n, d = numerator / size, denominator / size
    vn, vnd, vd = (critical**2 * variance / size**2 for variance in variances)
    square, half, constant = d * d - vd, n * d - vnd, n * n - vn  # square r² - 2 half r + constant <= 0
    if d == 0 and vd == 0:
        return LINE
    if square == 0:
        if half == 0:
            return LINE
        end = constant / (2 * half)
        return ((end, math.inf),) if half > 0 else ((-math.inf, end),)
    root = half * half - square * constant
    if square > 0:
        spread = math.sqrt(max(root, 0.0))
        return (((half - spread) / square, (half + spread) / square),)
    if root <= 0:
        return LINE
    ends = sorted((half + sign * math.sqrt(root)) / square for sign in (-1, 1))
    return ((-math.inf, ends[0]), (ends[1], math.inf))


def joined(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return the union of closed segments as disjoint ones in rising order."""
    union: list[Segment] = []
    for low, high in sorted(segments):
        if union and low <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], high))
        else:
            union.append((low, high))
    return tuple(union)


def clipped(segments: Sequence[Segment], low: float, high: float) -> tuple[Segment, ...]:
    """Return the image of segments where every number below ``low`` counts as it, and above ``high`` likewise."""
    return joined([(min(max(a, low), high), min(max(b, low), high)) for a, b in segments])
