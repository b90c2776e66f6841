"""Records of the dissimilarities of a suite: noise floor, consistency, completion, errors in common, relative ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from aiq.records.estimate import Estimate, Floats, StandardError, freeze, plain
from aiq.records.table import Cell, Table


@dataclass(frozen=True, slots=True, eq=False)
class NoiseFloor:
    """The values of DS(a, a) of a suite: what the measure shows where nothing differs.

    ``values`` (pairs,) and ``replicates`` (resamples, pairs) as measured; ``mean`` with its interval over
    the self-pairs; ``largest`` of the values, the threshold below which a difference says nothing. ``signed``
    (pairs,) are the signed areas, which are 0 on average where samples of one domain neither help nor harm each
    other, with standard errors ``se`` (NaN where unknown; both empty in files of earlier versions).
    """

    values: Floats
    replicates: Floats
    mean: Estimate
    chosen: str
    signed: Floats = field(default_factory=lambda: np.zeros(0))
    se: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        freeze(self)
        if self.values.ndim != 1 or self.values.size < 1 or self.replicates.shape[1:] != self.values.shape:
            raise ValueError("a noise floor needs at least one self-pair and one column of replicates each")

    @property
    def largest(self) -> float:
        """The largest dissimilarity of a domain with itself."""
        return float(self.values.max())

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return self.mean.as_dict() | plain(self, "largest", "values", "chosen", "signed", "se")


@dataclass(frozen=True, slots=True)
class SymmetryReport:
    """How far the two orders of the pairs differ, where both were measured apart.

    ``mean`` and ``largest`` absolute difference, ``above_floor`` the number of pairs that differ by more
    than the noise floor (None without one), ``correlation`` between the two orders (None with fewer than
    three pairs or without variation).
    """

    pairs: int
    mean: float
    largest: float
    above_floor: int | None
    correlation: float | None


@dataclass(frozen=True, slots=True)
class TriangleReport:
    """How many triples of domains have one side longer than the other two together, and by how much.

    ``triples`` counts those with all three sides measured, ``incomplete`` the others; ``mean_excess`` and
    ``largest_excess`` are over the violations (0 without any); ``above_floor`` counts the violations by
    more than the noise floor (None without one); ``worst`` are the indices (i, j, k) of the largest
    violation, its long side between i and k.
    """

    triples: int
    incomplete: int
    violations: int
    mean_excess: float
    largest_excess: float
    above_floor: int | None
    worst: tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class MatrixReport:
    """Consistency of a suite's dissimilarities; ``symmetry`` is None where no pair was measured in both orders."""

    symmetry: SymmetryReport | None
    triangle: TriangleReport
    noise_floor: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Completion:
    """A matrix of dissimilarities completed from landmarks.

    ``matrix`` (n, n) holds the measured values where a landmark takes part and the embedding's elsewhere;
    ``low`` and ``high`` (n, n) bound the completed ones as far as the landmarks can tell; ``measured``
    (n, n) is 1 where measured; ``coordinates`` (n, dimensions) are those of the landmark embedding and
    ``residual`` (n,) each domain's distance from the space of the landmarks; ``negative_share`` is the
    share of the landmarks' spectrum that no Euclidean space can hold.
    """

    matrix: Floats
    low: Floats
    high: Floats
    measured: Floats
    landmarks: tuple[int, ...]
    coordinates: Floats
    residual: Floats
    negative_share: float

    def __post_init__(self) -> None:
        freeze(self)
        if not self.matrix.shape == self.low.shape == self.high.shape == self.measured.shape:
            raise ValueError("a completed matrix, its bounds and its mask must have one shape")
        if (self.matrix < 0).any() or not np.array_equal(self.matrix, self.matrix.T):
            raise ValueError("a completed matrix must be symmetric and without negative distances")


@dataclass(frozen=True, slots=True)
class CompletionError:
    """Completed against measured dissimilarities, over the ``pairs`` without a landmark.

    Root mean square and largest absolute error in units of performance, ``relative`` the root mean
    square error over the root mean square of the measured values, and the correlation between the two
    (None with fewer than three pairs or without variation).
    """

    pairs: int
    root_mean_square: float
    largest: float
    relative: float
    correlation: float | None


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


# ---- Relative dissimilarities --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Relative:
    """A relative dissimilarity: 0 where two tests are not told apart, about 1 where they are unrelated.

    ``estimate``: the ratio with its interval; NaN without interval where it is not defined, ``undefined`` then says
    why. ``against_twins``: mean departure from the ``twins``, in units of performance; ``spread``: standard deviation
    between them, over their mean, freed of the noise of measuring them. ``error``: of the ratio, for what is computed
    from it; None where there is no interval.
    """

    estimate: Estimate
    against_twins: float
    spread: float
    twins: int
    undefined: str = ""
    error: StandardError | None = None

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        more = plain(self, "against_twins", "spread", "twins") | {"undefined": self.undefined or None}
        return self.estimate.as_dict() | more


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
