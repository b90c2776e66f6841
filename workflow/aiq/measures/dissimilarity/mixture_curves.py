"""Mixture curves: proportions, performances, the straight line, and the weights that make areas of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures.arguments import vector
from aiq.records.estimate import Floats

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


def proportions(values: npt.ArrayLike) -> Floats:
    """Return proportions in [0, 1] or refuse them."""
    p = vector("proportions", values)
    outside = p[~((p >= 0) & (p <= 1))]
    if outside.size:
        raise InputError(f"a proportion is {outside[0]:g}; proportions must lie in [0, 1]")
    return p


def grid(values: npt.ArrayLike) -> Floats:
    """Return proportions over which can be integrated from 0 to 1, or refuse them."""
    p = proportions(values)
    distinct, counts = np.unique(p, return_counts=True)
    if (counts > 1).any():
        raise InputError(f"the proportion {distinct[counts > 1][0]:g} is given more than once; give each one once")
    for end in (0, 1):
        if end not in distinct:
            raise InputError(
                f"the proportion {end} is missing; the line is drawn between proportions 0 and 1, give both"
            )
    return p


def performances(values: npt.ArrayLike, count: int) -> Floats:
    """Return performances in [0, 1] (or NaN) with ``count`` proportions along the last axis, or refuse them."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"performances must be numbers in a regular table: {error}") from error
    if array.ndim == 0 or array.size == 0 or array.shape[-1] != count:
        raise InputError(f"performances have shape {array.shape}; needed are {count} a repetition, one a proportion")
    outside = array[~np.isnan(array) & ~((array >= 0) & (array <= 1))]
    if outside.size:
        raise InputError(f"a performance is {outside[0]:g}; performances must lie in [0, 1] (NaN: failed)")
    return array


def repetitions(values: npt.ArrayLike, count: int) -> Floats:
    """Return performances as a table (R, P) or refuse them."""
    array = np.atleast_2d(performances(values, count))
    if array.ndim != 2:
        raise InputError(f"performances have shape {array.shape}; needed is (repetitions, proportions)")
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


def both_orders(p: Floats, performance: npt.ArrayLike, reverse: npt.ArrayLike | None) -> tuple[Floats, Floats, int]:
    """Return rising proportions, the curves of both orders that did not fail (R, P), and how many failed.

    Raises:
        InputError: for performances that cannot be used, or where all failed.
    """
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
    array = performances(np.atleast_1d(np.asarray(values, dtype=np.float64))[:, None], 1)[:, 0]
    kept = array[~np.isnan(array)]
    if not kept.size:
        raise InputError(f"all {array.size} trainings of {what} failed (performance NaN); needed is at least one")
    return kept


def point_errors(p: Floats, errors: npt.ArrayLike) -> Floats:
    """Return given standard errors (P,) of the performances at each proportion, all above 0, or refuse them."""
    values = vector("standard errors", errors)
    if values.size != p.size:
        raise InputError(f"there are {values.size} standard errors for {p.size} proportions; give one each")
    bad = values[~((values > 0) & np.isfinite(values))]
    if bad.size:
        raise InputError(f"a standard error is {bad[0]:g}; standard errors must be finite and above 0")
    return values
