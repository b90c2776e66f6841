"""What each test is worth to a suite: the share of the suite's volume that goes with it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.measures.instrument.subsets import volumes
from aiq.measures.quotient.hull_budget import Budget

Floats = npt.NDArray[np.float64]


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
