"""Similarity of two tests from the performance on each and on their mixture.

Source: Pereyda and Holder, "Measuring the Relative Similarity and Difficulty Between AI Benchmark Problems" (2020),
Eqs. 1 to 3. What that paper calls similarity, the departure of a mixture from the straight line, the 2025 paper calls
dissimilarity: at p = 1/2, |S| = 2 |departure from the line| / |V_A - V_B| for a sufficient agent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from aiq.errors import InputError
from aiq.measures import check_confidence, vector
from aiq.records.dissimilarity import Segment, Similarity
from aiq.records.estimate import Estimate, Floats
from aiq.stats import clipped, fieller_set, joined

APART = 2.0  # standard errors between V_A and V_B from which on a value is given
_NEAR = 1e-9


def normalised(v_a: npt.ArrayLike, v_b: npt.ArrayLike, v_ab: npt.ArrayLike) -> Floats:
    """Return Eq. 3 element by element, (|V_A - V_AB| - |V_B - V_AB|) / |V_A - V_B| in [-1, 1]; NaN where V_A = V_B.

    The larger of the first two counts as V_A, the easier test, whatever the order given. With V_A ≥ V_AB ≥ V_B it is
    (V_A + V_B - 2 V_AB) / (V_A - V_B); above V_A it is -1, below V_B 1.
    """
    first, second, m = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (v_a, v_b, v_ab)))
    a, b = np.maximum(first, second), np.minimum(first, second)
    gap = a - b
    ratio = np.divide(np.abs(a - m) - np.abs(b - m), gap, out=np.full(gap.shape, np.nan), where=gap > 0)
    return np.asarray(np.clip(ratio, -1, 1))


def implied(v_a: npt.ArrayLike, v_b: npt.ArrayLike, similarity: npt.ArrayLike) -> Floats:
    """Return V_AB that Eq. 3 implies for a sufficient agent, (V_A + V_B - S |V_A - V_B|) / 2, element by element."""
    a, b, s = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (v_a, v_b, similarity)))
    return np.asarray((a + b - s * np.abs(a - b)) / 2)


def measure(
    proportions: npt.ArrayLike,
    performance: npt.ArrayLike,
    *,
    at: float = 0.5,
    paired: bool = False,
    self_pair: bool = False,
    confidence: float = 0.95,
) -> Similarity:
    """Measure S(A, B, p) on mixture curves, as those of the dissimilarity of 2025: nothing is trained for it.

    Args:
        proportions: share of the first domain, shape (P,), distinct; 0, 1 and ``at`` among them. Where the second
            domain is the easier one, the share of A is that of the second, and 1 - ``at`` is read.
        performance: on the mixed test, shape (R, P) or (P,), any finite numbers; NaN: a failed training, left out
            and counted. S does not change when all performances are scaled and shifted alike.
        at: share of the easier test, inside (0, 1).
        paired: whether the trainings of a repetition share something (a seed, a split). Independent trainings
            (False) give more degrees of freedom; a common positive correlation only widens such intervals.
        self_pair: both domains are one: 0/0, undefined.
        confidence: of intervals and of the set.

    Raises:
        InputError: where proportions, performances or an option cannot be used.
    """
    p, curves = vector("proportions", proportions), np.atleast_2d(np.asarray(performance, dtype=np.float64))
    if not 0 < at < 1:
        raise InputError(
            f"the proportion is {at:g}; it must lie strictly between 0 and 1 (at the ends S is 1 and -1 by definition)"
        )
    ends = [_place(p, 1.0), _place(p, 0.0)]
    first, second = (curves[np.isfinite(curves[:, end]), end] for end in ends)
    if first.size == 0 or second.size == 0:
        raise InputError("all repetitions failed (performance NaN) at one of the proportions 0 and 1")
    swapped = bool(second.mean() > first.mean())
    columns = [*(reversed(ends) if swapped else ends), _place(p, 1 - at if swapped else at)]
    chosen = curves[:, columns]
    failed = int(np.isnan(chosen).sum())
    if paired:
        chosen = chosen[np.isfinite(chosen).all(axis=1)]
        failed = len(curves) - len(chosen)
    groups = [column[np.isfinite(column)] for column in chosen.T]
    return _measured(groups, at, paired, self_pair, confidence, swapped, failed)


def from_values(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    merged: npt.ArrayLike,
    *,
    at: float = 0.5,
    paired: bool = False,
    self_pair: bool = False,
    failed: int = 0,
    confidence: float = 0.95,
) -> Similarity:
    """Measure S(A, B, p) from repetitions on each test alone and on the mixture with the share ``at`` of the easier.

    The numbers of repetitions may differ unless ``paired``: then equal places belong together. ``failed``: how many
    trainings were lost before. Options as in `measure`.

    Raises:
        InputError: an option out of range, or no repetition at one of the three.
    """
    given = {"on the first test": first, "on the second test": second, "on the mixture": merged}
    groups = [vector(f"performances {what}", values) for what, values in given.items()]
    swapped = bool(groups[1].mean() > groups[0].mean())
    if swapped:
        groups[:2] = groups[1::-1]
    return _measured(groups, at, paired, self_pair, confidence, swapped, failed)


def _measured(
    groups: Sequence[Floats], at: float, paired: bool, self_pair: bool, confidence: float, swapped: bool, failed: int
) -> Similarity:
    """Return the similarity of performances on the easier test, the harder one and the mixture."""
    check_confidence(confidence)
    if any(group.size == 0 for group in groups):
        raise InputError("all repetitions failed at one of the proportions 0, at and 1; needed is one that did not")
    a, b, m = (float(group.mean()) for group in groups)
    n = min(group.size for group in groups)
    noise = Noise(groups, paired) if n > 1 else None
    separation = None if noise is None else noise.separation(a - b)
    apart = a > b if separation is None else separation >= APART
    v_a, v_b, v_ab = (_mean(group, confidence) for group in groups)
    pair_noise = None if self_pair else noise
    return Similarity(
        value=float(normalised(a, b, m)) if apart and not self_pair else None,
        segments=() if pair_noise is None else _confidence_set(a, b, m, pair_noise, confidence),
        at=at,
        v_a=v_a,
        v_b=v_b,
        v_ab=v_ab,
        sufficient=None if pair_noise is None else pair_noise.between(a, b, m),
        separation=separation,
        swapped=swapped,
        self_pair=self_pair,
        n=n,
        n_failed=failed,
        method="Eq. 3 of the means; Fieller's set, " + ("paired" if paired else "independent") + " repetitions",
        confidence=confidence,
    )


def _confidence_set(a: float, b: float, m: float, noise: Noise, confidence: float) -> tuple[Segment, ...]:
    """Return Fieller's set of (V_A + V_B - 2 V_AB) / (V_A - V_B), cut to [-1, 1] as Eq. 3 is.

    Where it is not bounded, it is not known either which test is the easier one. S changes its sign with that, so the
    set is joined with its mirror image.
    """
    over, under = (1, 1, -2), (1, -1, 0)
    shared = (noise.of(over, over), noise.of(over, under), noise.of(under, under))
    at = float(np.nan_to_num(normalised(a, b, m)))
    freedom = noise.freedom((1 - at, 1 + at, -2))
    critical = float(stdtrit(freedom, (1 + confidence) / 2))
    segments = fieller_set(a + b - 2 * m, a - b, shared, critical)
    if any(math.isinf(end) for segment in segments for end in segment):
        segments = joined([*segments, *((-high, -low) for low, high in segments)])
    return clipped(segments, -1.0, 1.0)


def _mean(values: Floats, confidence: float) -> Estimate:
    value, interval = float(values.mean()), None
    if values.size > 1:
        half = float(stdtrit(values.size - 1, (1 + confidence) / 2) * values.std(ddof=1)) / values.size**0.5
        interval = (value - half, value + half)
    return Estimate(value, interval, values.size, "mean of repetitions; t interval", None, confidence)


def _place(p: Floats, wanted: float) -> int:
    places = np.flatnonzero(np.abs(p - wanted) < _NEAR)
    if places.size:
        return int(places[0])
    given = ", ".join(f"{value:g}" for value in np.sort(p))
    raise InputError(
        f"the proportion {wanted:g} is missing (given are {given}); the similarity needs 0, 1 and the share of the "
        "easier test at which it is asked for"
    )


# ---- whether the agent is sufficient: V_A ≥ V_AB ≥ V_B -------------------------------------------

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def probability_between(above: float, below: float, spread: tuple[float, float, float], freedom: float) -> float:
    """Return the probability that V_AB lies between V_A and V_B, in either order of the two.

    The true V_A - V_AB and V_AB - V_B are taken as t distributed about the estimates ``above`` and ``below``, with
    ``spread`` (variance of the first, covariance, variance of the second) and ``freedom`` degrees of freedom, which is
    the posterior under a flat prior: near 1 says sufficient, near 0 not, about 1/2 that V_AB is as high as V_A or as
    low as V_B.
    """
    inside = _both_positive(above, below, spread, freedom)
    return min(1.0, inside + _both_positive(-above, -below, spread, freedom, strictly=True))


def _both_positive(
    x: float, y: float, spread: tuple[float, float, float], freedom: float, *, strictly: bool = False
) -> float:
    """Return P(X ≥ 0 and Y ≥ 0) of a bivariate t distribution about (x, y); ``strictly``: > 0.

    Over the quantiles u of X above 0 the integrand is the conditional distribution of Y, a t with one more degree of
    freedom.
    """
    first, second = math.sqrt(max(spread[0], 0.0)), math.sqrt(max(spread[2], 0.0))
    if first == 0 or second == 0:
        return _certain(x, first, freedom, strictly) * _certain(y, second, freedom, strictly)
    correlation = min(max(spread[1] / (first * second), -1 + 1e-12), 1 - 1e-12)
    reached = float(stdtr(freedom, x / first))
    if reached == 0:
        return 0.0
    u = -stdtrit(freedom, reached * (1 + _NODES) / 2)
    scale = np.sqrt((1 - correlation**2) * (freedom + u**2) / (freedom + 1))
    given = stdtr(freedom + 1, (y / second + correlation * u) / scale)
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
