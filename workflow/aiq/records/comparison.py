"""Records of comparisons: of several runs, side by side, and of our numbers with baselines that people know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aiq.records.arrays import Floats, jsonable, plain
from aiq.records.estimate import Estimate, cells
from aiq.records.table import Cell, Table, bounds

# ---- Runs ----------------------------------------------------------------------------------------


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
        return {
            "runs": list(runs),
            "settings": [
                {"setting": name, "values": dict(zip(runs, values, strict=True))}
                for name, values in self.settings.items()
            ],
            "complexity": [{"domain": row.name[0], **row.as_dict(runs)} for row in self.complexity],
            "dissimilarity": [{"a": row.name[0], "b": row.name[1], **row.as_dict(runs)} for row in self.dissimilarity],
            "dimensions": dict(zip(runs, spaces, strict=True)),
            "agents": [{"agent": row.name[0], **row.as_dict(runs)} for row in self.agents],
            "orders": {run: list(order) for run, order in zip(runs, self.orders, strict=True)},
            "confidence": self.confidence,
            "warnings": list(self.warnings),
        }


# ---- Baselines that people know: what they say of domains and pairs, and how they rank them beside ours -----


COLUMNS = ("of", "ours", "baseline", *bounds("spearman", "kendall"), "domains", "ranked", "meaning", "note")
"""Columns of a comparison."""


@dataclass(frozen=True, eq=False)
class KnownBaselines:
    """What baselines say of the domains of a suite, and of its pairs.

    Attributes:
        domains: (n,) names.
        of_domains: baseline -> (n,) values; NaN where it is not known.
        low, high: baseline -> (n,) ends of intervals, for baselines that have any; NaN where there is none.
        a, b: (m,) names of the domains of each pair, different ones, and each domain with itself: its
            training against its test samples.
        of_pairs: baseline -> (m,) values; NaN where it is not known.
        samples: most samples of a split that were used; 0 for control domains.
        episodes: episodes of random actions per domain; 0 for labelled domains.
        pairs: pairs of different domains that the suite measures, of which at most some were compared.
        reasons: sentences on what is missing, and why.
        confidence: of the intervals.
    """

    domains: tuple[str, ...]
    of_domains: Mapping[str, Floats]
    low: Mapping[str, Floats]
    high: Mapping[str, Floats]
    a: tuple[str, ...]
    b: tuple[str, ...]
    of_pairs: Mapping[str, Floats]
    samples: int
    episodes: int
    pairs: int
    reasons: tuple[str, ...] = ()
    confidence: float = 0.95

    def domain_table(self) -> Table:
        """Return one row per domain: every baseline, with the ends of its interval where it has one."""
        columns: dict[str, Floats] = {}
        for name, values in self.of_domains.items():
            columns[name] = values
            columns |= {f"{name}_{end}": of[name] for end, of in (("low", self.low), ("high", self.high)) if name in of}
        rows = [(name, *(_cell(of[i]) for of in columns.values()), self.note) for i, name in enumerate(self.domains)]
        return Table.of(("domain", *columns, "note"), rows)

    def pair_table(self) -> Table:
        """Return one row per pair of domains: every baseline; a pair with itself is the floor of the distances."""
        rows = [
            (a, b, *(_cell(values[i]) for values in self.of_pairs.values()), self.note)
            for i, (a, b) in enumerate(zip(self.a, self.b, strict=True))
        ]
        return Table.of(("a", "b", *self.of_pairs, "note"), rows)

    @property
    def note(self) -> str:
        """What the numbers rest on and what is missing, for the tables."""
        if self.episodes:
            said = [f"{self.episodes} episodes of random actions per domain"]
        else:
            said = [f"from at most {self.samples} samples of each split"]
        compared = sum(a != b for a, b in zip(self.a, self.b, strict=True))
        if compared < self.pairs:
            said.append(f"{compared} of {self.pairs} pairs were compared, drawn at random")
        return "; ".join([*said, *self.reasons])


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """How alike two numbers rank the same domains or pairs.

    Attributes:
        spearman, kendall: ρ and τ_b in [−1, 1]; NaN where one of the numbers is the same everywhere, or of fewer than
            three.
        spearman_interval, kendall_interval: their intervals; None where there is none.
        domains: how many domains they rest on: what the intervals count, whatever the number of pairs.
        compared: how many domains, or pairs of domains, were ranked.
        note: why there is no number or no interval; empty where there are both.
    """

    spearman: float
    spearman_interval: tuple[float, float] | None
    kendall: float
    kendall_interval: tuple[float, float] | None
    domains: int
    compared: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """How one of our numbers (``ours``) ranks domains or pairs (``of``) beside a baseline."""

    of: str
    ours: str
    baseline: str
    meaning: str
    correlation: RankCorrelation

    def cells(self) -> tuple[Cell, ...]:
        """Return a row of the table."""
        ranks = self.correlation
        return (
            self.of, self.ours, self.baseline, _cell(ranks.spearman), *(ranks.spearman_interval or (None, None)),
            _cell(ranks.kendall), *(ranks.kendall_interval or (None, None)), ranks.domains, ranks.compared,
            self.meaning, ranks.note,
        )  # fmt: skip


@dataclass(frozen=True)
class BaselineComparison:
    """Our numbers beside all baselines of a suite, with what limits the comparison."""

    rows: tuple[Ranked, ...]
    confidence: float
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """Return one row per number of ours and baseline; the note says what limits them."""
        noted = [(own, [str(note)] if note else []) for *own, note in (row.cells() for row in self.rows)]
        return Table.of(COLUMNS, [(*own, "; ".join([*said, *self.notes])) for own, said in noted])

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        rows = [dict(zip(COLUMNS, row.cells(), strict=True)) for row in self.rows]
        return {"confidence": self.confidence, "correlations": rows, "notes": list(self.notes)}


def _cell(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
