"""The confidence set of a ratio of two noisy numbers: an interval, what lies outside one, or the whole line.

Source: E. C. Fieller, "Some problems in interval estimation", Journal of the Royal Statistical Society B 16 (1954).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Segment = tuple[float, float]

LINE: tuple[Segment, ...] = ((-math.inf, math.inf),)


def fieller_set(
    numerator: float, denominator: float, variances: tuple[float, float, float], critical: float
) -> tuple[Segment, ...]:
    """Return every ratio r for which numerator - r denominator lies within ``critical`` standard errors of 0.

    A ratio is bounded only where the denominator differs from 0 by more than ``critical`` standard errors. Where it
    does not, the set is what lies outside an open interval, or the whole line, which a denominator of 0 without error
    gives too. ``variances`` are those of the numerator, the covariance of both, and of the denominator. One or two
    closed segments in rising order, their ends possibly infinite.

    Raises:
        ValueError: a number is not finite, a variance is negative, or ``critical`` is not above 0.
    """
    if not all(map(math.isfinite, (numerator, denominator, *variances))) or critical <= 0:
        raise ValueError(f"no ratio of {numerator} and {denominator} with variances {variances} at {critical}")
    if variances[0] < 0 or variances[2] < 0:
        raise ValueError(f"variances {variances[0]} and {variances[2]} must be 0 or more")
    size = max(abs(numerator), abs(denominator), math.sqrt(variances[0]), math.sqrt(variances[2]))
    if size == 0:
        return LINE
    n, d = numerator / size, denominator / size
    vn, vnd, vd = (critical**2 * variance / size**2 for variance in variances)
    square, half, constant = d * d - vd, n * d - vnd, n * n - vn  # square r² - 2 half r + constant <= 0
    if d == 0 and vd == 0:
        return LINE
    if square == 0:
        return _linear(half, constant)
    root = half * half - square * constant
    if square > 0:
        spread = math.sqrt(max(root, 0.0))
        return (((half - spread) / square, (half + spread) / square),)
    if root <= 0:
        return LINE
    ends = sorted((half + sign * math.sqrt(root)) / square for sign in (-1, 1))
    return ((-math.inf, ends[0]), (ends[1], math.inf))


def _linear(half: float, constant: float) -> tuple[Segment, ...]:
    """Return where -2 half r + constant <= 0."""
    if half == 0:
        return LINE
    end = constant / (2 * half)
    return ((end, math.inf),) if half > 0 else ((-math.inf, end),)


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
