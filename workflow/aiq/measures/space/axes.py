"""Principal axes with fixed signs and order, and rotations onto a reference."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def principal_rotation(points: Floats) -> Floats:
    """Return the rotation R (d, d) for which ``points @ R`` lies on its principal axes about the origin.

    Axes are ordered by their sum of squares, largest first, and the coordinate of largest absolute value
    on each axis (the first such row) is positive.
    """
    right = np.linalg.svd(points, full_matrices=True)[2].T
    turned = points @ right
    largest = np.argmax(np.round(np.abs(turned), 12), axis=0)
    signs = np.where(turned[largest, np.arange(turned.shape[1])] < 0, -1.0, 1.0)
    return np.asarray(right * signs)


def procrustes(points: Floats, reference: Floats) -> Floats:
    """Return the orthogonal R (d, d) that minimises ||points @ R - reference|| (no shift, no scaling)."""
    left, _, right = np.linalg.svd(points.T @ reference)
    return np.asarray(left @ right)


def congruence(points: Floats, reference: Floats) -> Floats:
    """Return |cosine| between equal axes (columns) of two configurations, shape (d,); 0 where an axis is empty."""
    top = np.abs((points * reference).sum(axis=0))
    bottom = np.linalg.norm(points, axis=0) * np.linalg.norm(reference, axis=0)
    return np.asarray(np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0))
