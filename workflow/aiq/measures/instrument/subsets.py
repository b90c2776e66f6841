"""AIQ of agents on a part of a suite: the tests stay where the whole suite put them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq.measures.quotient import hull, hull_stack
from aiq.measures.quotient.hull_budget import Budget
from aiq.measures.tolerance import ZERO
from aiq.seeding import generator

Floats = npt.NDArray[np.float64]


def values(points: Floats, performance: Floats, tests: Sequence[int], budget: Budget | None = None) -> Floats:
    """Return AIQ per dimension on some of the tests, (B, A), in the dimensions that these tests span.

    The tests that are left out lie at the origin. Where the rest spans r dimensions, this is the volume of the agent
    over that of an agent at performance 1 everywhere, both r-dimensional, to the power 1 / r. NaN where r is 0.

    Args:
        points: places of n tests in d dimensions, (B, n, d).
        performance: in [0, 1], (B, A, n).
        tests: row numbers of the tests that are kept, at least one.
        budget: guards of hulls that are too large to be listed.
    """
    kept = list(tests)
    left, singular, _ = np.linalg.svd(points[:, kept], full_matrices=False)
    rank = (singular > ZERO * singular[:, :1]).sum(axis=1) * (singular[:, 0] > 0)
    scale = performance[:, :, kept]
    whole = np.concatenate([scale, np.ones((len(scale), 1, len(kept)))], axis=1)
    out = np.full(scale.shape[:2], np.nan)
    for r in (int(r) for r in np.unique(rank) if r > 0):
        rows = rank == r
        found = volumes(left[rows][:, :, :r], whole[rows], budget)
        suite = found[:, -1:]
        share = np.divide(found[:, :-1], suite, out=np.full_like(found[:, :-1], np.nan), where=suite > 0)
        out[rows] = np.minimum(share, 1.0) ** (1 / r)
    return out


def volumes(points: Floats, performance: Floats, budget: Budget | None = None) -> Floats:
    """Return volumes of conv({0} and v_i p_i) over the largest of each row, (B, A); only their ratios are meant.

    Args:
        points: places of n tests, (B, n, d).
        performance: v, (B, A, n).
        budget: guards of hulls that are too large to be listed.
    """
    if hull_stack.fits(*points.shape[1:]):
        logs = hull_stack.log_volumes(points, performance)
    else:
        logs = np.empty(performance.shape[:2])
        for b, (where, rows) in enumerate(zip(points, performance, strict=True)):
            for a, row in enumerate(rows):
                rng = generator(0, "instrument", "hull", b, a)
                logs[b, a] = hull.volume(where * row[:, None], budget, rng).log_volume
    largest = logs.max(axis=1, keepdims=True)
    return np.asarray(np.exp(logs - np.where(np.isfinite(largest), largest, 0.0)))
