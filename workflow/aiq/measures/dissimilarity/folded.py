"""Removing the bias that noise gives an absolute value.

If x is normal about d with standard deviation s, |x| follows the folded normal distribution, whose mean

    f(d, s) = s sqrt(2/pi) exp(-d^2 / 2 s^2) + |d| (1 - 2 Phi(-|d|/s))

exceeds |d| (Leone, Nelson and Nottingham, "The folded normal distribution", Technometrics 3, 1961). The
estimate of |d| taken here is the one whose folded mean is the observed |x|, and 0 where |x| is below
f(0, s), the mean of pure noise.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from aiq.records.arrays import Floats

_FAR = 8.0
_BEYOND = 38.0
_STEPS = 60


def folded_mean(centre: Floats, deviation: Floats) -> Floats:
    """Return the mean of |x| for x normal about ``centre`` with standard deviation ``deviation`` >= 0."""
    distance = np.abs(centre)
    certain = np.broadcast_to(deviation * _BEYOND <= distance, np.broadcast_shapes(distance.shape, deviation.shape))
    ratio = np.divide(distance, deviation, out=np.full(certain.shape, _BEYOND), where=~certain)
    bias = deviation * np.sqrt(2 / np.pi) * np.exp(-(ratio**2) / 2) - 2 * distance * ndtr(-ratio)
    return np.asarray(distance + bias, dtype=np.float64)


def unfold(observed: Floats, deviation: Floats) -> Floats:
    """Return the distance whose folded mean is ``observed``, never below 0 nor above ``observed``.

    Args:
        observed: absolute values, at least 0, any shape.
        deviation: standard deviation of the signed values, at least 0, broadcast to ``observed``.
    """
    deviation = np.broadcast_to(deviation, observed.shape)
    low, high = np.zeros_like(observed), np.array(observed, dtype=np.float64)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        below = folded_mean(middle, deviation) < observed
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    far = observed > _FAR * deviation
    return np.asarray(np.where(far, observed, (low + high) / 2), dtype=np.float64)
