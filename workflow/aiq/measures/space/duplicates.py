"""Tests that the noise floor cannot tell apart, and one direction for all of them (section 3.3.3).

Two entries of one test are measured against every other test with independent errors, and these errors would part
them: with complexities near 1 the wedge between two copies encloses more volume than a real but easy test. Tests
whose dissimilarity is no larger than that of a test with itself therefore share the mean of their dissimilarities.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from aiq.measures.space.dimensions import QUANTILE, floor_draws
from aiq.seeding import generator

Floats = npt.NDArray[np.float64]


def groups(dissimilarity: Floats, floors: Floats, replicates: Floats | None, seed: int) -> npt.NDArray[np.int64]:
    """Return a group number for each test, shape (n,).

    All pairs within a group (complete linkage) lie below the 95 % quantile of a further self-dissimilarity.

    Args:
        dissimilarity: symmetric, zero diagonal, (n, n).
        floors: measured self-dissimilarities in the same unit, (k,); none of them known: no groups.
        replicates: their bootstrap replicates (B, k), or None.
        seed: root seed.
    """
    n = dissimilarity.shape[0]
    if n < 2 or floors.size == 0:
        return np.arange(n)
    draws = floor_draws(floors, replicates, 2, generator(seed, "space", "duplicates"))[:, 0, 1]
    tree = linkage(squareform(dissimilarity, checks=False), "complete")
    return np.asarray(fcluster(tree, np.quantile(draws, QUANTILE), "distance"), dtype=np.int64)


def shared(dissimilarity: Floats, group: npt.NDArray[np.int64]) -> Floats:
    """Return dissimilarities (..., n, n) averaged over the members of each group, 0 within a group."""
    same = group[:, None] == group[None, :]
    if same.sum() == group.size:
        return dissimilarity
    mean = same / same.sum(axis=1, keepdims=True)
    return np.where(same, 0.0, mean @ dissimilarity @ mean.T)
