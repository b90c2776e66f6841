"""Records of relative dissimilarities: departures over those from twins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from aiq.records.arrays import plain
from aiq.records.estimate import Estimate, StandardError
from aiq.records.table import Cell, Table


@dataclass(frozen=True, slots=True)
class Relative:
    """A relative dissimilarity: 0 where two tests are not told apart, about 1 where they are unrelated.

    Attributes:
        estimate: the ratio with its interval; NaN without interval where it is not defined.
        against_twins: mean departure from the twins, in units of performance.
        spread: standard deviation between twins, over their mean, freed of the noise of measuring them.
        twins: how many there are.
        undefined: why there is no number; empty where there is one.
        error: standard error of the ratio, for what is computed from it; None where there is no interval.
    """

    estimate: Estimate
    against_twins: float
    spread: float
    twins: int
    undefined: str = ""
    error: StandardError | None = None

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        more = plain(self, "against_twins", "spread", "twins")
        return {**self.estimate.as_dict(), **more, "undefined": self.undefined or None}


@dataclass(frozen=True, slots=True)
class RelativePair:
    """The relative dissimilarity of two tests of a suite.

    ``end_a`` and ``end_b`` are what the ends of the two tests put into its error, with the sign that they share in all
    pairs of a test.
    """

    a: str
    b: str
    relative: Relative
    end_a: float = 0.0
    end_b: float = 0.0


COLUMNS = (
    *("a", "b", "relative", "relative_low", "relative_high", "relative_se", "relative_df"),
    *("against_twins", "spread", "twins", "repetitions", "undefined"),
)
"""Columns of a table of relative dissimilarities."""


def table(pairs: Sequence[RelativePair]) -> Table:
    """Return a row per pair."""
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs:
        one = pair.relative
        error = (None, None) if one.error is None else (one.error.se, one.error.df)
        measured = (one.against_twins, one.spread if math.isfinite(one.spread) else None, one.twins, one.estimate.n)
        rows.append((pair.a, pair.b, *one.estimate.cells(), *error, *measured, one.undefined or None))
    return Table.of(COLUMNS, rows)


def said(pairs: Table) -> str:
    """Return what a table of pairs says in one sentence: which are most alike, and how many have no number."""
    values = pairs.column("relative")
    known = [row for row, value in enumerate(values) if value is not None]
    lacking = len(values) - len(known)
    rest = f"{lacking} of {len(values)} pairs have none, as a twin is no stranger." if lacking else ""
    if not known:
        return f"Relative dissimilarities: {rest}"
    least = min(known, key=lambda row: float(values[row] or 0.0))
    one = dict(zip(pairs.columns, pairs.rows[least], strict=True))
    low, high = one["relative_low"], one["relative_high"]
    around = "" if low is None or high is None else f" [{float(low):.2f}, {float(high):.2f}]"
    first = (
        f"Most alike are {one['a']} and {one['b']}: relative dissimilarity {float(one['relative'] or 0):.2f}{around}"
    )
    held = "" if around == "" else " 95% intervals held the truth in .94 to .96 of simulated pairs."
    return f"{first} (0 not told apart, 1 unrelated, above 1 contradictory).{held} {rest}".rstrip()
