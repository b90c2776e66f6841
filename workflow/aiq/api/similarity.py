"""``aiq.similarity``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiq.api.arguments import checked
from aiq.api.dissimilarity import Pair, curves_source
from aiq.api.results import Interval, Number, Numbers
from aiq.api.tables import TableLike
from aiq.config.measures import CONFIDENCE
from aiq.records.similarity import Similarity
from aiq.records.table import Shown, Table
from aiq.report.measures import similarities
from aiq.tables.curves import similarity_from_table

if TYPE_CHECKING:
    from aiq.figures import Drawing

_COLUMNS = (
    *("a", "b", "similarity", "low", "high", "pieces", "absolute", "sufficient", "at", "v_a", "v_b", "v_ab"),
    *("easier", "n", "note"),
)


@dataclass(frozen=True, repr=False, eq=False)
class SimilarityResult(Number):
    """The similarity of one pair of tests (Eq. 3 of Pereyda and Holder 2020), in [-1, 1].

    Attributes:
        pair: names of the two tests; empty where none were given.
        record: everything that was measured: V_A, V_B, V_AB, and whether the agent is sufficient.
    """

    pair: tuple[str, ...]
    record: Similarity

    @property
    def value(self) -> float | None:
        """S; None where the two tests cannot be told apart."""
        return self.record.value

    @property
    def interval(self) -> Interval | None:
        """The smallest interval that holds the confidence set, which can be two pieces; None without repetitions."""
        return self.record.interval

    @property
    def n(self) -> int:
        """Number of repetitions."""
        return self.record.n

    def shown(self) -> Shown:
        """Return S and what it has to be read with."""
        return similarities({self.pair: self.record})

    def table(self) -> Table:
        """Return one row."""
        return Table.of(_COLUMNS, [self.row()])

    def row(self) -> tuple[Any, ...]:
        """Return the cells of ``table``."""
        s = self.record
        names = self.pair or (None, None)
        low, high = s.interval or (None, None)
        values = (s.at, s.v_a.value, s.v_b.value, s.v_ab.value)
        easier = "b" if s.swapped else "a"
        return (*names, s.value, low, high, len(s.segments), s.absolute, s.sufficient, *values, easier, s.n, s.note)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq similarity --json`` prints of one curve."""
        return dict(self.record.as_dict())

    def plot(self) -> Drawing:
        """Draw S and the probability that the agent is sufficient."""
        from aiq.figures import similarity_matrix

        a, b = self.pair or ("a", "b")
        return similarity_matrix({(a, b): self.record})


@dataclass(frozen=True, repr=False, eq=False)
class SimilarityResults(Numbers[Pair, SimilarityResult]):
    """The similarities of several pairs: a mapping from (a, b) to its result."""

    items_: Mapping[Pair, SimilarityResult]

    def shown(self) -> Shown:
        """Return one row per pair."""
        return similarities({pair: one.record for pair, one in self.items()})

    def table(self) -> Table:
        """Return one row per pair."""
        return Table.of(_COLUMNS, [one.row() for one in self.values()])

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq similarity --json`` prints."""
        return {"pairs": [{"a": pair[0], "b": pair[1], **one.as_dict()} for pair, one in self.items()]}

    def plot(self) -> Drawing:
        """Draw the matrix of S, with the probability that the agent is sufficient below the diagonal."""
        from aiq.figures import similarity_matrix

        return similarity_matrix({pair: one.record for pair, one in self.items()})


@checked
def similarity(
    curves: TableLike,
    performance: Any = None,
    *,
    names: Sequence[Pair] = (),
    at: float = 0.5,
    paired: bool = False,
    confidence: float = CONFIDENCE,
) -> SimilarityResult | SimilarityResults:
    """Measure the similarity of 2020 of one or several pairs of tests.

    S compares the performance on the mixture with those on the easier test A and the harder test B (Eq. 3 of Pereyda
    and Holder 2020): -1 as good as A, 0 halfway, 1 as bad as B.

    Args:
        curves: a table with the columns ``p`` and ``performance``, optional ``repetition``, ``a`` and ``b``; or the
            shares p of a alone, shape (P,), in [0, 1], 0, 1 and ``at`` among them.
        performance: with shares alone: on the mixed test, shape (P,), (repetitions, P) or, with ``names``, (pairs,
            repetitions, P), in [0, 1].
        names: the pair (a, b) of each entry of an array of performances of several pairs.
        at: share of the easier test in the mixture, inside (0, 1).
        paired: whether trainings of one repetition share something, such as a seed or a split.
        confidence: coverage of the confidence set.

    Returns:
        One result; with the columns a and b, or with ``names``, a mapping from (a, b) to result.

    Raises:
        InputError: for a table or an option that cannot be used.

    Example:
        >>> import aiq
        >>> found = aiq.similarity([0, 0.5, 1], [0.8099, 0.8750, 0.9932])
        >>> round(found.value, 3)
        0.29
    """
    found = similarity_from_table(
        curves_source(curves, performance, names), at=at, paired=paired, confidence=confidence
    )
    if () in found:
        return SimilarityResult((), found[()])
    return SimilarityResults({(pair[0], pair[1]): SimilarityResult(pair, record) for pair, record in found.items()})
