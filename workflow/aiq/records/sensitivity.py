"""Record of how the numbers of a run move with each of its choices, one choice changed at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiq.records.arrays import plain
from aiq.records.table import Table

KINDS = ("reduced", "trained", "refused", "untrained")
"""What became of a choice: reduced again from the same trainings; read from a run that was trained for it; refused,
with the reason; or not trained yet, with what it would cost."""

LEARNERS = "pool.learners"
"""The choice of who is in the pool: its values count the sizes behind a complexity in numbers of another kind."""


@dataclass(frozen=True, slots=True)
class Change:
    """The largest change of one quantity, and how far its order is kept.

    Attributes:
        largest: largest absolute change; of complexities and dissimilarities after division by the largest of the run.
        name: the domain, pair or agent that changes most.
        rank: Spearman's rank correlation with the run; None for fewer than three values or equal ones.
        outside: how many values lie outside the run's interval, and of how many; None where there are no intervals.
    """

    largest: float
    name: str
    rank: float | None
    outside: tuple[int, int] | None

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        outside, of = (None, None) if self.outside is None else self.outside
        return plain(self, "largest", "name", "rank") | {"outside": outside, "of": of}


@dataclass(frozen=True, slots=True)
class Tried:
    """One choice at another value.

    Attributes:
        choice: its key by dots, as in the configuration.
        value: what it was set to.
        usual: what it is in the run.
        kind: one of ``KINDS``.
        complexity: change of the complexities; None where nothing was computed.
        dissimilarity: change of the dissimilarities between domains.
        dimensions: of the space.
        agents: change of the headline; None where nobody is scored.
        order: the agents, best first.
        same_order: whether this is the order of the run.
        values: headline by agent.
        core_hours: of the trainings that the choice needs, by the cost model; 0 where it needs none.
        reason: why it was refused.
        volume: change of AIQ per dimension.
    """

    choice: str
    value: str
    usual: str
    kind: str
    complexity: Change | None = None
    dissimilarity: Change | None = None
    dimensions: int | None = None
    agents: Change | None = None
    order: tuple[str, ...] = ()
    same_order: bool | None = None
    values: Mapping[str, float] | None = None
    core_hours: float = 0.0
    reason: str = ""
    volume: Change | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind {self.kind!r}")

    @property
    def computed(self) -> bool:
        """Whether there are numbers."""
        return self.complexity is not None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How a run's numbers move with its choices.

    Attributes:
        run: its name.
        dimensions: of its space.
        order: its agents, best first.
        values: headline by agent.
        intervals: intervals of these; None where there is none.
        confidence: of the intervals.
        tried: one record per choice and value, in the order of the pipeline.
    """

    run: str
    dimensions: int
    order: tuple[str, ...]
    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float] | None]
    confidence: float
    tried: tuple[Tried, ...]

    @property
    def computed(self) -> tuple[Tried, ...]:
        """The choices with numbers."""
        return tuple(one for one in self.tried if one.computed)

    @property
    def incomparable(self) -> str:
        """What cannot be compared among the numbers, in one sentence; empty where all can."""
        if not any(one.choice == LEARNERS for one in self.computed):
            return ""
        return (
            f"{LEARNERS}: learners that are no networks are sized by other numbers than parameters; compare the order "
            "of the complexities and the agents' scores, not complexities in bits"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        numbers = plain(self, "run", "dimensions", "order", "values", "intervals", "confidence")
        return numbers | {"choices": [plain(one) for one in self.tried]}

    def table(self) -> Table:
        """Return one row per choice and value."""
        columns = ["choice", "value", "usual", "kind"]
        for quantity in ("complexity", "dissimilarity", "agents", "volume"):
            columns += [f"{quantity}_change", f"{quantity}_of", f"{quantity}_rank", f"{quantity}_outside"]
        columns += ["dimensions", "order", "same_order", "core_hours", "reason"]
        rows = []
        for one in self.tried:
            cells: list[Any] = [one.choice, one.value, one.usual, one.kind]
            for change in (one.complexity, one.dissimilarity, one.agents, one.volume):
                outside = None if change is None or change.outside is None else change.outside[0]
                cells += [None] * 4 if change is None else [change.largest, change.name, change.rank, outside]
            order = " > ".join(one.order) or None
            rows.append([*cells, one.dimensions, order, one.same_order, one.core_hours, one.reason or None])
        return Table.of(columns, rows)
