"""``aiq.space``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from aiq import storage
from aiq.api.arguments import TableLike, check_word, checked, columns, from_columns, from_rows, numbers, source, target
from aiq.api.results import Interval, Number, Result
from aiq.config.base import fingerprint
from aiq.config.measures import Space as Settings
from aiq.errors import InputError
from aiq.records.space import Space
from aiq.records.table import Display, Table
from aiq.report.measures import coordinates
from aiq.storage import Source
from aiq.tables.spaces import space_from_tables

if TYPE_CHECKING:
    from aiq.figures import Drawing


_USUAL = Settings()
"""Defaults of a run, which are those of this function."""


@dataclass(frozen=True, repr=False, eq=False)
class SpaceResult(Number):
    """An intelligence space: every domain is a point, the empty test lies at the origin.

    Attributes:
        record: coordinates, spectrum, stress, replicates, warnings.
    """

    record: Space

    @property
    def value(self) -> int:
        """Number of dimensions."""
        return self.record.dimensions

    @property
    def interval(self) -> Interval | None:
        """The fewest and most dimensions that hold 95 % of the replicates; None without replicates."""
        likely = self.record.dimensionality.probabilities
        if not likely:
            return None
        numbers_ = sorted(likely)
        cumulated = np.cumsum([likely[d] for d in numbers_])
        last = len(numbers_) - 1
        low, high = (min(int(np.searchsorted(cumulated, q - 1e-9)), last) for q in (0.025, 0.975))
        return float(numbers_[low]), float(numbers_[high])

    @property
    def n(self) -> int:
        """Number of domains."""
        return len(self.record.domains)

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the domains."""
        return self.record.domains

    def parts(self) -> Sequence[Display]:
        """Return where the domains lie."""
        return (coordinates(self.record),)

    def table(self) -> Table:
        """Return one row per domain: its coordinates and how far replicates move it."""
        s = self.record
        axes = [f"axis_{i + 1}" for i in range(s.dimensions)]
        moved = [None] * self.n if s.bootstrap is None else s.bootstrap.displacement.tolist()
        rows = [
            (name, *point, moved[i], name in s.vanished)
            for i, (name, point) in enumerate(zip(s.domains, s.coordinates.tolist(), strict=True))
        ]
        return Table.of(("domain", *axes, "displacement", "vanished"), rows)

    def plot(self, kind: Literal["plane", "solid", "spectrum", "contributions"] = "plane") -> Drawing:
        """Draw the space: on its first two axes, in three, its spectrum, or what each domain adds to each axis."""
        from aiq import figures

        drawn = {
            "plane": figures.space_plane,
            "solid": figures.space_solid,
            "spectrum": figures.spectrum,
            "contributions": figures.contributions,
        }
        check_word("the figure", kind, *drawn)
        return drawn[kind](self.record)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the space to a file, for ``aiq score`` on the command line."""
        s = self.record
        made = fingerprint("table", list(s.domains), s.complexity.tolist(), s.dissimilarity.tolist())
        storage.write_result(target(path), "space", s, made, s.seed)


@checked
def space(
    complexity: TableLike,
    dissimilarity: TableLike,
    *,
    names: Sequence[str] = (),
    anchor: Literal["unit", "complexity"] = _USUAL.anchor,
    length: Literal["complexity", "relative_excess"] | None = _USUAL.length,
    distance: Literal["departure", "transfer", "relative"] = _USUAL.distance,
    null: Literal["propagated", "identical"] = _USUAL.null,
    dimensions: int | Literal["share", "noise", "all"] = _USUAL.dimensions,
    share: float = _USUAL.share,
    landmarks: bool = False,
    confidence: float = _USUAL.confidence,
    seed: int = 0,
) -> SpaceResult:
    """Place the domains in an intelligence space by their complexities and dissimilarities.

    Args:
        complexity: a table with the columns ``domain`` and ``relative_excess`` or ``complexity`` (or both), optional
            ``se``, such as a run's ``complexity.csv``; a mapping or series from domain to complexity; an array
            with ``names``; or what ``aiq.complexity`` returned for several domains, with its standard errors.
        dissimilarity: a table with the columns ``a``, ``b``, ``dissimilarity``, optional ``se`` (the values are then
            signed areas), such as a run's ``dissimilarity.csv``; a square array or data frame in the order of the
            domains; or what ``aiq.dissimilarity`` returned for several pairs, with its standard errors.
        names: domains of an array of complexities.
        anchor: distance of a test to the empty test: 1, or its complexity.
        length: how far from the origin a test lies; None: its relative excess (0 for a test that any network solves)
            where the table has it, else its complexity, and a warning says what that means.
        distance: what makes the directions: the areas between line and curve, or transfer areas (a table ``a``, ``b``,
            ``transfer``, self-pairs included).
        null: noise that dimensions must exceed: of every dissimilarity, or of identical tests.
        dimensions: how many to keep; ``share``: the fewest that hold a share of the positive spectrum; ``noise``: as
            many as exceed the noise; ``all``: every one.
        share: of the spectrum, in (0, 1].
        landmarks: complete missing pairs from the domains that were measured against all others.
        confidence: coverage of the intervals.
        seed: root of the resampling, a whole number of at least 0.

    Returns:
        the space; ``value`` is its number of dimensions, ``to_frame()`` the coordinates.

    Raises:
        InputError: for tables or options that cannot be used, naming a missing pair.

    Example:
        >>> import aiq
        >>> found = aiq.space([1, 2, 3], [[0, 0.02, 0.03], [0.02, 0, 0.01], [0.03, 0.01, 0]], names=["A", "B", "C"])
        >>> found.value, found.n
        (2, 3)
    """
    given = _complexities(complexity, names)
    how: dict[str, Any] = {"anchor": anchor, "length": length, "distance": distance, "null": null, "share": share}
    how |= {"dimensions": dimensions, "complete": landmarks, "confidence": confidence, "seed": seed}
    return SpaceResult(space_from_tables(given, _dissimilarities(dissimilarity, given), **how))


def _complexities(data: Any, names: Sequence[str]) -> Source:
    """Return the table of complexities; an array has its domains in ``names``."""
    if len(names):
        values = numbers("complexity", data)
        if not len(values) == len(names) == len(set(map(str, names))) or any(name is None for name in names):
            raise InputError(
                f"there are {len(names)} names ({', '.join(map(str, names))}) for {len(values)} complexities; "
                "give each one of its own"
            )
        data = {str(name): float(value) for name, value in zip(names, values, strict=True)}
    elif isinstance(data, np.ndarray | list | tuple) and not getattr(getattr(data, "dtype", None), "names", None):
        raise InputError("an array of complexities needs the domains: names=['A', 'B', ...]")
    if hasattr(data, "to_dict") and not hasattr(data, "columns") and not isinstance(data, Result):  # a series
        if not data.index.is_unique:
            twice = data.index[data.index.duplicated()][0]
            raise InputError(f"complexity has the domain {str(twice)!r} twice; give each one of its own")
        data = data.to_dict()
    if isinstance(data, Mapping) and not isinstance(data, Result) and "domain" not in data:
        return from_columns({"domain": list(data), "complexity": list(data.values())}, "complexity")
    return source(data, "complexity", "domain")


def _dissimilarities(data: Any, given: Source) -> Source:
    """Return the table of pairs; the domains of an array stand in the order of the complexities."""
    named = None
    if hasattr(data, "columns") and hasattr(data, "index"):  # of a square frame rows and columns have the same names
        rows = [str(name) for name in data.index]
        named = rows if rows == list(columns(data.reset_index(drop=True), "dissimilarity")) else None
    if isinstance(data, np.ndarray | list | tuple) or named is not None:
        if named is None:
            table = storage.read_raw(given).checked(("domain",), allows=lambda column: True)
            named = [str(name) for name in table.column("domain")]
        return _of_matrix(numbers("dissimilarity", data, (2,)), named)
    return source(data, "dissimilarity")


def _of_matrix(matrix: Any, names: list[str]) -> Source:
    """Return the pairs of a square matrix; the diagonal holds what was measured of a domain with itself, or NaN."""
    if matrix.shape != (len(names), len(names)):
        raise InputError(
            f"dissimilarity has shape {matrix.shape}, but there are {len(names)} domains; give one row each"
        )
    if not np.array_equal(matrix, matrix.T, equal_nan=True):
        i, j = np.argwhere(~((matrix == matrix.T) | np.isnan(matrix)))[0]
        raise InputError(
            f"dissimilarity is {matrix[i, j]:g} from {names[i]} to {names[j]} but {matrix[j, i]:g} back; "
            "give a symmetric matrix"
        )
    rows = [
        (a, b, float(matrix[i, j]))
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i <= j and not np.isnan(matrix[i, j])
    ]
    return from_rows(("a", "b", "dissimilarity"), rows, "dissimilarity")
