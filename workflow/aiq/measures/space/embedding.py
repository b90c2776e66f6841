"""From normalised complexities and dissimilarities to points: Gram matrix, spectrum, directions, locations (Eq. 10).

Multilateration with the empty test at the origin (section 2.6). Both anchors are one formula,
G_ij = (r_i^2 + r_j^2 - s d_ij^2) / 2 with G_ii = r_i^2: ``unit`` has every test at r = 1 and s = 2 (the largest
dissimilarity, 1 after scaling, becomes a right angle, so G_ij = 1 - d_ij^2), ``complexity`` has r = the normalised
complexity and one s for the whole suite. SMACOF, where it is asked for, then minimises the stress of the positions.

How many dimensions of the intelligence space are kept: those that hold a share of it, or stand above the noise.

``share``: the fewest dimensions that hold a stated share of the positive spectrum, a property of the suite: better
data make its estimate surer, not larger. The spectrum is that of unbiased squares (see ``draws.debiased``), so that
noise adds nothing to it on average. ``noise`` (section 6, item 3): those above the noise of the dissimilarities, a
property of the measurement: better data keep more. Two nulls are offered for it, and both counts are reported:

``propagated`` (default): the uncertainty of every dissimilarity is carried into the Gram matrix, and rank k is tested
against the noise inside the last n - k eigenvectors (to first order in the noise, the eigenvalues of a rank-k matrix
beyond k are those of the noise there). Of the noise of a square d^2 the part 2 d s dominates, which does not fall with
the floor: that is why better data do not make this test worse. Measured in ``studies/coverage_space.py``.

``identical``: the spectrum of as many *identical* tests as there are domains, whose pairs differ by the noise
floor alone (draws from the measured self-dissimilarities). All such tests share one direction; the largest
eigenvalue across it is what noise alone opens between tests that are the same. Its threshold is of the order of the
squared floor, while the noise between tests that differ is of the order of the floor: it keeps too many dimensions,
and the more the better the data are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from aiq.measures import ZERO
from aiq.measures.space.suite import DRAWS, QUANTILE, Suite, floor_draws, symmetric
from aiq.records.estimate import Floats
from aiq.seeding import generator

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


# ---- How many dimensions are kept ----------------------------------------------------------------


SHARE = 0.9
FEWEST_DRAWS, EFFORT = 200, 20_000  # draws times domains in one step of the sequential test
SPREAD_PER_FLOOR = 0.77  # standard error of a dissimilarity over the floor, for independent errors at 11 points


def thresholds(
    suite: Suite, spectrum: Spectrum, fluctuation: Floats | None, null: str, seed: int
) -> tuple[Floats, Floats | None, str, float | None]:
    """Return what eigenvalues must exceed, (n,); the same by propagation; where they come from; the typical floor.

    ``fluctuation`` (B, n, n): replicates of the Gram matrix minus the estimate, or None. What is not known is None, or
    rounding. Where the squares of the dissimilarities are unbiased the floor adds nothing to them.
    """
    values, n, words = spectrum.values, spectrum.values.size, []
    rng = generator(seed, "space", "noise floor")
    floor = spread = level = propagated = None
    if suite.floors.size:
        level = float(np.exp(np.log(suite.floors).mean()))
        floor = -spectrum.square * floor_draws(suite.floors, suite.floor_replicates, n, rng) ** 2 / 2
        suffix = " with replicates" if suite.floor_replicates is not None else ""
        words.append(f"{suite.floors.size} self-dissimilarities{suffix}")
    if fluctuation is not None and fluctuation.shape[0] > 1:
        spread = fluctuation[:DRAWS]
        words.append(f"{fluctuation.shape[0]} replicates of the matrix")
    elif level is not None:
        normal = symmetric(rng.standard_normal((DRAWS, n, n)))
        spread = spectrum.square * suite.dissimilarity * SPREAD_PER_FLOOR * level * normal
    limits = np.concatenate([[np.nan], np.full(n - 1, ZERO * float(values[0]))])
    if spread is not None:
        parts = [spread] if floor is None or suite.errors is not None else [floor, spread]
        propagated = np.maximum(_propagated(values, spectrum.vectors, parts), limits)
    if floor is not None and null == "identical":
        limits = np.maximum(limits, np.concatenate([[np.nan], np.full(n - 1, _identical_threshold(floor))]))
        return limits, propagated, f"identical tests that differ by the noise floor ({' and '.join(words)})", level
    if propagated is not None:
        return propagated, propagated, f"uncertainty of all dissimilarities ({' and '.join(words)})", level
    source = "numerical tolerance: neither self-dissimilarities nor replicates of the matrix are known"
    return limits, None, source, level


def _identical_threshold(floor: Floats) -> float:
    """Return the 95 % quantile of the largest eigenvalue that the floor opens across the tests' common direction.

    Identical tests have the Gram matrix 1 1' + floor; what lies orthogonal to the vector of ones is noise.
    (Not simply its second eigenvalue: where the floor is as large as every dissimilarity, noise comes first.)
    """
    n = floor.shape[-1]
    if n < 2:
        return 0.0
    across = np.linalg.qr(np.eye(n) - 1 / n)[0][:, : n - 1]
    return float(np.quantile(np.linalg.eigvalsh(across.T @ floor @ across)[:, -1], QUANTILE))


def _propagated(spectrum: Floats, vectors: Floats, parts: list[Floats]) -> Floats:
    """Return the sequential thresholds (n,): NaN for the first eigenvalue and beyond the first that fails."""
    draws = min([part.shape[0] for part in parts] + [max(FEWEST_DRAWS, EFFORT // spectrum.size)])
    null = np.sum([part[:draws] for part in parts], axis=0)
    limits = np.full(spectrum.size, np.nan)
    for k in range(1, spectrum.size):
        tail = vectors[:, k:]
        limits[k] = np.quantile(np.linalg.eigvalsh(tail.T @ null @ tail)[:, -1], QUANTILE)
        if spectrum[k] <= limits[k]:
            break
    return limits


def by_share(spectrum: Floats, share: float) -> npt.NDArray[np.int64]:
    """Return the fewest leading dimensions that hold a share of the positive spectrum (..., n), (...), at least 1."""
    held = np.cumsum(np.maximum(spectrum, 0.0), axis=-1)
    asked = share * (1 - ZERO) * held[..., -1:]
    return np.asarray(np.minimum((held < asked).sum(axis=-1) + 1, spectrum.shape[-1]), dtype=np.int64)


def count_above(spectrum: Floats, thresholds: Floats) -> int:
    """Return how many leading eigenvalues exceed their thresholds one after the other; the first always counts."""
    below = np.flatnonzero(~(spectrum[1:] > thresholds[1:]))
    return int(below[0]) + 1 if below.size else int(spectrum.size)
