"""Volumes of many small hulls at once, for the bootstrap.

The hull of some points and the origin is the union of the cones from the origin over its facets. d points in general
position span the plane a.x = 1 with a = P^-1 1; it is a facet exactly if no other point lies beyond it, and its cone
has the volume |det P| / d!. Points scaled by performances v have the same P^-1 with 1 / v in place of 1, so agents
share the inverses. Points that lie in one plane by construction (a merged test, a performance twice) would be counted
in several triangulations at once: performances are therefore moved by some 1e-9 of themselves, each domain by an
amount of its own that is the same for all agents and replicates, so that equal profiles keep equal ratios.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MOST_SUBSETS = 3000  # of d points: above this Qhull is faster
SMALLEST = 1e-13  # determinants below this part of their Hadamard bound span no facet
_CHUNK = 500
_MOVED = 1e-9


def fits(points: int, dimension: int) -> bool:
    """Whether hulls of so many points are few enough subsets to be listed."""
    return math.comb(points, dimension) <= MOST_SUBSETS


def log_volumes(points: Floats, performance: Floats) -> Floats:
    """Return natural logarithms of the volumes of conv({0} and v_i p_i), (B, A); -inf where there is none.

    Args:
        points: locations of n tests in d dimensions, (B, n, d).
        performance: v in [0, 1], (B, A, n).
    """
    size, n, d = points.shape
    scale = performance * (1 + _MOVED * np.modf((np.arange(n) + 1) * (math.sqrt(5) - 1) / 2)[0])
    out = np.full((size, performance.shape[1]), -np.inf)
    for start in range(0, size, _CHUNK):
        part = slice(start, start + _CHUNK)
        out[part] = _part(points[part], scale[part])
    return out - math.lgamma(d + 1)


def _part(points: Floats, scale: Floats) -> Floats:
    """Return logarithms of d! times the volumes for some of the replicates."""
    n, d = points.shape[1:]
    total = np.full(scale.shape[:2], -np.inf)
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    length = np.linalg.norm(points, axis=2)
    with np.errstate(divide="ignore"):
        long, part = np.log(length), np.log(scale)
    for chosen in combinations(range(n), d):
        rows = list(chosen)
        corner = points[:, rows]
        size = np.linalg.slogdet(corner)[1]
        solid = size > math.log(SMALLEST) + long[:, rows].sum(axis=1)
        present = solid[:, None] & (scale[:, :, rows] > 0).all(axis=2)
        if not present.any():
            continue
        plane = points @ np.linalg.inv(np.where(solid[:, None, None], corner, np.eye(d)))
        height = np.einsum("bnd,bad->ban", plane, inverse[:, :, rows]) * scale
        height[:, :, rows] = 0.0
        facet = present & (height.max(axis=2) <= 1.0)
        total = np.logaddexp(total, np.where(facet, size[:, None] + part[:, :, rows].sum(axis=2), -np.inf))
    return total
