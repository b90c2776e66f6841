"""Is one score more nearly linear in the number of nodes than another? A statistic without the noise, and its interval.

The departure from a line is the share of a score's spread over the widths that its least-squares line leaves,
1 − R², so that scores of different units compare. Noise of the score adds to both parts of that ratio and is taken off:

    departure = (RSS − tr(M Σ)) / (TSS − tr(J Σ)),   M = I − H, J = I − 11ᵀ/k, Σ the covariance of the score's errors

It is taken over each depth by itself and averaged. The difference of two scores' departures is what the question asks
for; its interval is that of the draws of both, which hold the noise twice, so that 2 tr is taken off them. How often the
interval misses is measured in ``studies/linearity.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aiq.records.arrays import Floats

Group = tuple[Sequence[float], Sequence[int]]
"""Numbers of nodes, and the places of the agents that have them."""


def departure(x: Sequence[float], values: Floats, covariance: Floats, times: float = 1.0) -> Floats:
    """Return the share of the spread that a straight line leaves, without that of the noise.

    Args:
        x: (k,) numbers of nodes, at least three different ones.
        values: (B, k) scores.
        covariance: (k, k) of their errors.
        times: how often the noise is in them: 1 of measured scores, 2 of draws about them.

    Returns:
        (B,); NaN where the spread is no larger than the noise.
    """
    at = np.asarray(x, dtype=np.float64)
    if np.unique(at).size < 3:
        raise ValueError("a departure from a line needs three numbers of nodes")
    basis = np.vander(at - at.mean(), 2)
    line = np.eye(at.size) - basis @ np.linalg.pinv(basis)
    mean = np.eye(at.size) - 1 / at.size
    left = np.einsum("bi,ij,bj->b", values, line, values) - times * np.trace(line @ covariance)
    spread = np.einsum("bi,ij,bj->b", values, mean, values) - times * np.trace(mean @ covariance)
    return np.asarray(np.divide(left, spread, out=np.full(len(values), np.nan), where=spread > 0))


def difference(
    groups: Sequence[Group], first: Floats, second: Floats, first_draws: Floats, second_draws: Floats
) -> tuple[float, Floats]:
    """Return by how much the first score departs more from a line than the second, and draws of that.

    Args:
        groups: one a depth, each with three different numbers of nodes or more.
        first: (A,) scores of all agents.
        second: the same.
        first_draws: (B, A).
        second_draws: (B, A), drawn together with the first.

    Returns:
        The difference, positive where the second is more nearly linear, and its draws (B,), those that are finite.
    """
    found, drawn = 0.0, np.zeros(len(first_draws))
    for x, places in groups:
        at = list(places)
        for sign, values, draws in ((1.0, first, first_draws), (-1.0, second, second_draws)):
            kept = draws[:, at]
            covariance = np.atleast_2d(np.cov(kept[np.isfinite(kept).all(axis=1)].T))
            found += sign * float(departure(x, values[None, at], covariance)[0]) / len(groups)
            drawn += sign * departure(x, kept, covariance, times=2.0) / len(groups)
    return found, drawn[np.isfinite(drawn)]
