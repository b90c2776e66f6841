"""Records of what a dissimilarity is made of, of what a suite's errors share, and of relative dissimilarities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from aiq.records.arrays import Floats, freeze, plain
from aiq.records.estimate import Estimate, StandardError
from aiq.records.table import Cell, Table


@dataclass(frozen=True, slots=True)
class AreaError:
    """The standard error of a signed area and where it comes from, in units of performance.

    ``se`` with ``df`` degrees of freedom (infinite where the standard errors were given); ``se_inner`` (``df_inner``)
    is the part of the pair's own inner points, ``end_a`` and ``end_b`` are those of the two ends, weight times
    standard error of a domain alone. ``shared`` says that the ends belong to the domains: their errors are then
    the same in every pair of a domain. A shared end of a pair of a domain with itself is all in ``end_a``.
    """

    se: float
    df: float
    se_inner: float
    df_inner: float
    end_a: float
    end_b: float
    df_a: float
    df_b: float
    shared: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a signed area with its error.

    ``error`` has the standard error and its degrees of freedom; ``own`` is what the pair's own trainings put into
    it (the rest comes from trainings of single domains). Both are None where repetitions are missing.
    """

    estimate: Estimate
    error: StandardError | None
    own: StandardError | None

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return plain(self.estimate, "value", "interval") | {"se": None if self.error is None else self.error.se}


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What a signed area is made of; all parts are positive where they make mixtures do worse than the line.

    ``starvation`` is the line minus the control (each domain alone at the numbers of samples that it has in the
    mixtures: learning curves, nothing else), ``confusion`` told minus observed (samples taken for samples of the
    other domain; told: scored over a domain's own outputs only), ``transfer`` control minus told (negative where
    domains help each other). Their sum is the signed area. ``interference`` is confusion + transfer. What was not
    measured is None. ``control`` and ``told`` (P,) are the mean curves.
    """

    control: Floats | None = None
    told: Floats | None = None
    starvation: Part | None = None
    confusion: Part | None = None
    transfer: Part | None = None
    interference: Part | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping of the parts that are known."""
        return plain(self, "starvation", "confusion", "transfer", "interference")


@dataclass(frozen=True, slots=True, eq=False)
class Alone:
    """Performances of one domain trained alone with shares of the samples: the control of its mixtures.

    ``shares`` (S,) in (0, 1], distinct; ``performance`` (R, S), NaN where a training failed.
    """

    shares: Floats
    performance: Floats

    def __post_init__(self) -> None:
        freeze(self)
        if self.shares.ndim != 1 or self.performance.ndim != 2 or self.performance.shape[1] != self.shares.size:
            raise ValueError(f"performances {self.performance.shape} do not fit shares {self.shares.shape}")


@dataclass(frozen=True, slots=True, eq=False)
class SuiteErrors:
    """The signed areas of a suite and what their errors have in common.

    ``signed`` and ``se`` (n, n), symmetric, NaN where a pair was not measured; ``se_inner`` and ``df_inner`` (n, n)
    of the pairs' own noise; ``end`` (n, n) holds at [i, j] what the error of domain i alone puts into the pair
    (i, j), 0 where ends are not shared; ``df_end`` (n,).
    """

    signed: Floats
    se: Floats
    se_inner: Floats
    df_inner: Floats
    end: Floats
    df_end: Floats

    def __post_init__(self) -> None:
        freeze(self)
        shapes = {array.shape for array in (self.signed, self.se, self.se_inner, self.df_inner, self.end)}
        if shapes != {(self.df_end.size, self.df_end.size)}:
            raise ValueError("errors of a suite need matrices (n, n) and one number of degrees of freedom a domain")


@dataclass(frozen=True, slots=True, eq=False)
class TransferGeometry:
    """Distances from what domains do to each other; not free of starvation (see ``dissimilarity.transfer_geometry``).

    ``inner`` (n, n) is T, minus the transfer area (positive: they help each other), which behaves like an inner
    product; ``squares`` (n, n) = T_AA + T_BB - 2 T_AB, unbiased, so noise can make them negative, with standard
    errors ``squares_se``; ``distances`` their roots (0 where negative) with ``distances_se`` by the delta method
    (at least at a distance of one root of the square's error). NaN where unknown.
    """

    inner: Floats
    squares: Floats
    squares_se: Floats
    distances: Floats
    distances_se: Floats

    def __post_init__(self) -> None:
        freeze(self)


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


RELATIVE_COLUMNS = (
    *("a", "b", "relative", "relative_low", "relative_high", "relative_se", "relative_df"),
    *("against_twins", "spread", "twins", "repetitions", "undefined"),
)
"""Columns of a table of relative dissimilarities."""


def relative_table(pairs: Sequence[RelativePair]) -> Table:
    """Return a row per pair."""
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs:
        ratio = pair.relative
        error = (None, None) if ratio.error is None else (ratio.error.se, ratio.error.df)
        spread = ratio.spread if math.isfinite(ratio.spread) else None
        measured = (ratio.against_twins, spread, ratio.twins, ratio.estimate.n)
        rows.append((pair.a, pair.b, *ratio.estimate.cells(), *error, *measured, ratio.undefined or None))
    return Table.of(RELATIVE_COLUMNS, rows)


def relative_sentence(pairs: Table) -> str:
    """Return what a table of pairs says in one sentence: which are most alike, and how many have no number."""
    values = pairs.column("relative")
    rows = [row for row, value in enumerate(values) if value is not None]
    lacking = len(values) - len(rows)
    rest = f"{lacking} of {len(values)} pairs have none, as a twin is no stranger." if lacking else ""
    if not rows:
        return f"Relative dissimilarities: {rest}"
    least = min(rows, key=lambda row: float(values[row] or 0.0))
    pair = pairs.dicts[least]
    low, high = pair["relative_low"], pair["relative_high"]
    around = "" if low is None or high is None else f" [{float(low):.2f}, {float(high):.2f}]"
    first = (
        f"Most alike are {pair['a']} and {pair['b']}: relative dissimilarity {float(pair['relative'] or 0):.2f}{around}"
    )
    held = "" if around == "" else " 95% intervals held the truth in .94 to .96 of simulated pairs."
    return f"{first} (0 not told apart, 1 unrelated, above 1 contradictory).{held} {rest}".rstrip()
