"""The areas between a curve and its line, plain, signed and corrected, and their errors, from those at each proportion.

Removing the bias that noise gives an absolute value.

If x is normal about d with standard deviation s, |x| follows the folded normal distribution, whose mean

    f(d, s) = s sqrt(2/pi) exp(-d^2 / 2 s^2) + |d| (1 - 2 Phi(-|d|/s))

exceeds |d| (Leone, Nelson and Nottingham, "The folded normal distribution", Technometrics 3, 1961). The
estimate of |d| taken here is the one whose folded mean is the observed |x|, and 0 where |x| is below
f(0, s), the mean of pure noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from aiq import stats
from aiq.errors import InputError
from aiq.measures.dissimilarity import mixture_curves
from aiq.measures.dissimilarity.mixture_curves import alone_values, area_weights
from aiq.records.dissimilarity import AreaError, absolute_interval
from aiq.records.estimate import Floats, StandardError


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


@dataclass(frozen=True, eq=False)
class MeasuredCurve:
    """A curve with its ends, and how well it is known.

    ``p`` (P,) rises from 0 to 1; ``curves`` (R, P) are the repetitions (columns of shared ends hold the domains'
    means); ``error`` is None with one repetition; ``point`` (P,) is the standard error of the mean at each
    proportion; ``one_end`` says that both ends are the same number (a domain with itself, shared ends); ``together``
    (R, P): what each repetition puts into the error of the mean curve, where its points may go together.
    """

    p: Floats
    curves: Floats
    error: AreaError | None
    point: Floats
    one_end: bool
    failed: int
    words: str
    together: Floats | None = None


def of_pair(p: Floats, curves: Floats, failed: int, prior_df: float) -> MeasuredCurve:
    """Return the curve of a pair that was measured with ends of its own."""
    count = len(curves)
    words = f"Student's t from point-wise errors over {count} repetitions, variances moderated ({prior_df:g} prior df)"
    if count < 2:
        return MeasuredCurve(p, curves, None, np.zeros(p.size), False, failed, "no interval (1 repetition)")
    variances = stats.sample_variances(curves)
    counts = np.full(p.size, count)
    whole = stats.contrast_error(variances, counts, area_weights(p), prior_df=prior_df, at=p)
    point = np.sqrt(stats.moderated_variances(variances, counts - 1, prior_df=prior_df, at=p) / count)
    return MeasuredCurve(p, curves, _split(p, point, whole), point, False, failed, _words(words, whole))


def of_whole_repetitions(p: Floats, curves: Floats, failed: int) -> MeasuredCurve:
    """Return the curve of a pair whose points may share what is particular to their repetition, such as one seed.

    The area of each repetition is one observation: the error is that of their mean (the jackknife over repetitions),
    with R - 1 degrees of freedom, whatever its points have in common. It is not drawn towards errors of points: those
    say nothing of what a repetition shares, and where that is three times the noise an interval that leaned on them
    held the truth in .92 and less (studies/coverage_paired.py).
    """
    count = len(curves)
    if count < 2:
        return MeasuredCurve(p, curves, None, np.zeros(p.size), False, failed, "no interval (1 repetition)")
    weights = area_weights(p)
    parts = (curves - curves.mean(axis=0)) / math.sqrt(count * (count - 1))
    area = parts @ weights
    alike = not stats.sample_variances(curves @ weights) > 0
    whole = StandardError(0.0 if alike else float(np.sqrt((area**2).sum())), count - 1.0)
    point = np.sqrt((parts**2).sum(axis=0))
    words = f"Student's t over the areas of {count} whole repetitions"
    return MeasuredCurve(p, curves, _split(p, point, whole), point, False, failed, _words(words, whole), parts)


def of_given_errors(p: Floats, curves: Floats, failed: int, point: Floats) -> MeasuredCurve:
    """Return a curve whose standard errors at each proportion are given, and taken for known."""
    if len(curves) > 1:
        raise InputError(
            f"there are {len(curves)} repetitions and standard errors as well; give repetitions or standard errors"
        )
    whole = StandardError(float(np.sqrt(((area_weights(p) * point) ** 2).sum())), math.inf)
    words = "normal interval from the standard errors that were given"
    return MeasuredCurve(p, curves, _split(p, point, whole), point, False, failed, words)


def of_shared_ends(p: Floats, inner: Floats, ends: Sequence[Floats], failed: int, prior_df: float) -> MeasuredCurve:
    """Return the curve of a pair whose ends are those of its domains, each measured once for all pairs.

    ``inner`` (R, P - 2) are repetitions at the inner proportions of p (P,); ``ends`` performances of the first and the
    second domain alone, or of one domain for a pair with itself. ``prior_df`` is of the inner points' variances; those
    of the ends stand for themselves.
    """
    first, second = ends[0], ends[-1]
    curves = np.column_stack([np.full(len(inner), second.mean()), inner, np.full(len(inner), first.mean())])
    weights, single = area_weights(p), len(ends) == 1
    words = f"Student's t, {len(inner)} repetitions inside, ends of {' and '.join(str(e.size) for e in ends)} trainings"
    if min(len(inner), first.size, second.size) < 2:
        return MeasuredCurve(p, curves, None, np.zeros(p.size), single, failed, "no interval (1 repetition)")
    variances, counts = stats.sample_variances(inner), np.full(p.size - 2, len(inner))
    within = stats.contrast_error(variances, counts, weights[1:-1], prior_df=prior_df, at=p[1:-1])
    a = _end(first, weights[-1] + (weights[0] if single else 0.0))
    b = StandardError(0.0, a.df) if single else _end(second, weights[0])
    whole = stats.sum_error([within, a, b])
    spread = np.sqrt(stats.moderated_variances(variances, counts - 1, prior_df=prior_df, at=p[1:-1]) / len(inner))
    errors = [_end(values, 1.0).se for values in (second, first)]
    point = np.concatenate([errors[:1], spread, errors[1:]])
    error = AreaError(whole.se, whole.df, within.se, within.df, a.se, b.se, a.df, b.df, shared=True)
    return MeasuredCurve(p, curves, error, point, single, failed, _words(words, whole))


def _words(words: str, whole: StandardError) -> str:
    return words if whole.se > 0 else "no interval (the repetitions are all alike)"


def _end(values: Floats, weight: float) -> StandardError:
    """Return what one shared end puts into the error of the area."""
    return StandardError(
        abs(weight) * math.sqrt(float(stats.sample_variances(values)) / values.size), values.size - 1.0
    )


def _split(p: Floats, point: Floats, whole: StandardError) -> AreaError:
    """Return the error of a pair with ends of its own, told apart by inner points and ends."""
    parts = np.abs(area_weights(p)) * point
    inner = float(np.sqrt((parts[1:-1] ** 2).sum()))
    a, b = float(parts[-1]), float(parts[0])
    return AreaError(whole.se, whole.df, inner, whole.df, a, b, whole.df, whole.df, shared=False)


def noise(curve: MeasuredCurve, rng: np.random.Generator, draws: int) -> Floats:
    """Return draws (S, P) of the error of the mean curve: one Student scale per draw.

    Points are drawn apart, or as the repetitions hold them together.
    """
    if curve.error is None or draws == 0:
        return np.zeros((draws, curve.p.size))
    if curve.together is not None:
        count = len(curve.together)
        scale = np.sqrt((count - 1) / rng.chisquare(count - 1, draws))
        return np.asarray(rng.standard_normal((draws, count)) @ curve.together * scale[:, None], dtype=np.float64)
    normal = rng.standard_normal((draws, curve.p.size))
    if curve.one_end:
        normal[:, -1] = normal[:, 0]
    df = curve.error.df
    scale = np.ones(draws) if math.isinf(df) else np.sqrt(df / rng.chisquare(df, draws))
    return np.asarray(normal * curve.point * scale[:, None], dtype=np.float64)


def end_draws(values: npt.ArrayLike, draws: int, rng: np.random.Generator, what: str = "a domain alone") -> Floats:
    """Return Student draws (S,) of the error of a domain's end, the mean of its trainings (R,) that did not fail (NaN).

    With one training nothing is known: all draws are 0. ``what`` was trained, in a refusal.
    """
    trainings = alone_values(what, values)
    if trainings.size < 2:
        return np.zeros(draws)
    return np.asarray(rng.standard_t(trainings.size - 1, draws) * _end(trainings, 1.0).se, dtype=np.float64)


def with_ends(drawn: Floats, ends: Sequence[npt.ArrayLike]) -> Floats:
    """Return draws (S, P) of a curve's error in which both ends have the errors of their domains, (S,) each."""
    first, second = (np.asarray(ends[place], dtype=np.float64) for place in (0, -1))
    if not first.shape == second.shape == drawn.shape[:1]:
        raise InputError(f"ends have {first.size} and {second.size} draws, the curve {len(drawn)}; give equally many")
    return np.column_stack([second, drawn[:, 1:-1], first])
