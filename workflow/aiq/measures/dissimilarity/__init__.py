"""Dissimilarity of two domains from the performance of policies trained on their mixtures.

Source: 2025 paper, Eqs. 7-9, section 2.5.3 and Fig. 3. What a signed area is made of is measured in
``starvation``, a whole suite's errors and distances in ``matrices``.

Noise biases an absolute value. If x is normal about d with standard deviation s, |x| follows the folded normal
distribution, whose mean

    f(d, s) = s sqrt(2/pi) exp(-d^2 / 2 s^2) + |d| (1 - 2 Phi(-|d|/s))

exceeds |d| (Leone, Nelson and Nottingham, "The folded normal distribution", Technometrics 3, 1961). The
estimate of |d| taken here is the one whose folded mean is the observed |x|, and 0 where |x| is below
f(0, s), the mean of pure noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from aiq import seeding, stats
from aiq.errors import InputError
from aiq.measures import bootstrap_words, check_confidence
from aiq.measures.dissimilarity import mixture_curves
from aiq.measures.dissimilarity.matrices import matrix_report as matrix_report
from aiq.measures.dissimilarity.matrices import suite_errors as suite_errors
from aiq.measures.dissimilarity.matrices import transfer_geometry as transfer_geometry
from aiq.measures.dissimilarity.matrices import transfer_replicates as transfer_replicates
from aiq.measures.dissimilarity.mixture_curves import MeasuredCurve, measured_curve, noise
from aiq.measures.dissimilarity.mixture_curves import end_draws as end_draws
from aiq.measures.dissimilarity.starvation import decompose as decompose
from aiq.records.dissimilarity import Dissimilarity, absolute_interval
from aiq.records.estimate import Estimate, Floats, StandardError
from aiq.records.matrix import NoiseFloor

_FAR = 8.0
_BEYOND = 38.0
_STEPS = 60


def measure(
    proportions: npt.ArrayLike,
    performance: npt.ArrayLike,
    *,
    se: npt.ArrayLike | None = None,
    reverse: npt.ArrayLike | None = None,
    ends: Sequence[npt.ArrayLike] | None = None,
    ends_drawn: Sequence[npt.ArrayLike] | None = None,
    paired: bool = False,
    estimator: str = "average_first",
    chosen: str = "plain",
    prior_df: float = stats.PRIOR_DF,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Dissimilarity:
    """Measure the dissimilarity of a pair: the area between V_O(p) and the line between its ends (Eq. 9).

    The area is the trapezoid rule of |V_O - V_d| at the given proportions. An absolute value turns noise into a
    positive bias, so what is known exactly is the *signed* area, line minus curve: it is unbiased, a weighted sum of
    the points, and has a Student interval from the errors at each proportion (see ``mixture_curves``). Where the curve
    does not cross the line, the plain area is its absolute value and has its interval. Where it crosses, the plain area
    gets a cautious interval: the plain area, give or take the area under the absolute error of the curve that one draw
    in 40 (at 95 %) exceeds. ``corrected`` removes the bias point by point (``unfold``).

    Args:
        proportions: probability p of the first domain, shape (P,), distinct, in any order, 0 and 1 among them.
        performance: V_O of each repetition, shape (R, P) (or (P,) for one), in [0, 1]; a repetition with a NaN failed
            and is left out and counted. With ``ends``, shape (R, P - 2), without p = 0 and 1.
        se: standard error of a single curve at each proportion, (P,), above 0, where it comes without repetitions.
        reverse: V_O of repetitions in which the pair was measured in the other order, shape (Q, P), at the same
            proportions of the second domain; they join the others, mirrored.
        ends: performances of the first and of the second domain trained alone on all samples, (R_a,) and (R_b,), each
            measured once for all pairs; one array alone for a pair of a domain with itself.
        ends_drawn: draws of the errors of both ends, (resamples,) each (see ``end_draws``), the same for all pairs of a
            domain: so the replicates of pairs with a common domain err together.
        paired: the points of a repetition may go together (one seed for the whole curve): the error then comes from
            whole repetitions, not from points. Not with ``se`` or ``ends``, nor with one repetition.
        estimator: ``average_first`` or ``per_repetition`` (of the plain area).
        chosen: which value enters the space: ``plain`` (the paper's), ``corrected``, ``signed`` or ``unbiased``.
        prior_df: weight of the pair's other points in the variance at each (``aiq.stats``).
        resamples: parametric draws; 0 gives none, and no interval of a plain area that crosses the line.
        confidence: of the intervals.
        seed: root seed of the draws.

    Raises:
        InputError: where proportions, performances, standard errors or an option cannot be used.
    """
    check_confidence(confidence)
    curve = measured_curve(mixture_curves.grid(proportions), performance, se, reverse, ends, prior_df, paired)
    if chosen == "corrected" and curve.error is None:
        raise InputError("the corrected dissimilarity needs at least 2 repetitions that did not fail; there is 1")
    drawn = noise(curve, seeding.generator(seed, "dissimilarity", "draws"), resamples)
    if ends_drawn is not None:
        drawn = np.column_stack([ends_drawn[-1], drawn[:, 1:-1], ends_drawn[0]])
    areas = Areas(curve, estimator)
    signed = areas.value("signed")
    whole = None if curve.error is None else StandardError(curve.error.se, curve.error.df)
    around = stats.moderated_interval(signed, whole, confidence)
    cautious, words = areas.cautious(drawn, around, confidence)

    def estimate(kind: str, interval: tuple[float, float] | None, how: str) -> Estimate:
        named = f"{kind} area{f' ({estimator})' if kind == 'plain' else ''}"
        note = f"{named}, trapezoid rule at {curve.p.size} proportions; {how}"
        return Estimate(areas.value(kind), interval, len(curve.curves), note, seed, confidence)

    corrected = None if whole is None else estimate("corrected", cautious, words)
    mean = curve.curves.mean(axis=0)
    return Dissimilarity(
        proportions=curve.p,
        observed=mean,
        line=mixture_curves.line(curve.p, mean),
        plain=estimate("plain", cautious, words),
        signed=estimate("signed", around, curve.words),
        corrected=corrected,
        chosen=chosen,
        replicates=areas.replicates(chosen, drawn, 0.0 if whole is None else whole.se),
        n=len(curve.curves),
        n_failed=curve.failed,
        error=curve.error,
        point_errors=curve.point if curve.error is not None else np.zeros(0),
        paired=paired,
    )


def noise_floor(self_pairs: Sequence[Dissimilarity], *, resamples: int = 1000, seed: int = 0) -> NoiseFloor:
    """Return the noise floor of a suite from the dissimilarities of its domains with themselves.

    ``self_pairs`` holds one record of DS(a, a) a domain, at least one, measured alike. The floor is made of the kind of
    value that enters the space; where that is ``signed`` or ``unbiased``, of the absolute signed areas.

    Raises:
        InputError: without self-pairs, or where they were measured in different ways.
    """
    unbiased = self_pairs[0].chosen == "unbiased"
    values = np.abs([record.signed.value if unbiased else record.value for record in self_pairs])
    rng = seeding.generator(seed, "dissimilarity", "noise floor")
    means = values[rng.integers(values.size, size=(resamples, values.size))].mean(axis=1)
    mean = Estimate(
        value=float(values.mean()),
        interval=stats.percentile_interval(means) if values.size > 1 else None,
        n=values.size,
        method=f"mean over self-pairs; {bootstrap_words('self-pairs', values.size, resamples)}",
        seed=seed,
    )
    replicates = np.column_stack([np.abs(record.replicates) for record in self_pairs])
    errors = [math.nan if record.error is None else record.error.se for record in self_pairs]
    signed = np.array([record.signed.value for record in self_pairs])
    return NoiseFloor(values, replicates, mean, self_pairs[0].chosen, signed, np.array(errors))


# ---- The areas of a curve, plain, signed and corrected ------------------------------------------------


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
        if kind == "signed":
            return self._integral(-departure)
        if kind == "corrected":
            return self._integral(unfold(np.abs(departure), self._error))
        return self._integral(np.abs(departure))

    def _integral(self, values: Floats) -> Floats:
        return np.asarray(np.trapezoid(values, self._p, axis=-1), dtype=np.float64)


def _of_points(curve: MeasuredCurve) -> Floats:
    """Return the standard error (P,) of the departure from the line, from those of the points."""
    start, end = curve.point[0], curve.point[-1]
    on_line = end if curve.one_end else np.hypot(curve.p * end, (1 - curve.p) * start)
    error = np.hypot(curve.point, on_line)
    error[[0, -1]] = 0.0
    return np.asarray(error, dtype=np.float64)


def folded_mean(centre: Floats, deviation: Floats) -> Floats:
    """Return the mean of |x| for x normal about ``centre`` with standard deviation ``deviation`` >= 0."""
    distance = np.abs(centre)
    certain = np.broadcast_to(deviation * _BEYOND <= distance, np.broadcast_shapes(distance.shape, deviation.shape))
    ratio = np.divide(distance, deviation, out=np.full(certain.shape, _BEYOND), where=~certain)
    bias = deviation * np.sqrt(2 / np.pi) * np.exp(-(ratio**2) / 2) - 2 * distance * ndtr(-ratio)
    return np.asarray(distance + bias, dtype=np.float64)


def unfold(observed: Floats, deviation: Floats) -> Floats:
    """Return the distance whose folded mean is ``observed`` (at least 0), never below 0 nor above ``observed``.

    ``deviation`` is the standard deviation of the signed values, broadcast to ``observed``.
    """
    deviation = np.broadcast_to(deviation, observed.shape)
    low, high = np.zeros_like(observed), np.array(observed, dtype=np.float64)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        below = folded_mean(middle, deviation) < observed
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    far = observed > _FAR * deviation
    return np.asarray(np.where(far, observed, (low + high) / 2), dtype=np.float64)
