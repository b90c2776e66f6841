"""Dissimilarities 1 - S of tests as distances of points (Fig. 4 of the 2020 paper), with their stress."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from aiq.errors import InputError
from aiq.records.arrays import Floats
from aiq.wings.similarity2020.records import Embedding

STARTS = 40


def embed(names: Sequence[str], dissimilarity: npt.ArrayLike, *, dimensions: int = 2, seed: int = 0) -> Embedding:
    """Place points so that the sum of (d - δ)² over the known pairs is least.

    The least squares are sought from the classical solution and from random ones; the best is kept. The result is
    centred and turned to its principal axes; reflections are settled by the first point's signs.

    Args:
        names: of the n points.
        dissimilarity: δ, (n, n), symmetric, 0 or more, NaN where unknown; the diagonal is not read.
        dimensions: of the space, 1 or more.
        seed: of the random starts.

    Raises:
        InputError: fewer than two names, a matrix of another shape, negative or unsymmetric dissimilarities, or a
            point none of whose dissimilarities is known.
    """
    asked = np.array(dissimilarity, np.float64)
    n = len(names)
    if n < 2 or asked.shape != (n, n) or dimensions < 1:
        raise InputError(f"{n} tests with dissimilarities of shape {asked.shape} cannot be placed in {dimensions} axes")
    np.fill_diagonal(asked, np.nan)
    if not np.allclose(asked, asked.T, equal_nan=True) or (asked < 0).any():
        raise InputError("dissimilarities must be symmetric and 0 or more; |S| above 1 has none")
    rows, columns = np.nonzero(np.triu(np.isfinite(asked), 1))
    lonely = [name for k, name in enumerate(names) if not np.isfinite(asked[k]).any()]
    if lonely:
        raise InputError(f"no dissimilarity of {', '.join(lonely)} is known, so it has no place; leave it out")
    target = asked[rows, columns]

    def misfit(flat: Floats) -> tuple[float, Floats]:
        """Return the squares and their gradient."""
        points = flat.reshape(n, dimensions)
        apart = points[rows] - points[columns]
        distance = np.sqrt((apart**2).sum(axis=1))
        rest = distance - target
        slope = (2 * rest / np.maximum(distance, 1e-12))[:, None] * apart
        gradient = np.zeros_like(points)
        np.add.at(gradient, rows, slope)
        np.subtract.at(gradient, columns, slope)
        return float((rest**2).sum()), gradient.ravel()

    rng = np.random.default_rng(seed)
    size = max(float(target.max()), 1e-12)
    starts = [_classical(asked, dimensions, target), *rng.normal(0, size, (STARTS, n, dimensions))]
    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-12}
    runs = [minimize(misfit, s.ravel(), jac=True, method="L-BFGS-B", options=options) for s in starts]
    best = min(runs, key=lambda run: run.fun)
    points = _turned(best.x.reshape(n, dimensions))
    distance = np.sqrt(((points[rows] - points[columns]) ** 2).sum(axis=1))
    total = float((distance**2).sum())
    stress = float(np.sqrt(((distance - target) ** 2).sum() / total)) if total > 0 else 0.0
    return Embedding(tuple(names), points, stress, asked, len(target))


def _classical(asked: Floats, dimensions: int, target: Floats) -> Floats:
    """Return Torgerson's solution, unknown pairs taken as the mean."""
    squares = np.where(np.isfinite(asked), asked, target.mean()) ** 2
    np.fill_diagonal(squares, 0.0)
    centre = np.eye(len(asked)) - 1 / len(asked)
    values, vectors = np.linalg.eigh(-centre @ squares @ centre / 2)
    kept = [k for k in np.argsort(values)[::-1][:dimensions] if values[k] > 0]
    found = np.zeros((len(asked), dimensions))
    found[:, : len(kept)] = vectors[:, kept] * np.sqrt(values[kept])
    return found


def _turned(points: Floats) -> Floats:
    """Return points about their centre, along their principal axes, the largest coordinate of each axis positive."""
    centred = points - points.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T if len(points) > 1 else centred
    found = np.zeros_like(points)
    found[:, : turned.shape[1]] = turned
    largest = np.abs(found).argmax(axis=0)
    signs = np.sign(found[largest, np.arange(found.shape[1])])
    return np.asarray(found * np.where(signs == 0, 1.0, signs))
