"""Record of several runs compared: their numbers side by side, and how far each differs from the first run's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiq.records.arrays import jsonable, plain
from aiq.records.estimate import Estimate, cells
from aiq.records.table import Table, bounds

PAIRING = ("paired", "independent", "identical", "")
"""How a difference was taken: over the same policies, over policies of their own, of the very same trainings (then it
is 0 or comes from the reduction alone), or not at all."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How far a number of a run is from the first run's: this run minus the first.

    ``estimate`` is None where one of the two is not known; ``pairing`` is one of ``PAIRING``.
    """

    estimate: Estimate | None
    pairing: str

    def __post_init__(self) -> None:
        if self.pairing not in PAIRING:
            raise ValueError(f"unknown pairing {self.pairing!r}")

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

    def __post_init__(self) -> None:
        if len(self.differences) != len(self.values) - 1:
            raise ValueError(f"{len(self.values)} runs have {len(self.values) - 1} differences from the first")

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
            ranked = [(one.ranks[run], one.name[0]) for one in self.agents]
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
        spaces = [{"value": one.kept, "probabilities": jsonable(one.probabilities)} for one in self.dimensions]
        return {
            "runs": list(runs),
            "settings": [
                {"setting": name, "values": dict(zip(runs, values, strict=True))}
                for name, values in self.settings.items()
            ],
            "complexity": [{"domain": one.name[0], **one.as_dict(runs)} for one in self.complexity],
            "dissimilarity": [{"a": one.name[0], "b": one.name[1], **one.as_dict(runs)} for one in self.dissimilarity],
            "dimensions": dict(zip(runs, spaces, strict=True)),
            "agents": [{"agent": one.name[0], **one.as_dict(runs)} for one in self.agents],
            "orders": {run: list(order) for run, order in zip(runs, self.orders, strict=True)},
            "confidence": self.confidence,
            "warnings": list(self.warnings),
        }
