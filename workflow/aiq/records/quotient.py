"""Records of the quotient: volumes of hulls, the score of an agent, the scores of several agents."""

from __future__ import annotations

from dataclasses import dataclass

from aiq.records.arrays import Floats, json_number, read_only
from aiq.records.estimate import Estimate


@dataclass(frozen=True, slots=True)
class HullVolume:
    """Volume of the convex hull of points and the origin.

    ``volume`` is measured in the ``dimension`` of the space and is 0 where the points span less;
    ``span_volume`` is the ``rank``-dimensional volume in the space that they do span (the same number where
    rank = dimension; 0 for rank 0). ``vertices`` are row numbers of the points that are vertices.
    ``method``: ``determinant``, ``qhull``, ``length`` (one dimension), ``none`` (no extent), or
    ``sampled`` (an estimate, with its standard error ``error``; exact methods have error 0).
    """

    volume: float
    dimension: int
    rank: int
    span_volume: float
    vertices: tuple[int, ...]
    method: str
    error: float = 0.0

    def __post_init__(self) -> None:
        """Refuse negative volumes and a volume without full rank."""
        if not (self.volume >= 0 and self.span_volume >= 0 and self.error >= 0):
            raise ValueError(f"volumes and errors are at least 0, not {self.volume}, {self.span_volume}, {self.error}")
        if self.rank < self.dimension and self.volume != 0:
            raise ValueError(f"points of rank {self.rank} have no volume in {self.dimension} dimensions")


@dataclass(frozen=True, slots=True)
class AgentScore:
    """The AIQ of one agent.

    ``volume``: AIQ (Eq. 14). ``relative``: volume over that of an agent at performance 1 everywhere.
    ``per_dimension``: relative^(1/d). ``mean``: the mean performance over domains. ``rank``: 1 is best by
    volume, equal volumes share a rank. ``vertices``: the domains on the agent's hull. ``losses`` (one a
    domain, in the order of the domains): the volume lost when that domain is left out, None above the
    facet budget. ``hull``: how the volume was found; its ``span_volume`` is the volume in the agent's own
    span where that has fewer dimensions than the space.
    """

    agent: str
    volume: Estimate
    relative: Estimate
    per_dimension: Estimate
    mean: Estimate
    rank: int
    vertices: tuple[str, ...]
    losses: tuple[float, ...] | None
    hull: HullVolume

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping; ``interval`` is that of ``volume``."""
        return {
            "agent": self.agent,
            "volume": self.volume.value,
            "relative": self.relative.value,
            "per_dimension": self.per_dimension.value,
            "mean": self.mean.value,
            "rank": self.rank,
            "interval": _pair(self.volume),
            "relative_interval": _pair(self.relative),
            "per_dimension_interval": _pair(self.per_dimension),
            "mean_interval": _pair(self.mean),
            "vertices": list(self.vertices),
            "losses": None if self.losses is None else list(self.losses),
            "span_dimension": self.hull.rank,
            "span_volume": self.hull.span_volume,
            "method": self.hull.method,
            "error": self.hull.error,
        }


def _pair(estimate: Estimate) -> list[float] | None:
    return None if estimate.interval is None else list(estimate.interval)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The AIQ of A agents over one suite, best first.

    ``order_probabilities`` (A, A): P[i, j] = share of the bootstrap in which agent i (as listed) has more
    volume than agent j, ties half, over the replicates in which the suite has volume; None without bootstrap.
    ``suite``: hull of an agent at performance 1 everywhere; ``suite_losses``: what each domain is worth to the
    suite, in volume. ``replicates``: used; ``replicates_given``: offered; ``replicates_flat``: used ones in which
    the suite itself had no volume, so that there is no relative score.
    """

    domains: tuple[str, ...]
    dimensions: int
    agents: tuple[AgentScore, ...]
    order_probabilities: Floats | None
    suite: HullVolume
    suite_vertices: tuple[str, ...]
    suite_losses: tuple[float, ...] | None
    replicates: int
    replicates_given: int
    replicates_flat: int
    method: str
    seed: int

    def __post_init__(self) -> None:
        """Refuse agents that are not in order; make the probabilities read-only."""
        if any(a.rank > b.rank for a, b in zip(self.agents, self.agents[1:], strict=False)):
            raise ValueError("agents must be listed best first")
        if self.order_probabilities is not None:
            object.__setattr__(self, "order_probabilities", read_only(self.order_probabilities))

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping of all scores."""
        table = self.order_probabilities
        return {
            "agents": [agent.as_dict() for agent in self.agents],
            "dimensions": self.dimensions,
            "domains": list(self.domains),
            "order_probabilities": None if table is None else [[json_number(x) for x in row] for row in table],
            "suite": {
                "volume": self.suite.volume,
                "vertices": list(self.suite_vertices),
                "losses": None if self.suite_losses is None else list(self.suite_losses),
                "method": self.suite.method,
                "error": self.suite.error,
            },
            "replicates": self.replicates,
            "replicates_given": self.replicates_given,
            "replicates_flat": self.replicates_flat,
            "method": self.method,
            "seed": self.seed,
        }
