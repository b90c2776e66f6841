"""Tests as points whose distances are their dissimilarities 1 - S (Fig. 4 of the 2020 paper), with their stress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from aiq.errors import InputError
from aiq.records.estimate import Floats

STARTS = 40


@dataclass(frozen=True, eq=False)
class Embedding:
    """Points (n, 2), centred, along principal axes, whose distances approximate dissimilarities δ.

    ``asked``: δ, (n, n), NaN where unknown. ``pairs``: number of known ones. ``stress``: Kruskal's stress-1, the root
    of Σ(d - δ)² / Σd² over the known pairs; 0 is a perfect fit.
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
    centred and turned to its principal axes; reflections are settled by the first point's signs. ``dissimilarity``: δ,
    (n, n), symmetric, NaN where unknown, but not of a whole point; the diagonal is not read.
    """
    asked = np.array(dissimilarity, np.float64)
    n = len(names)
    np.fill_diagonal(asked, np.nan)
    if (asked < 0).any():
        raise InputError("dissimilarities must be symmetric and 0 or more; |S| above 1 has none")
    rows, columns = np.nonzero(np.triu(np.isfinite(asked), 1))
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
    largest = np.argsort(values)[::-1][:2]
    return np.asarray(vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0.0)))


def _turned(points: Floats) -> Floats:
    """Return points about their centre, along their principal axes, the largest coordinate of each axis positive."""
    centred = points - points.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    signs = np.sign(turned[np.abs(turned).argmax(axis=0), [0, 1]])
    return np.asarray(turned * np.where(signs == 0, 1.0, signs))
