"""Records of the baselines that people know: what they say of domains and pairs, and how they rank them beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from aiq.records.arrays import Floats
from aiq.records.table import Cell, Table

COLUMNS = (
    *("of", "ours", "baseline", "spearman", "spearman_low", "spearman_high", "kendall", "kendall_low", "kendall_high"),
    *("domains", "ranked", "meaning", "note"),
)
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
        columns, values = ["domain"], []
        for name, found in self.of_domains.items():
            columns.append(name)
            values.append(found)
            for end, ends in (("low", self.low), ("high", self.high)):
                if name in ends:
                    columns.append(f"{name}_{end}")
                    values.append(ends[name])
        rows = [(name, *(_cell(column[i]) for column in values)) for i, name in enumerate(self.domains)]
        return Table.of((*columns, "note"), [(*row, self.note) for row in rows])

    def pair_table(self) -> Table:
        """Return one row per pair of domains: every baseline; a pair with itself is the floor of the distances."""
        rows = [
            (a, b, *(_cell(found[i]) for found in self.of_pairs.values()), self.note)
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
class Compared:
    """How one of our numbers (``ours``) ranks domains or pairs (``of``) beside a baseline."""

    of: str
    ours: str
    baseline: str
    meaning: str
    correlation: RankCorrelation

    def cells(self) -> tuple[Cell, ...]:
        """Return a row of the table."""
        found = self.correlation
        return (
            self.of, self.ours, self.baseline, _cell(found.spearman), *(found.spearman_interval or (None, None)),
            _cell(found.kendall), *(found.kendall_interval or (None, None)), found.domains, found.compared,
            self.meaning, found.note,
        )  # fmt: skip


@dataclass(frozen=True)
class BaselineComparison:
    """Our numbers beside all baselines of a suite, with what limits the comparison."""

    rows: tuple[Compared, ...]
    confidence: float
    notes: tuple[str, ...] = field(default=())

    def table(self) -> Table:
        """Return one row per number of ours and baseline; the note says what limits them."""
        rows = [one.cells() for one in self.rows]
        said = [[str(row[-1])] if row[-1] else [] for row in rows]
        noted = [(*row[:-1], "; ".join([*own, *self.notes])) for row, own in zip(rows, said, strict=True)]
        return Table.of(COLUMNS, noted)

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        rows = [dict(zip(COLUMNS, one.cells(), strict=True)) for one in self.rows]
        return {"confidence": self.confidence, "correlations": rows, "notes": list(self.notes)}


def _cell(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
