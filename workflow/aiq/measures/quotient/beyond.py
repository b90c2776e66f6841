"""What AIQ adds to plain performances: where it is their geometric mean, and how far it departs from it elsewhere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.measures.quotient.bootstrap import FEWEST, Replicates
from aiq.records.estimate import Estimate
from aiq.records.quotient import Beyond, HullVolume
from aiq.stats import percentile_interval

Floats = npt.NDArray[np.float64]

FEWEST_AGENTS = 3  # two agents are always on one line
_FLAT = 1e-12


def is_simplex(suite: HullVolume, agents: list[HullVolume]) -> bool:
    """Whether suite and agents have the same d vertices: relative AIQ is then a product of performances."""
    corners = set(suite.vertices)
    own = [set(hull.vertices) for hull in agents if hull.rank == hull.dimension]
    return len(corners) == suite.dimension == suite.rank and all(one == corners for one in own)


def geometric_means(performance: Floats) -> Floats:
    """Return geometric means over the last axis; 0 where a performance is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.log(performance).mean(axis=-1)))


def beyond(
    per_dimension: Floats, table: Floats, boot: Replicates | None, confidence: float, seed: int
) -> Beyond | None:
    """Return how much of the agents' differences the geometric mean leaves unexplained; None for fewer than 3 agents.

    Args:
        per_dimension: AIQ per dimension, (A,).
        table: performances, (A, n).
        boot: replicates, for the intervals.
        confidence: of the percentile intervals.
        seed: root seed, for the record.
    """
    count = per_dimension.size
    if count < FEWEST_AGENTS:
        return None
    rank, residual = _compare(per_dimension[None], geometric_means(table)[None])
    ranks = residuals = None
    if boot is not None and boot.used >= FEWEST:
        solid = boot.solid
        ranks, residuals = _compare(boot.per_dimension[solid], geometric_means(boot.performance[solid]))

    def estimate(value: float, series: Floats | None, how: str) -> Estimate:
        interval = None if series is None else percentile_interval(series, confidence)
        return Estimate(value, interval, count, how, seed, confidence)

    return Beyond(
        estimate(float(rank[0]), ranks, "rank correlation of AIQ per dimension and geometric mean over the agents"),
        estimate(float(residual[0]), residuals, "1 - squared correlation of AIQ per dimension and geometric mean"),
    )


def _compare(values: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Return rank correlations and residual shares of rows (B, A); rows without differences correlate by 1."""
    return _correlation(_ranks(values), _ranks(other)), 1 - _correlation(values, other) ** 2


def _ranks(values: Floats) -> Floats:
    """Return midranks within each row; differences of 1e-9 are ties."""
    rounded = np.round(values, 9)
    above = (rounded[:, :, None] > rounded[:, None, :]).sum(axis=2)
    equal = (rounded[:, :, None] == rounded[:, None, :]).sum(axis=2)
    return np.asarray(above + (equal - 1) / 2, dtype=np.float64)


def _correlation(first: Floats, second: Floats) -> Floats:
    """Return Pearson's correlation of rows (B, A); 1 where one of them does not vary."""
    x, y = (part - part.mean(axis=1, keepdims=True) for part in (first, second))
    size = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    flat = size <= _FLAT
    return np.clip(np.where(flat, 1.0, (x * y).sum(axis=1) / np.where(flat, 1.0, size)), -1.0, 1.0)
