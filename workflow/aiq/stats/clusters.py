"""Errors of means over clusters of observations, and adjusted p values of families of tests.

The squared error of a mean is the sum of the squared residuals of its clusters, each over 1 - the cluster's share of
the observations (CR2, Bell and McCaffrey 2002, Survey Methodology 28, 169-181), with their degrees of freedom. With
clusters of one observation it is Student's.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from aiq.records.estimate import Floats

Integers = npt.NDArray[np.int64]


def codes(labels: npt.ArrayLike | None, count: int) -> Integers:
    """Return clusters as numbers 0, 1, ... in order of first occurrence; without labels each of ``count`` is one.

    Raises:
        ValueError: there is not one label for each of ``count`` observations.
    """
    if labels is None:
        return np.arange(count)
    _, first, inverse = np.unique(np.asarray(labels).astype(str), return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))
    return np.asarray(place[inverse], dtype=np.int64)


def sums(values: Floats, clusters: Integers) -> Floats:
    """Return sums over clusters along the last axis, (..., J) to (..., G)."""
    count = int(clusters.max(initial=-1)) + 1
    if count == values.shape[-1] and np.array_equal(clusters, np.arange(count)):
        return values
    order = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[order], np.arange(count))
    return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))


def degrees(members: Floats, spread: Floats | None = None) -> Floats:
    """Return the degrees of freedom of the error of a mean over clusters, (..., G) members to (...).

    Those of Bell and McCaffrey, by Satterthwaite; G - 1 for clusters of equal size. Clusters may be empty. 0 where
    fewer than two have members. ``spread`` (..., G) is the variance of each cluster's sum up to a factor; None:
    observations do not depend on each other.
    """
    n = members.sum(axis=-1, keepdims=True)
    share = np.divide(members, n, out=np.zeros_like(members), where=n > 0)
    weight = np.where(share < 1, 1 / np.where(share < 1, 1 - share, 1.0), 0.0)
    own = share if spread is None else np.divide(spread, n, out=np.zeros_like(members), where=n > 0)
    whole = own.sum(axis=-1, keepdims=True)
    shared = 2 * share * own - share**2 * whole  # what a residual loses to the mean
    mean = (weight * (own - shared)).sum(axis=-1)
    squares, owns, crossed = ((weight * x).sum(axis=-1) for x in (share**2, own**2, share * own))
    between = 2 * squares * owns + whole[..., 0] ** 2 * squares**2 + 2 * crossed**2
    between -= 4 * whole[..., 0] * squares * crossed
    square = between + (weight**2 * (own**2 - 2 * own * shared)).sum(axis=-1)
    return np.asarray(np.where((share > 0).sum(axis=-1) > 1, mean**2 / np.where(square > 0, square, 1.0), 0.0))


def likeness(residuals: Floats, clusters: Integers) -> float:
    """Return the correlation of two observations of one cluster, in [0, 1]: that of residuals (J,), by moments."""
    members = sums(np.ones(residuals.size), clusters)
    pairs, square = float((members * (members - 1)).sum()), float((residuals**2).sum())
    if pairs == 0 or square == 0:
        return 0.0
    products = float((sums(residuals, clusters) ** 2).sum()) - square
    return float(np.clip(products / pairs / (square / residuals.size), 0.0, 1.0))


def holm(p: npt.ArrayLike) -> Floats:
    """Return p values adjusted by Holm (1979): the chance of one wrong claim among all is controlled; NaN stays."""
    return _stepwise(p, lambda ordered, m: np.maximum.accumulate(ordered * (m - np.arange(m))))


def benjamini_hochberg(p: npt.ArrayLike) -> Floats:
    """Return p values adjusted by Benjamini and Hochberg (1995): the share of wrong claims is controlled; NaN stays."""
    return _stepwise(p, lambda ordered, m: np.minimum.accumulate((ordered * m / (np.arange(m) + 1))[::-1])[::-1])


def _stepwise(p: npt.ArrayLike, rule: Callable[[Floats, int], Floats]) -> Floats:
    values = np.asarray(p, dtype=np.float64)
    adjusted = np.full(values.shape, np.nan)
    there = np.flatnonzero(~np.isnan(values))
    order = there[np.argsort(values[there], kind="stable")]
    adjusted[order] = np.minimum(rule(values[order], order.size), 1.0)
    return adjusted
