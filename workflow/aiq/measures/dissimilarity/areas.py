"""The areas between a curve and its line: plain, signed, corrected; as measured and with noise drawn.

Removing the bias that noise gives an absolute value.

If x is normal about d with standard deviation s, |x| follows the folded normal distribution, whose mean

    f(d, s) = s sqrt(2/pi) exp(-d^2 / 2 s^2) + |d| (1 - 2 Phi(-|d|/s))

exceeds |d| (Leone, Nelson and Nottingham, "The folded normal distribution", Technometrics 3, 1961). The
estimate of |d| taken here is the one whose folded mean is the observed |x|, and 0 where |x| is below
f(0, s), the mean of pure noise.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from aiq.measures.dissimilarity import mixture_curves
from aiq.measures.dissimilarity.area_error import MeasuredCurve
from aiq.records.arrays import Floats
from aiq.records.dissimilarity import absolute_interval


class Areas:
    """The areas of one curve, as measured and with noise added."""

    def __init__(self, curve: MeasuredCurve, estimator: str) -> None:
        """Keep each repetition's departure from its own line; its mean is the departure of the mean curve."""
        self._p = curve.p
        self._estimator = estimator
        self._departure = curve.curves - mixture_curves.line(curve.p, curve.curves)
        self._mean = self._departure.mean(axis=0)
        own = curve.error is not None and not curve.error.shared and len(curve.curves) > 1
        self._error = self._departure.std(axis=0, ddof=1) / math.sqrt(len(curve.curves)) if own else _of_points(curve)

    def value(self, kind: str) -> float:
        """Return the area of a kind."""
        if kind == "plain" and self._estimator == "per_repetition":
            return float(self._integral(np.abs(self._departure)).mean())
        return float(self._of(kind, self._mean))

    def replicates(self, kind: str, noise: Floats, se: float) -> Floats:
        """Return the area of a kind for each draw of noise on the curve, (S, P) -> (S,).

        A drawn square holds the squared error twice (that of the measurement, that of the draw): an unbiased one
        is freed of both.
        """
        departure = self._mean + noise - mixture_curves.line(self._p, noise)
        if kind == "unbiased":
            squares = self._of("signed", departure) ** 2 - 2 * se**2
            return np.asarray(np.sqrt(np.maximum(0.0, squares)), dtype=np.float64)
        if kind == "plain" and self._estimator == "per_repetition":
            added = departure - self._mean
            return np.asarray(self._integral(np.abs(self._departure[None] + added[:, None])).mean(axis=1))
        return self._of(kind, departure)

    def cautious(
        self, noise: Floats, signed: tuple[float, float] | None, confidence: float
    ) -> tuple[tuple[float, float] | None, str]:
        """Return the interval of the plain area, and in words what it is."""
        if signed is None:
            return None, "no interval (nothing is known of the noise)"
        if not (self._mean.min() < 0 < self._mean.max()):
            return absolute_interval(signed), "interval of the absolute signed area (the curve does not cross the line)"
        if len(noise) < 2:
            return None, "no interval (the curve crosses the line, and nothing was drawn)"
        under = self._integral(np.abs(noise - mixture_curves.line(self._p, noise)))
        reach = float(np.quantile(under, (1 + confidence) / 2))
        plain = float(self._of("plain", self._mean))
        words = "cautious interval (the curve crosses the line): the area, give or take the noise under the curve"
        return (max(0.0, plain - reach), min(1.0, plain + reach)), words

    def _of(self, kind: str, departure: Floats) -> Floats:
        """Return the area of departures (..., P)."""
        if kind == "unbiased":
            raise ValueError("the unbiased value comes from the signed area and its error")
        if kind == "signed":
            return self._integral(-departure)
        if kind == "corrected":
            return self._integral(unfold(np.abs(departure), self._error))
        return self._integral(np.abs(departure))

    def _integral(self, values: Floats) -> Floats:
        """Return the trapezoid rule over the proportions, (..., P) → (...,)."""
        return np.asarray(np.trapezoid(values, self._p, axis=-1), dtype=np.float64)


def _of_points(curve: MeasuredCurve) -> Floats:
    """Return the standard error (P,) of the departure from the line, from those of the points."""
    start, end = curve.point[0], curve.point[-1]
    on_line = end if curve.one_end else np.hypot(curve.p * end, (1 - curve.p) * start)
    error = np.hypot(curve.point, on_line)
    error[[0, -1]] = 0.0
    return np.asarray(error, dtype=np.float64)


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
