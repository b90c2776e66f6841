"""What each test is worth to a suite: the share of the suite's volume that goes with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq.measures.instrument.subsets import volumes
from aiq.measures.quotient.hull_budget import Budget

Floats = npt.NDArray[np.float64]

NEARLY = 0.99  # cosine from which two tests of a replicate may be one
OFTEN = 0.05  # share of the replicates in which they must be so near


def worths(points: Floats, budget: Budget | None = None) -> Floats:
    """Return 1 - V(without the test) / V(all tests), (B, n), in [0, 1].

    0: the test lies inside the hull of the others and the empty test; 1: without it the suite has no volume in these
    dimensions. NaN where the suite itself has none. Worths do not add up: of two copies each is worth 0.

    Args:
        points: places of n tests in d dimensions, (B, n, d).
        budget: guards of hulls that are too large to be listed.
    """
    n = points.shape[1]
    masks = np.concatenate([np.ones((1, n)), 1 - np.eye(n)])
    found = volumes(points, np.broadcast_to(masks, (len(points), n + 1, n)), budget)
    whole = found[:, :1]
    kept = np.divide(found[:, 1:], whole, out=np.full_like(found[:, 1:], np.nan), where=whole > 0)
    lost = 1 - kept
    return np.asarray(np.clip(np.where(np.abs(lost) < 1e-7, 0.0, lost), 0.0, 1.0))


def copies(steps: Sequence[Floats]) -> npt.NDArray[np.bool_]:
    """Return which tests may be copies of which, (n, n): replicates often hold both in nearly one direction.

    Noise lets now the one, now the other of two copies stand out of the hull, so worths that are 0 lie above 0 in
    most replicates. Replicates in one dimension say nothing of directions and are left out.

    Args:
        steps: places of n tests in replicates, arrays (b, n, d) that may differ in d; at least one.
    """
    n = steps[0].shape[1]
    near = [np.zeros((0, n, n), dtype=bool)]
    for points in steps:
        if points.shape[2] > 1:
            length = np.linalg.norm(points, axis=2, keepdims=True)
            units = np.divide(points, length, out=np.zeros_like(points), where=length > 0)
            near.append(units @ units.transpose(0, 2, 1) > NEARLY)
    counted = np.concatenate(near)
    found = counted.sum(axis=0) >= max(OFTEN * len(counted), 1)
    np.fill_diagonal(found, False)
    return np.asarray(found)
