"""From normalised complexities and dissimilarities to points: Gram matrix, spectrum, directions, locations (Eq. 10).

Multilateration with the empty test at the origin (section 2.6). Both anchors are one formula,
G_ij = (r_i^2 + r_j^2 - s d_ij^2) / 2 with G_ii = r_i^2: ``unit`` has every test at r = 1 and s = 2 (the largest
dissimilarity, 1 after scaling, becomes a right angle, so G_ij = 1 - d_ij^2), ``complexity`` has r = the normalised
complexity and one s for the whole suite. SMACOF, where it is asked for, then minimises the stress of the positions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from aiq.measures import ZERO
from aiq.records.estimate import Floats

ANCHORS = ("unit", "complexity")
UNIT_SQUARE = 2.0
FLAT = 1e-9  # sums of negative eigenvalues this close (relative to the trace) count as equally small

ITERATIONS = 2000
REFINED_GAIN = 1e-12  # relative fall of stress in one step at which the refinement stops
VANISHED = 1e-6  # a domain with less than this part of its length in the kept dimensions has no direction there


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Eigen-decomposition of a Gram matrix, largest eigenvalue first, with the geometry it came from."""

    values: Floats
    vectors: Floats
    radius: Floats
    square: float
    dissimilarity: Floats

    @property
    def negative_share(self) -> float:
        """Sum of |negative eigenvalues| over the sum of all |eigenvalues|."""
        return float(-self.values[self.values < 0].sum() / np.abs(self.values).sum()) + 0.0

    @property
    def positive(self) -> int:
        """Number of positive eigenvalues."""
        return int((self.values > 0).sum())


@dataclass(frozen=True, slots=True)
class Placement:
    """Tests in d kept dimensions: unit directions, locations (n, d), and which part of their lengths is kept (n,)."""

    directions: Floats
    coordinates: Floats
    length: Floats
    stress: float


def decompose(complexity: Floats, dissimilarity: Floats, anchor: str) -> Spectrum:
    """Return the spectrum of the Gram matrix of normalised input, complexity (n,), dissimilarity (n, n).

    Eigenvalues below ``measures.ZERO`` of the largest are exactly 0.
    """
    radius = np.ones_like(complexity) if anchor == "unit" else complexity
    square = fit_square(radius, dissimilarity, anchor)
    values, vectors = np.linalg.eigh(gram(radius, dissimilarity, square))
    values = np.where(np.abs(values) <= ZERO * values[-1], 0.0, values)
    return Spectrum(values[::-1].copy(), vectors[:, ::-1].copy(), radius, square, dissimilarity)


def place(
    spectrum: Spectrum,
    complexity: Floats,
    kept: int,
    refine: bool,
    gain: float = REFINED_GAIN,
    common: bool = False,
) -> Placement:
    """Return the tests in the ``kept`` leading dimensions, on the principal axes of their locations.

    A test of length 0 has kept all of it. An eigenvalue below 0 among the kept ones gives an axis without extent. A
    domain whose vector vanishes in the kept dimensions has a direction of zeros and lies at the origin. With ``common``
    all tests share the one direction: noise cannot tell them apart, so no eigenvector of that noise may choose among
    them.
    """
    if common:
        vectors = spectrum.radius[:, None]
    else:
        vectors = spectrum.vectors[:, :kept] * np.sqrt(np.maximum(spectrum.values[:kept], 0.0))
    n = spectrum.radius.size
    target = np.zeros((n + 1, n + 1))  # distances, those to the origin in the last row and column
    target[:n, :n] = np.sqrt(spectrum.square) * spectrum.dissimilarity
    target[:n, n] = target[n, :n] = spectrum.radius
    if refine and not common:
        vectors = smacof(vectors, target, gain)
    norm = np.linalg.norm(vectors, axis=1)
    length = np.divide(norm, spectrum.radius, out=np.ones_like(norm), where=spectrum.radius > 0)
    present = (length > VANISHED) & (norm > 0)
    directions = np.zeros_like(vectors)
    directions[present] = vectors[present] / norm[present, None]
    rotation = _principal_rotation(directions * complexity[:, None])
    directions = directions @ rotation
    return Placement(directions, directions * complexity[:, None], length, stress(vectors, target))


def _principal_rotation(points: Floats) -> Floats:
    """Return the rotation R (d, d) for which ``points @ R`` lies on its principal axes about the origin.

    Axes are ordered by their sum of squares, largest first, and the coordinate of largest absolute value
    on each axis (the first such row) is positive.
    """
    right = np.linalg.svd(points, full_matrices=True)[2].T
    turned = points @ right
    largest = np.argmax(np.round(np.abs(turned), 12), axis=0)
    signs = np.where(turned[largest, np.arange(turned.shape[1])] < 0, -1.0, 1.0)
    return np.asarray(right * signs)


def distances(points: Floats) -> Floats:
    """Return Euclidean distances between the tests (rows) and the origin, shape (n + 1, n + 1)."""
    full = np.vstack([points, np.zeros(points.shape[1])])
    return np.asarray(np.linalg.norm(full[:, None, :] - full[None, :, :], axis=2))


def stress(points: Floats, target: Floats) -> float:
    """Return Kruskal's stress-1, sqrt(sum (target - distance)^2 / sum target^2), origin included; 0 for no distance."""
    total = float((target**2).sum())
    return float(np.sqrt(((target - distances(points)) ** 2).sum() / total)) if total > 0 else 0.0


def guttman(points: Floats, target: Floats) -> Floats:
    """Return one Guttman transform, moved back so that the origin stays where it is.

    Raw stress does not change under a shift, so transforming all n + 1 points and shifting the last one
    to the origin never raises it: the origin is fixed exactly, not by a penalty.
    """
    full = np.vstack([points, np.zeros(points.shape[1])])
    actual = distances(points)
    ratio = np.divide(target, actual, out=np.zeros_like(target), where=actual > 0)
    weights = -ratio
    np.fill_diagonal(weights, 0.0)
    np.fill_diagonal(weights, -weights.sum(axis=1))
    moved = weights @ full / full.shape[0]
    return np.asarray(moved[:-1] - moved[-1])


def smacof(points: Floats, target: Floats, gain: float = REFINED_GAIN) -> Floats:
    """Minimise raw stress from ``points`` (n, d) until a step gains less than ``gain`` of it, at most 2,000 steps.

    ``target`` has the origin last, (n + 1, n + 1). The stress of what is returned is never above that of the start.
    """
    before = stress(points, target)
    for _ in range(ITERATIONS):
        moved = guttman(points, target)
        after = stress(moved, target)
        if before - after <= gain * before:
            return moved if after < before else points
        points, before = moved, after
    return points


def gram(radius: Floats, dissimilarity: Floats, square: float) -> Floats:
    """Return the Gram matrix (n, n) of tests at ``radius`` (n,); ``square`` is lambda squared."""
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
    minimum = minimize_scalar(cost, bounds=(0.0, 2 * top), method="bounded", options={"xatol": 1e-12, "maxiter": 500})
    best = min((float(minimum.x), natural), key=cost)
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
