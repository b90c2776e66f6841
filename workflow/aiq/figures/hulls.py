"""Outlines of convex hulls for drawing; the volumes that count are computed by the measures."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from aiq.records.arrays import Floats


def outline(points: Floats) -> Floats:
    """Return the corners of the convex hull of points in the plane, (k, 2), counter-clockwise.

    Andrew's monotone chain: points on a line give its two ends, a single place gives one corner.
    """
    order = sorted({(float(x), float(y)) for x, y in points})
    if len(order) <= 2:
        return np.array(order)
    chains: list[list[tuple[float, float]]] = []
    for sequence in (order, order[::-1]):
        chain: list[tuple[float, float]] = []
        for x, y in sequence:
            while len(chain) >= 2:
                (ax, ay), (bx, by) = chain[-2], chain[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                chain.pop()
            chain.append((x, y))
        chains.append(chain[:-1])
    return np.array(chains[0] + chains[1])


def faces(points: Floats) -> Floats | None:
    """Return the triangles of the convex hull of points in space, (f, 3, 3), or None where they span less.

    Triangles are sorted, so that the picture does not depend on the order in which they were found.
    """
    centred = points - points.mean(axis=0)
    scale = float(np.abs(centred).max(initial=0.0))
    if len(points) < 4 or scale == 0 or np.linalg.matrix_rank(centred, tol=1e-6 * scale) < 3:
        return None
    simplices = np.sort(ConvexHull(points).simplices, axis=1)
    return np.asarray(points[simplices[np.lexsort(simplices.T[::-1])]])
