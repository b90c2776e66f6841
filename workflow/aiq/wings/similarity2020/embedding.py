"""Tests as points whose distances are their dissimilarities 1 - S (Fig. 4 of the 2020 paper), with their stress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from aiq.errors import InputError
from aiq.records.arrays import Floats

STARTS = 40


@dataclass(frozen=True, eq=False)
class Embedding:
    """Points whose distances approximate dissimilarities.

    Attributes:
        names: of the n points.
        coordinates: (n, 2), centred, along principal axes.
        stress: Kruskal's stress-1, the root of Σ(d - δ)² / Σd² over the known pairs; 0 is a perfect fit.
        asked: δ, (n, n), NaN where unknown.
        pairs: number of known pairs.
    """

    names: tuple[str, ...]
    coordinates: Floats
    stress: float
    asked: Floats
    pairs: int

    @property
    def distances(self) -> Floats:
        """d, (n, n)."""
        difference = self.coordinates[:, None] - self.coordinates[None]
        return np.asarray(np.sqrt((difference**2).sum(axis=2)))


def embed(names: Sequence[str], dissimilarity: npt.ArrayLike, *, seed: int = 0) -> Embedding:
    """Place points in the plane so that the sum of (d - δ)² over the known pairs is least.

    The least squares are sought from the classical solution and from random ones; the best is kept. The result is
    centred and turned to its principal axes; reflections are settled by the first point's signs.

    Args:
        names: of the n points.
        dissimilarity: δ, (n, n), symmetric, 0 or more, NaN where unknown; the diagonal is not read.
        seed: of the random starts.

    Raises:
        InputError: fewer than two names, a matrix of another shape, negative or unsymmetric dissimilarities, or a
            point none of whose dissimilarities is known.
    """
    asked = np.array(dissimilarity, np.float64)
    n = len(names)
    if n < 2 or asked.shape != (n, n):
        raise InputError(f"{n} tests with dissimilarities of shape {asked.shape} cannot be placed in 2 axes")
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
        points = flat.reshape(n, 2)
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
    starts = [_classical(asked, target), *rng.normal(0, size, (STARTS, n, 2))]
    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-12}
    runs = [minimize(misfit, s.ravel(), jac=True, method="L-BFGS-B", options=options) for s in starts]
    best = min(runs, key=lambda run: run.fun)
    points = _turned(best.x.reshape(n, 2))
    distance = np.sqrt(((points[rows] - points[columns]) ** 2).sum(axis=1))
    total = float((distance**2).sum())
    stress = float(np.sqrt(((distance - target) ** 2).sum() / total)) if total > 0 else 0.0
    return Embedding(tuple(names), points, stress, asked, len(target))


def _classical(asked: Floats, target: Floats) -> Floats:
    squares = np.where(np.isfinite(asked), asked, target.mean()) ** 2
    np.fill_diagonal(squares, 0.0)
    centre = np.eye(len(asked)) - 1 / len(asked)
    values, vectors = np.linalg.eigh(-centre @ squares @ centre / 2)
    kept = [k for k in np.argsort(values)[::-1][:2] if values[k] > 0]
    points = np.zeros((len(asked), 2))
    points[:, : len(kept)] = vectors[:, kept] * np.sqrt(values[kept])
    return points


def _turned(points: Floats) -> Floats:
    """Return points about their centre, along their principal axes, the largest coordinate of each axis positive."""
    centred = points - points.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T if len(points) > 1 else centred
    full = np.zeros_like(points)
    full[:, : turned.shape[1]] = turned
    largest = np.abs(full).argmax(axis=0)
    signs = np.sign(full[largest, np.arange(full.shape[1])])
    return np.asarray(full * np.where(signs == 0, 1.0, signs))
