"""Volume of a polytope with too many facets to list, by radial importance sampling from a smaller one.

Let Q be the hull of some of the points, listed exactly by Qhull, c a point inside it and K the whole hull.
A direction drawn from c by a uniform point of Q has a density proportional to rho_Q^d (rho: distance from c to
the boundary), hence vol K = vol Q * E[(rho_K / rho_Q)^d]. The cones over facets that Q shares with K count exactly.
Over any other facet the ratio is at least 1 and at most R, how far the farthest point stands beyond the facet,
seen from c; facets are drawn with probability proportional to cone volume * R^(d/2), halfway between the two bounds,
so that narrow cones with much behind them are not missed, and the ratio is found by one linear program. The
estimate is unbiased, vol Q is a certain lower bound, the standard error is that of a mean of independent draws.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from aiq.errors import AiqError
from aiq.measures.quotient.hull_budget import facet_bound

Floats = npt.NDArray[np.float64]

ON_FACET = 1e-10  # how far a point may stand above a facet and count as on it


def inner_hull(points: Floats, most_facets: int) -> ConvexHull:
    """Return the hull of a part of the points (the last of which is the origin) that spans the space.

    Starts from d + 1 points of large volume (pivoted orthogonalisation) and adds those that stand farthest above
    the present facets, until the next hull could pass ``most_facets`` or nothing stands above.
    """
    d = points.shape[1]
    chosen = [points.shape[0] - 1, *_spanning(points)]
    while True:
        hull = ConvexHull(points[chosen])
        above = (points @ hull.equations[:, :-1].T + hull.equations[:, -1]).max(axis=1)
        above[chosen] = -np.inf
        batch = [int(i) for i in np.argsort(-above)[: max(1, d // 4)] if above[i] > ON_FACET]
        if not batch or facet_bound(len(chosen) + len(batch), d) > most_facets:
            return hull
        chosen += batch


def _spanning(points: Floats) -> list[int]:
    """Return d rows, each the farthest from the span of those before it."""
    rest, rows = points.copy(), []
    for _ in range(points.shape[1]):
        norm = np.linalg.norm(rest, axis=1)
        rows.append(int(np.argmax(norm)))
        axis = rest[rows[-1]] / norm[rows[-1]]
        rest = rest - np.outer(rest @ axis, axis)
    return rows


def volume(points: Floats, most_facets: int, samples: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the estimated volume of conv({0} and the points) and its standard error.

    Args:
        points: shape (m, d), of full rank.
        most_facets: possible facets of the inner polytope.
        samples: directions drawn, at least 2.
        rng: source of randomness.
    """
    d = points.shape[1]
    everything = np.vstack([points, np.zeros(d)])
    inner = inner_hull(everything, most_facets)
    centre = inner.points[inner.vertices].mean(axis=0)
    cones = np.abs(np.linalg.det(inner.points[inner.simplices] - centre)) / math.factorial(d)
    normals, offsets = inner.equations[:, :-1], inner.equations[:, -1]
    height = -(normals @ centre + offsets)
    beyond = np.maximum((everything @ normals.T + offsets).max(axis=0), 0.0)
    behind = np.flatnonzero((beyond > ON_FACET) & (cones > 0))
    base = float(cones.sum())
    if behind.size == 0:
        return base, 0.0
    importance = cones[behind] * (1 + beyond[behind] / height[behind]) ** (d / 2)
    importance /= importance.sum()
    drawn = rng.choice(behind.size, size=samples, p=importance)
    weights = rng.dirichlet(np.ones(d), size=samples)
    directions = np.einsum("sj,sjk->sk", weights, inner.points[inner.simplices[behind[drawn]]] - centre)
    ratios = np.array([_reach(everything - centre, direction) for direction in directions])
    excess = (np.maximum(ratios, 1.0) ** d - 1) * cones[behind[drawn]] / importance[drawn]
    return base + float(excess.mean()), float(excess.std(ddof=1)) / math.sqrt(samples)


def _reach(points: Floats, direction: Floats) -> float:
    """Return the largest t for which t * direction lies in the hull of the points (the origin inside it)."""
    found = linprog(np.ones(points.shape[0]), A_eq=points.T, b_eq=direction, bounds=(0, None), method="highs")
    if found.status != 0 or not found.fun > 0:
        raise AiqError(f"the linear program of a sampled hull failed ({found.message}); use fewer dimensions")
    return 1.0 / float(found.fun)
