"""Stress-minimising refinement of tests' positions with the empty test held at the origin (SMACOF)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

ITERATIONS = 2000
GAIN = 1e-12  # relative fall of stress in one step at which the refinement stops


def with_origin(radius: Floats, distance: Floats) -> Floats:
    """Return the (n + 1, n + 1) distances of the tests and, as the last row and column, the origin."""
    n = radius.size
    full = np.zeros((n + 1, n + 1))
    full[:n, :n] = distance
    full[:n, n] = full[n, :n] = radius
    return full


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


def refine(points: Floats, target: Floats, gain: float = GAIN) -> Floats:
    """Minimise raw stress from ``points`` until a step gains less than ``gain`` of it, at most 2,000 steps.

    Args:
        points: start, shape (n, d).
        target: distances with the origin last, shape (n + 1, n + 1).
        gain: relative fall of stress in one step at which to stop.

    Returns:
        the refined points (n, d); their stress is never above that of the start.
    """
    before = stress(points, target)
    for _ in range(ITERATIONS):
        moved = guttman(points, target)
        after = stress(moved, target)
        if before - after <= gain * before:
            return moved if after < before else points
        points, before = moved, after
    return points
