"""Volume of the convex hull of points and the origin (Eqs. 13-14), exact within a facet budget.

The points are first brought to their principal axes and scaled to unit extent there (the volume is multiplied
back), so that a thin direction costs no accuracy. Singular values below ``measures.ZERO`` of the largest count as
0, and points closer than that part of the largest coordinate are one point. Within the budget the volume is exact (a
determinant, or Qhull); above it points in subspaces of their own are taken apart (``blocks``), and what is still
above it ``hull_sampling`` estimates with a standard error. All volumes are computed as logarithms: in 50 dimensions
and more nothing underflows.

Points that fall into blocks, each in a subspace of its own: the volume of their hull with the origin is a product.

Where the space is the direct sum of subspaces and every point lies in one of them, the gauge of the hull is the sum
of the blocks' gauges. From the integral of exp(-gauge), which is d! times the volume, follows for blocks of d_1 + ...
+ d_k = d dimensions in an orthogonal position: vol = (d_1! vol_1) ... (d_k! vol_k) / d!. A simplex is d blocks of one
point, a cross-polytope d blocks of two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr, solve_triangular
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull

from aiq.errors import InputError
from aiq.measures import ZERO
from aiq.records.estimate import Floats
from aiq.records.quotient import HullVolume

# ---- What a volume may cost, judged before anything runs -----------------------------------------

WORK_OF_FACET = 1200  # work of the sampled volume (see hull_sampling) that takes as long as one facet
HULL_COST = 100  # facets that take as long as the overhead of one hull


@dataclass(frozen=True, slots=True)
class Budget:
    """What a volume may cost.

    ``facets``: upper bound on the facets of one exact hull (about 6 microseconds and up to 1 kB each). Above it the
    volume is sampled: by ``groups`` of walkers, whose spread is its error, until its relative standard error is
    ``target`` or the ``work`` is done (about 5 nanoseconds each: half a minute; a first round is always made).
    ``total``: facets over all hulls of a bootstrap (any hull counts as ``HULL_COST`` at least): the default is some
    ten minutes at worst, and far less where hulls have fewer facets than they could. Its sampled hulls have
    ``replicate_groups`` and one round.
    """

    facets: int = 5_000_000
    target: float = 0.02
    work: int = 4_000_000_000
    groups: int = 16
    replicate_groups: int = 4
    total: int = 100_000_000

    def of_replicates(self) -> Budget:
        """Return the budget of one hull of a bootstrap."""
        return replace(self, groups=self.replicate_groups, work=1)


def facet_bound(points: int, dimension: int) -> int:
    """Return the largest number of facets that a polytope with so many vertices can have (upper bound theorem).

    Facets of the cyclic polytope: C(N - ceil(d/2), floor(d/2)) + C(N - 1 - ceil((d-1)/2), floor((d-1)/2)).
    """
    if dimension < 1 or points <= dimension:
        return 0
    half, odd = dimension // 2, (dimension - 1) // 2
    return math.comb(points - (dimension - half), half) + math.comb(points - 1 - (dimension - 1 - odd), odd)


def cost(points: int, dimension: int, budget: Budget) -> int:
    """Return the cost of one hull of so many points and the origin, in facets."""
    if points == dimension or dimension == 1:
        return HULL_COST
    bound = facet_bound(points + 1, dimension)
    if bound <= budget.facets:
        return bound + HULL_COST
    lines = 8 * budget.replicate_groups * (400 + 3 * (points - dimension))
    return HULL_COST + math.ceil(lines * points / 4 * (dimension * (dimension + points) + 500) / WORK_OF_FACET)


# ---- Points that fall into blocks, each in a subspace of its own ---------------------------------


def blocks(points: Floats) -> tuple[list[npt.NDArray[np.intp]], Floats, float]:
    """Return the rows of each block, the points in a basis in which blocks have axes of their own, and its log volume.

    In a basis of d of the points (m, d), of full rank and without the origin, two basis points belong together where
    some point has both coordinates: the connected components are the finest blocks there are, whichever basis is taken.
    """
    d = points.shape[1]
    _, triangle, order = qr(points.T, mode="economic", pivoting=True)
    coordinates = np.zeros_like(points)
    coordinates[order] = solve_triangular(triangle[:, :d], triangle).T
    used = np.abs(coordinates) > ZERO * np.abs(coordinates).max()
    count, label = connected_components(csr_array(used.T.astype(np.int8) @ used.astype(np.int8)), directed=False)
    own = label[used.argmax(axis=1)]
    return (
        [np.flatnonzero(own == k) for k in range(count)],
        coordinates * used,
        float(np.log(np.abs(np.diag(triangle))).sum()),
    )


# ---- Volume of the convex hull of points and the origin ------------------------------------------


def volume(points: npt.ArrayLike, budget: Budget | None = None, rng: np.random.Generator | None = None) -> HullVolume:
    """Return the volume of conv({0} and the points), finite, (m, d) with m >= 1, d >= 1.

    ``rng`` is the randomness of the approximation above the budget, and needed there only.

    Raises:
        InputError: ``rng`` is missing above the budget.
    """
    budget = budget or Budget()
    array = np.asarray(points, dtype=np.float64)
    dimension = array.shape[1]
    rows = _distinct(array)
    if rows.size == 0:
        return HullVolume(0.0, dimension, 0, 0.0, (), "none")
    left, singular, _ = np.linalg.svd(array[rows], full_matrices=False)
    rank = int((singular > ZERO * singular[0]).sum())
    size, corners, method, error = _shape_volume(left[:, :rank], budget, rng)
    log = size + float(np.log(singular[:rank]).sum())
    return HullVolume(
        volume=math.exp(log) if rank == dimension else 0.0,
        dimension=dimension,
        rank=rank,
        span_volume=math.exp(log),
        vertices=tuple(sorted(int(rows[i]) for i in corners)),
        method=method,
        error=math.exp(log) * error,
        log_span_volume=log,
        relative_error=error,
    )


def _distinct(points: Floats) -> npt.NDArray[np.intp]:
    """Return the row numbers of the distinct points other than the origin (the first of equal ones)."""
    size = float(np.abs(points).max())
    if size == 0:
        return np.array([], dtype=np.intp)
    keys = np.round(points / (size * ZERO))
    _, first = np.unique(keys, axis=0, return_index=True)
    first = np.sort(first)
    return np.asarray(first[np.any(keys[first] != 0, axis=1)])


def _shape_volume(
    points: Floats, budget: Budget, rng: np.random.Generator | None
) -> tuple[float, list[int], str, float]:
    """Return log volume, vertices (rows), method and relative standard error for distinct points of full rank."""
    m, d = points.shape
    if d == 1:
        values = points[:, 0]
        high, low = max(float(values.max()), 0.0), min(float(values.min()), 0.0)
        corners = [int(np.argmax(values))] if high > 0 else []
        return math.log(high - low), corners + ([int(np.argmin(values))] if low < 0 else []), "length", 0.0
    if m == d:
        return _simplex(points), list(range(m)), "determinant", 0.0
    candidates = np.arange(m)
    if facet_bound(m + 1, d) > budget.facets:
        candidates = extreme_points(points)
        if candidates.size == d:
            return _simplex(points[candidates]), [int(i) for i in candidates], "determinant", 0.0
    kept = points[candidates]
    if facet_bound(candidates.size + 1, d) > budget.facets:
        parts, coordinates, determinant = blocks(kept)
        if len(parts) > 1:
            return _product(parts, coordinates, determinant, candidates, budget, rng)
        if rng is None:
            raise InputError(
                f"a hull of {candidates.size} points in {d} dimensions is above the budget of {budget.facets} facets; "
                "raise the budget, keep fewer dimensions, or give a generator for the approximation"
            )
        from aiq.measures.quotient import hull_sampling  # rarely needed

        sampled = hull_sampling.volume(kept, budget.groups, budget.target, budget.work, rng)
        return sampled.log_volume, [int(i) for i in candidates], "sampled", sampled.error
    hull = ConvexHull(np.vstack([kept, np.zeros(d)]))
    return math.log(hull.volume), [int(candidates[i]) for i in hull.vertices if i < candidates.size], "qhull", 0.0


def _product(
    parts: list[npt.NDArray[np.intp]],
    coordinates: Floats,
    determinant: float,
    rows: npt.NDArray[np.intp],
    budget: Budget,
    rng: np.random.Generator | None,
) -> tuple[float, list[int], str, float]:
    """Return the log volume of blocks in subspaces of their own; relative variances add up."""
    size, variance, corners, methods = determinant - math.lgamma(coordinates.shape[1] + 1), 0.0, [], set()
    for part in parts:
        own = coordinates[part]
        own = own[:, np.any(own != 0, axis=0)]
        log_volume, vertices, method, error = _shape_volume(own, budget, rng)
        size += log_volume + math.lgamma(own.shape[1] + 1)
        variance += error**2
        corners += [int(rows[part[i]]) for i in vertices]
        methods.add(method)
    return size, corners, "sampled" if "sampled" in methods else "product", math.sqrt(variance)


def _simplex(points: Floats) -> float:
    return float(np.linalg.slogdet(points)[1]) - math.lgamma(points.shape[0] + 1)


def extreme_points(points: Floats) -> npt.NDArray[np.intp]:
    """Return the rows that are not convex combinations of the other points and the origin (one linear program each)."""
    kept = list(range(points.shape[0]))
    for i in range(points.shape[0]):
        others = [j for j in kept if j != i]
        inside = linprog(np.ones(len(others)), A_eq=points[others].T, b_eq=points[i], bounds=(0, None), method="highs")
        if inside.status == 0 and inside.fun <= 1 + 1e-9:
            kept = others
    return np.array(kept, dtype=np.intp)
