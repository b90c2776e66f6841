"""Mixture curves: proportions, performances, the straight line, the weights of areas, and what is known of errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq import stats
from aiq.errors import InputError
from aiq.measures import vector
from aiq.records.dissimilarity import AreaError
from aiq.records.estimate import Floats, StandardError

_SAME = 1e-9  # proportions that differ by less are one


def trapezoid_weights(p: Floats) -> Floats:
    """Return t with sum_k t_k f(p_k) = the trapezoid rule of f over rising proportions, (P,)."""
    steps = np.diff(p)
    return np.asarray((np.append(steps, 0.0) + np.append(0.0, steps)) / 2, dtype=np.float64)


def area_weights(p: Floats) -> Floats:
    """Return c with sum_k c_k V(p_k) = the area of line minus curve, (P,): for 11 proportions .45, -.1 ... -.1, .45.

    The line's area is the mean of the two ends, on any grid. The weights sum to 0.
    """
    weights = -trapezoid_weights(p)
    weights[[0, -1]] += 0.5
    return weights


def line(p: Floats, curves: Floats) -> Floats:
    """Return V_d(p) between the values at p = 0 (first) and p = 1 (last), shape of ``curves`` (Eq. 7)."""
    return np.asarray(curves[..., -1:] * p + curves[..., :1] * (1 - p), dtype=np.float64)


def grid(values: npt.ArrayLike) -> Floats:
    """Return proportions over which can be integrated from 0 to 1, or refuse them."""
    p = vector("proportions", values)
    outside = p[~((p >= 0) & (p <= 1))]
    if outside.size:
        raise InputError(f"a proportion is {outside[0]:g}; proportions must lie in [0, 1]")
    distinct, counts = np.unique(p, return_counts=True)
    if (counts > 1).any():
        raise InputError(f"the proportion {distinct[counts > 1][0]:g} is given more than once; give each one once")
    for end in (0, 1):
        if end not in distinct:
            raise InputError(
                f"the proportion {end} is missing; the line is drawn between proportions 0 and 1, give both"
            )
    return p


def repetitions(values: npt.ArrayLike, count: int) -> Floats:
    """Return performances in [0, 1] (or NaN) as a table (R, P) of ``count`` proportions, or refuse them."""
    array = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if array.ndim != 2 or array.size == 0 or array.shape[1] != count:
        raise InputError(f"performances have shape {array.shape}; needed are {count} a repetition, one a proportion")
    outside = array[~np.isnan(array) & ~((array >= 0) & (array <= 1))]
    if outside.size:
        raise InputError(f"a performance is {outside[0]:g}; performances must lie in [0, 1] (NaN: failed)")
    return array


def mirrored(curves: Floats, p: Floats) -> Floats:
    """Return curves over proportions of the second domain as curves over those of the first, columns as in p."""
    order = np.argsort(p)
    if not np.allclose(p[order] + p[order][::-1], 1, rtol=0, atol=_SAME):
        raise InputError(
            "both orders can be joined only at proportions that lie evenly about 1/2, such as 0, 0.1 ... 1"
        )
    turned = np.empty_like(curves)
    turned[:, order] = curves[:, order[::-1]]
    return turned


def _both_orders(p: Floats, performance: npt.ArrayLike, reverse: npt.ArrayLike | None) -> tuple[Floats, Floats, int]:
    """Return rising proportions, the curves of both orders that did not fail (R, P), and how many failed."""
    curves = repetitions(performance, p.size)
    if reverse is not None:
        curves = np.concatenate([curves, mirrored(repetitions(reverse, p.size), p)])
    order = np.argsort(p)
    failed = np.isnan(curves).any(axis=1)
    if failed.all():
        raise InputError(f"all {failed.size} repetitions failed (performance NaN); needed is at least one that did not")
    return p[order], curves[~failed][:, order], int(failed.sum())


def alone_values(what: str, values: npt.ArrayLike) -> Floats:
    """Return the performances (R,) of one domain alone that did not fail, or refuse them."""
    array = repetitions(np.reshape(values, (-1, 1)), 1)[:, 0]
    kept = array[~np.isnan(array)]
    if not kept.size:
        raise InputError(f"all {array.size} trainings of {what} failed (performance NaN); needed is at least one")
    return kept


# ---- Curves with their errors ---------------------------------------------------------------------


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


def measured_curve(
    p: Floats,
    performance: npt.ArrayLike,
    se: npt.ArrayLike | None,
    reverse: npt.ArrayLike | None,
    ends: Sequence[npt.ArrayLike] | None,
    prior_df: float,
    paired: bool,
) -> MeasuredCurve:
    """Return the checked curve with its errors, by whichever way they are known."""
    if paired and se is not None:
        raise InputError(
            "paired is true, but standard errors are given: whole repetitions need curves with ends of their own, and "
            "their errors are in them; leave one of the two out"
        )
    if ends is None:
        rising, curves, failed = _both_orders(p, performance, reverse)
        if paired:
            return _of_whole_repetitions(rising, curves, failed)
        if se is None:
            return of_pair(rising, curves, failed, prior_df)
        return _of_given_errors(rising, curves, failed, np.asarray(se, dtype=np.float64)[np.argsort(p)])
    inner = p[(p > 0) & (p < 1)]
    at, curves, failed = _both_orders(inner, performance, reverse)
    names = ("the first domain alone", "the second domain alone")
    values = [alone_values(name, end) for name, end in zip(names, ends, strict=False)]
    return of_shared_ends(np.concatenate([[0.0], at, [1.0]]), curves, values, failed, prior_df)


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


def _of_whole_repetitions(p: Floats, curves: Floats, failed: int) -> MeasuredCurve:
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


def _of_given_errors(p: Floats, curves: Floats, failed: int, point: Floats) -> MeasuredCurve:
    """Return a curve whose standard errors at each proportion are given, and taken for known."""
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
