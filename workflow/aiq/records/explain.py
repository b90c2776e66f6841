"""Records of what moves a run's numbers: its choices, one changed at a time, and other runs beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from aiq.records.estimate import Estimate, cells, jsonable, plain
from aiq.records.table import Table, bounds

# ---- One choice changed at a time ----------------------------------------------------------------

LEARNERS = "pool.learners"
"""The choice of who is in the pool: its values count the sizes behind a complexity in numbers of another kind."""


@dataclass(frozen=True, slots=True)
class Change:
    """The largest change of one quantity, and how far its order is kept.

    ``largest``: absolute; of complexities and dissimilarities after division by the largest of the run. ``name``: the
    domain, pair or agent that changes most. ``rank``: Spearman's correlation with the run; None for fewer than three
    values or equal ones. ``outside``: how many values lie outside the run's interval, and of how many; None without
    any.
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
    """One choice (its key by dots) at another ``value`` than its ``usual`` one.

    ``kind``: reduced again from the same trainings; read from a run that was trained for it; refused, with the reason;
    or not trained yet, with what it would cost. Changes of complexities, dissimilarities between domains, ``agents``
    (their headline) and ``volume`` (AIQ per dimension) are None where nothing was computed. ``order``: the agents, best
    first; ``values``: headline by agent. ``core_hours``: of the trainings that it needs, by the cost model; 0 where it
    needs none.
    """

    choice: str
    value: str
    usual: str
    kind: Literal["reduced", "trained", "refused", "untrained"]
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

    @property
    def computed(self) -> bool:
        """Whether there are numbers."""
        return self.complexity is not None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How a run's numbers move with its choices.

    ``dimensions``: of its space; ``order``: its agents, best first; ``values`` and ``intervals``: headline by agent.
    ``tried``: one record per choice and value, in the order of the pipeline.
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
        return tuple(tried for tried in self.tried if tried.computed)

    @property
    def incomparable(self) -> str:
        """What cannot be compared among the numbers, in one sentence; empty where all can."""
        if not any(tried.choice == LEARNERS for tried in self.computed):
            return ""
        return (
            f"{LEARNERS}: learners that are no networks are sized by other numbers than parameters; compare the order "
            "of the complexities and the agents' scores, not complexities in bits"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        numbers = plain(self, "run", "dimensions", "order", "values", "intervals", "confidence")
        return numbers | {"choices": [plain(tried) for tried in self.tried]}

    def table(self) -> Table:
        """Return one row per choice and value."""
        columns = ["choice", "value", "usual", "kind"]
        for quantity in ("complexity", "dissimilarity", "agents", "volume"):
            columns += [f"{quantity}_change", f"{quantity}_of", f"{quantity}_rank", f"{quantity}_outside"]
        columns += ["dimensions", "order", "same_order", "core_hours", "reason"]
        rows = []
        for tried in self.tried:
            cells: list[Any] = [tried.choice, tried.value, tried.usual, tried.kind]
            for change in (tried.complexity, tried.dissimilarity, tried.agents, tried.volume):
                outside = None if change is None or change.outside is None else change.outside[0]
                cells += [None] * 4 if change is None else [change.largest, change.name, change.rank, outside]
            order = " > ".join(tried.order) or None
            rows.append([*cells, tried.dimensions, order, tried.same_order, tried.core_hours, tried.reason or None])
        return Table.of(columns, rows)


# ---- Runs side by side ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """How far a number of a run is from the first run's: this run minus the first.

    ``estimate`` is None where one of the two is not known. ``pairing``: ``paired`` (over the same policies),
    ``independent`` (over policies of their own), ``identical`` (the same trainings: 0, or of the reduction alone), or
    empty.
    """

    estimate: Estimate | None
    pairing: str

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        e = self.estimate
        measured = {"value": None, "interval": None} if e is None else plain(e, "value", "interval")
        return {**measured, "pairing": self.pairing, "method": None if e is None else e.method}


@dataclass(frozen=True, slots=True)
class Compared:
    """One quantity in all runs: ``values`` one a run (None where a run has it not), ``differences`` one a later run.

    ``name``: the domain, the two domains, or the agent. ``ranks``: of an agent, one a run.
    """

    name: tuple[str, ...]
    values: tuple[Estimate | None, ...]
    differences: tuple[Difference, ...]
    ranks: tuple[int | None, ...] = ()

    def as_dict(self, runs: tuple[str, ...]) -> dict[str, Any]:
        """Return a JSON-ready mapping; ``runs`` are the names of the runs."""
        measured = [None if value is None else plain(value, "value", "interval") for value in self.values]
        values = dict(zip(runs, measured, strict=True))
        ranks = {"ranks": dict(zip(runs, self.ranks, strict=True))} if self.ranks else {}
        later = zip(runs[1:], self.differences, strict=True)
        return {"values": values, **ranks, "differences": {run: difference.as_dict() for run, difference in later}}


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Number of dimensions of a run's space, and the share of its replicates by the number that they keep."""

    kept: int
    probabilities: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs side by side; the first is that from which the others differ.

    ``settings``: what differs in them, setting -> one value a run. ``warnings``: sentences that belong beside every
    number of it.
    """

    runs: tuple[str, ...]
    settings: Mapping[str, tuple[Any, ...]]
    complexity: tuple[Compared, ...]
    dissimilarity: tuple[Compared, ...]
    agents: tuple[Compared, ...]
    dimensions: tuple[Dimensions, ...]
    confidence: float
    warnings: tuple[str, ...] = ()

    @property
    def orders(self) -> tuple[tuple[str, ...], ...]:
        """The agents of each run, best first."""
        orders = []
        for run in range(len(self.runs)):
            ranked = [(agent.ranks[run], agent.name[0]) for agent in self.agents]
            orders.append(tuple(name for rank, name in sorted((r, n) for r, n in ranked if r is not None)))
        return tuple(orders)

    def table(self) -> Table:
        """Return one row per quantity and later run: both values and the difference, each with its interval."""
        rows = []
        for what in ("complexity", "dissimilarity", "agents"):
            for row in getattr(self, what):
                for place, run in enumerate(self.runs[1:], start=1):
                    difference = row.differences[place - 1]
                    numbers = cells(row.values[0], row.values[place], difference.estimate)
                    rows.append((what, " – ".join(row.name), self.runs[0], run, *numbers, difference.pairing))
        named = bounds("first", "value", "difference")
        return Table.of(("quantity", "name", "first_run", "run", *named, "pairing"), rows)

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        runs = self.runs
        spaces = [{"value": space.kept, "probabilities": jsonable(space.probabilities)} for space in self.dimensions]
        settings = {name: dict(zip(runs, values, strict=True)) for name, values in self.settings.items()}
        return {
            **plain(self, "runs", "confidence", "warnings"),
            "settings": [{"setting": name, "values": values} for name, values in settings.items()],
            "complexity": [{"domain": row.name[0], **row.as_dict(runs)} for row in self.complexity],
            "dissimilarity": [{"a": row.name[0], "b": row.name[1], **row.as_dict(runs)} for row in self.dissimilarity],
            "dimensions": dict(zip(runs, spaces, strict=True)),
            "agents": [{"agent": row.name[0], **row.as_dict(runs)} for row in self.agents],
            "orders": {run: list(order) for run, order in zip(runs, self.orders, strict=True)},
        }
