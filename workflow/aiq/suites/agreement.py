"""Distances between tests by how agents agree on them. Not the dissimilarities of the paper, which need training."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.suites.redundancy import correlations

Floats = npt.NDArray[np.float64]

NOT_THE_PAPERS = (
    "distances by agreement of agents, not the paper's dissimilarities: they say how alike these agents do on two "
    "tests, not what training on both together costs; no space and no AIQ is made from them"
)


MOST = 2_000
"""Tests up to which all their pairs are looked at: agreement, redundancy, what can go. Their cost is the square."""


def distances(scores: Floats) -> Floats:
    """Return the distance of every two tests by agreement of agents, (T, T), in [0, 2]; NaN where it cannot be had.

    1 - Pearson's correlation over the agents that have both: 0 where agents differ alike on both, 1 where the one says
    nothing of the other, 2 where the better are the worse. The diagonal is 0.

    Args:
        scores: (A, T), NaN where missing.
    """
    there = ~np.isnan(scores)
    mean = np.where(there, scores, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    found, _ = correlations(np.where(there, scores - mean, 0.0), there.astype(np.float64))
    found = 1 - found
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)
