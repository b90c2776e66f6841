"""Gram matrices of tests seen from the empty test: multilateration with a fixed origin (section 2.6).

Both anchors are one formula, G_ij = (r_i^2 + r_j^2 - s d_ij^2) / 2 with G_ii = r_i^2: ``unit`` has every
test at r = 1 and s = 2 (the largest dissimilarity, 1 after scaling, becomes a right angle, so G_ij = 1 - d_ij^2),
``complexity`` has r = the normalised complexity and one s for the whole suite.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

Floats = npt.NDArray[np.float64]

ANCHORS = ("unit", "complexity")
UNIT_SQUARE = 2.0
FLAT = 1e-9  # sums of negative eigenvalues this close (relative to the trace) count as equally small


def radii(complexity: Floats, anchor: str) -> Floats:
    """Return each test's distance from the origin, shape (n,)."""
    return np.ones_like(complexity) if anchor == "unit" else complexity


def gram(radius: Floats, dissimilarity: Floats, square: float) -> Floats:
    """Return the Gram matrix of n tests, shape (n, n); ``square`` is lambda squared.

    Args:
        radius: distances from the origin, shape (n,).
        dissimilarity: scaled to a largest of 1, zero diagonal, shape (n, n).
        square: the squared factor on the dissimilarities.
    """
    r2 = radius**2
    return np.asarray((r2[:, None] + r2[None, :] - square * dissimilarity**2) / 2)


def negative_part(matrix: Floats) -> float:
    """Return the sum of the absolute values of the negative eigenvalues."""
    values = np.linalg.eigvalsh(matrix)
    return float(-values[values < 0].sum())


def fit_square(radius: Floats, dissimilarity: Floats, anchor: str) -> float:
    """Return the squared factor lambda^2 on the dissimilarities.

    ``unit``: 2. ``complexity``: the value with the smallest negative part of the spectrum. The negative
    part is convex in lambda^2, so its minimisers form an interval; of these the one nearest to the natural
    value is taken, at which the most dissimilar pair is orthogonal (r_i^2 + r_j^2, equal to 2 where all
    complexities are 1). Taking an end of the interval without need would flatten the space.
    """
    if anchor == "unit" or not dissimilarity.any():
        return UNIT_SQUARE
    largest = dissimilarity >= dissimilarity.max() * (1 - 1e-12)
    natural = float((radius[:, None] ** 2 + radius[None, :] ** 2)[largest].mean())
    slack = FLAT * float((radius**2).sum())

    def cost(square: float) -> float:
        return negative_part(gram(radius, dissimilarity, square))

    if cost(natural) <= slack:
        return natural
    top = 4.0
    while cost(2 * top) < cost(top) and top < 1e12:
        top *= 2
    found = minimize_scalar(cost, bounds=(0.0, 2 * top), method="bounded", options={"xatol": 1e-12, "maxiter": 500})
    best = min((float(found.x), natural), key=cost)
    limit = cost(best) + slack
    return _nearest_within(cost, best, natural, limit)


def _nearest_within(cost: Callable[[float], float], inside: float, target: float, limit: float) -> float:
    """Return the point between ``inside`` and ``target`` nearest to ``target`` whose cost is within ``limit``."""
    low, high = inside, target
    if cost(target) <= limit:
        return target
    for _ in range(60):
        middle = (low + high) / 2
        if cost(middle) <= limit:
            low = middle
        else:
            high = middle
    return low
