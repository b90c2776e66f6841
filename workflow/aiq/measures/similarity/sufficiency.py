"""Noise of the three performances of a similarity, and whether the mixture's lies between those on its parts.

The latter is what the 2020 paper calls a sufficient agent: V_A ≥ V_AB ≥ V_B.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr, stdtrit

from aiq.records.arrays import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def probability_between(above: float, below: float, spread: tuple[float, float, float], freedom: float) -> float:
    """Return the probability that V_AB lies between V_A and V_B, in either order of the two.

    The true differences are taken as t distributed about the estimated ones with their estimated errors, which is
    the posterior under a flat prior: near 1 says sufficient, near 0 not, about 1/2 that V_AB is as high as V_A or as
    low as V_B.

    Args:
        above: estimate of V_A - V_AB.
        below: estimate of V_AB - V_B.
        spread: variance of the first, covariance, variance of the second.
        freedom: degrees of freedom, above 0.
    """
    inside = _both_positive(above, below, spread, freedom)
    return min(1.0, inside + _both_positive(-above, -below, spread, freedom, strictly=True))


def _both_positive(
    one: float, other: float, spread: tuple[float, float, float], freedom: float, *, strictly: bool = False
) -> float:
    """Return P(X ≥ 0 and Y ≥ 0) of a bivariate t distribution about (one, other); ``strictly``: > 0.

    Over the quantiles u of X above 0 the integrand is the conditional distribution of Y, a t with one more degree of
    freedom.
    """
    first, second = math.sqrt(max(spread[0], 0.0)), math.sqrt(max(spread[2], 0.0))
    if first == 0 or second == 0:
        return _certain(one, first, freedom, strictly) * _certain(other, second, freedom, strictly)
    correlation = min(max(spread[1] / (first * second), -1 + 1e-12), 1 - 1e-12)
    reached = float(stdtr(freedom, one / first))
    if reached == 0:
        return 0.0
    u = -stdtrit(freedom, reached * (1 + _NODES) / 2)
    scale = np.sqrt((1 - correlation**2) * (freedom + u**2) / (freedom + 1))
    given = stdtr(freedom + 1, (other / second + correlation * u) / scale)
    return float(np.clip(reached / 2 * (_WEIGHTS @ given), 0.0, 1.0))


def _certain(value: float, error: float, freedom: float, strictly: bool) -> float:
    """Return P(X ≥ 0) of one number, which may have no error."""
    if error > 0:
        return float(stdtr(freedom, value / error))
    return float(value > 0 if strictly else value >= 0)


class Noise:
    """Covariance of the means (V_A, V_B, V_AB), and the degrees of freedom of linear combinations of them."""

    def __init__(self, groups: Sequence[Floats], paired: bool) -> None:
        counts = np.array([group.size for group in groups])
        if paired:
            self.covariance = np.atleast_2d(np.cov(np.stack(groups), ddof=1)) / counts[0]
        else:
            self.covariance = np.diag([float(group.var(ddof=1)) for group in groups] / counts)
        self._paired, self._freedom = paired, (counts - 1).astype(np.float64)

    def of(self, first: Sequence[float], other: Sequence[float]) -> float:
        """Return the covariance of two linear combinations of the means."""
        return float(np.asarray(first) @ self.covariance @ np.asarray(other))

    def freedom(self, weights: Sequence[float]) -> float:
        """Return the degrees of freedom of a combination: R - 1 of pairs, else by Welch and Satterthwaite."""
        if self._paired:
            return float(self._freedom[0])
        parts = np.square(weights) * np.diag(self.covariance)
        total = float(parts.sum())
        return total**2 / float((parts**2 / self._freedom).sum()) if total > 0 else float(self._freedom.min())

    def separation(self, gap: float) -> float:
        """Return V_A - V_B in standard errors; infinite where there is a gap and no noise."""
        error = math.sqrt(max(self.of((1, -1, 0), (1, -1, 0)), 0.0))
        return gap / error if error > 0 else (math.inf if gap else 0.0)

    def between(self, a: float, b: float, m: float) -> float:
        """Return the probability that V_AB lies between V_A and V_B."""
        upper, lower = (1, 0, -1), (0, -1, 1)
        spread = (self.of(upper, upper), self.of(upper, lower), self.of(lower, lower))
        return probability_between(a - m, m - b, spread, min(self.freedom(upper), self.freedom(lower)))
