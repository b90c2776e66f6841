"""Record of where the uncertainty of the agents' scores comes from, and what would make it smaller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiq.records.table import Table

SOURCES = ("pool", "ends", "mixtures", "agents", "dimensions")
"""The trials of the pool; the domains trained alone, at the ends of the mixture curves; the mixtures; the trainings of
the agents; and the number of dimensions, which is itself an estimate."""


@dataclass(frozen=True, slots=True)
class AgentVariance:
    """How wide an agent's interval is, and how wide it would be were one source known exactly.

    ``half`` is half the interval of AIQ per dimension; ``without`` the same by source.
    """

    agent: str
    value: float
    half: float
    without: Mapping[str, float]

    def share(self, source: str) -> float:
        """Return the share of the squared half-width that goes when a source is known; NaN where there is none."""
        return 1 - (self.without[source] / self.half) ** 2 if self.half > 0 else float("nan")


@dataclass(frozen=True, slots=True)
class Advice:
    """What doubling one number would buy.

    ``key`` is set from ``now`` to ``then``; ``half`` is the predicted mean half-width over agents (it was ``before``);
    ``core_hours`` by the cost model.
    """

    source: str
    key: str
    now: int
    then: int
    before: float
    half: float
    core_hours: float

    @property
    def gain(self) -> float:
        """Return by how much the mean half-width falls per core-hour."""
        return (self.before - self.half) / self.core_hours if self.core_hours > 0 else float("inf")

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {
            "source": self.source, "key": self.key, "now": self.now, "then": self.then, "before": self.before,
            "half_width": self.half, "core_hours": self.core_hours,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Variances:
    """The uncertainty of a run's scores by source, and advice, the best per core-hour first."""

    run: str
    confidence: float
    agents: tuple[AgentVariance, ...]
    advice: tuple[Advice, ...]

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of this run."""
        return tuple(self.agents[0].without)

    def mean(self, source: str) -> float:
        """Return a source's share of the squared half-widths of all agents together."""
        whole = sum(one.half**2 for one in self.agents)
        left = sum(one.without[source] ** 2 for one in self.agents)
        return 1 - left / whole if whole > 0 else float("nan")

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {
            "run": self.run,
            "confidence": self.confidence,
            "sources": {source: self.mean(source) for source in self.sources},
            "agents": [
                {"agent": one.agent, "value": one.value, "half_width": one.half, "without": dict(one.without)}
                for one in self.agents
            ],
            "advice": [one.as_dict() for one in self.advice],
        }

    def table(self) -> Table:
        """Return one row per agent."""
        columns = ["agent", "per_dimension", "half_width", *(f"without_{source}" for source in self.sources)]
        return Table.of(
            columns, [[one.agent, one.value, one.half, *one.without.values()] for one in self.agents]
        )  # fmt: skip
