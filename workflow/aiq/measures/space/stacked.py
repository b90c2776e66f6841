"""Many spaces at once: replicates of a suite under the anchor ``unit``, as stacks of arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.measures.arguments import ZERO
from aiq.measures.space.anchors import UNIT_SQUARE, gram
from aiq.measures.space.embedding import VANISHED

Floats = npt.NDArray[np.float64]

LEAST_SCALE = 0.2  # of the estimate's squared largest dissimilarity: a replicate's never counts as less


def scaled(dissimilarity: Floats, point: Floats) -> Floats:
    """Return replicates (B, n, n) over what they hold for the pairs that are the largest of the estimate (n, n).

    The largest of a replicate would be a second maximum over noise; the same pair carries the uncertainty of the
    scale without it.
    """
    top = float(point.max())
    if top == 0:
        return dissimilarity
    largest = point >= top * (1 - ZERO)
    square = (dissimilarity[:, largest] ** 2).mean(axis=1)
    return np.asarray(dissimilarity / np.sqrt(np.maximum(square, LEAST_SCALE * top**2))[:, None, None])


def unit_grams(dissimilarity: Floats) -> Floats:
    """Return Gram matrices (B, n, n) of dissimilarities that are scaled already."""
    return gram(np.ones(dissimilarity.shape[-1]), dissimilarity, UNIT_SQUARE)


def decompose(grams: Floats) -> tuple[Floats, Floats]:
    """Return eigenvalues (B, n), largest first, and eigenvectors (B, n, n); what rounding leaves of a zero is 0."""
    values, vectors = np.linalg.eigh(grams)
    values, vectors = values[:, ::-1].copy(), vectors[:, :, ::-1]
    values[np.abs(values) <= ZERO * values[:, :1]] = 0.0
    return values, vectors


def coordinates(values: Floats, vectors: Floats, complexity: Floats, kept: int, common: bool) -> Floats:
    """Return locations (B, n, kept): unit directions in the leading dimensions, each at its complexity (B, n).

    An axis of a non-positive eigenvalue has no extent. With ``common`` all tests share the one direction.
    """
    if common:
        return complexity[:, :, None].copy()
    found = vectors[:, :, :kept] * np.sqrt(np.maximum(values[:, None, :kept], 0.0))
    norm = np.linalg.norm(found, axis=2, keepdims=True)
    directions = np.divide(found, norm, out=np.zeros_like(found), where=norm > VANISHED)
    return np.asarray(directions * complexity[:, :, None])


def procrustes(points: Floats, reference: Floats) -> Floats:
    """Return points (B, n, d) turned onto the reference (n, d), each by its best orthogonal rotation."""
    left, _, right = np.linalg.svd(points.transpose(0, 2, 1) @ reference)
    return np.asarray(points @ (left @ right))
