"""Tests of a suite by where they lie: names, dissimilarities of points, of strangers, and drawn ones."""

import numpy as np


def names(n):
    return [f"d{i}" for i in range(n)]


def angular(points):
    """Dissimilarities of tests in these directions, scaled so that a right angle is 1."""
    unit = points / np.linalg.norm(points, axis=1)[:, None]
    d = np.sqrt(np.maximum(1 - unit @ unit.T, 0))
    np.fill_diagonal(d, 0)
    return d


def in_plane(angles):
    return angular(np.stack([np.cos(angles), np.sin(angles)], axis=1))


def scattered(rng, n, low):
    """Symmetric dissimilarities of n tests, drawn evenly from ``low`` to 1."""
    d = np.triu(rng.uniform(low, 1, (n, n)), 1)
    return d + d.T
