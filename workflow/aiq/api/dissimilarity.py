"""``aiq.dissimilarity`` and ``aiq.similarity``: what mixture curves tell of a pair of tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from aiq.api.arguments import TableLike, check_word, checked, from_rows, numbers, source
from aiq.api.results import Interval, Number, Numbers
from aiq.config.dissimilarity import Dissimilarity as Settings
from aiq.config.measures import CONFIDENCE, OfTables
from aiq.errors import InputError
from aiq.measures.dissimilarity import noise_floor
from aiq.records.dissimilarity import Dissimilarity, Similarity
from aiq.records.estimate import Floats
from aiq.records.matrix import NoiseFloor, Relative
from aiq.records.table import Display, Table
from aiq.report.measures import dissimilarities, similarities
from aiq.settings import default_of
from aiq.storage import Source
from aiq.tables import columns
from aiq.tables.measured import dissimilarity_from_table, relative_from_table, similarity_from_table

if TYPE_CHECKING:
    from aiq.figures import Drawing, MixturePair

Pair = tuple[str, str]


@dataclass(frozen=True, repr=False, eq=False)
class DissimilarityResult(Number):
    """The dissimilarity of one pair of domains (Eqs. 7 to 9 of Pereyda and Holder 2025), in units of performance.

    Attributes:
        pair: names of the two domains; empty where none were given.
        record: everything that was measured; ``record.plain`` is the paper's area, which is never below 0.
        curves: performance on the mixture of each repetition, (R, P); empty where it is not at hand.
        relative: the area over that of mixtures with twins; None where none were given.
    """

    pair: tuple[str, ...]
    record: Dissimilarity
    curves: Floats = field(default_factory=lambda: np.empty((0, 0)))
    relative: Relative | None = None

    @property
    def value(self) -> float:
        """The signed area, in [-1, 1]: positive where policies trained on the mixture do worse than the line."""
        return self.record.signed.value

    @property
    def interval(self) -> Interval | None:
        """Interval of the signed area; None with one repetition and no standard errors."""
        return self.record.signed.interval

    @property
    def n(self) -> int:
        """Number of repetitions."""
        return self.record.n

    @property
    def se(self) -> float | None:
        """Standard error of the value; None where there is none."""
        return None if self.record.error is None else self.record.error.se

    def parts(self) -> Sequence[Display]:
        """Return the areas and what they mean."""
        ratios = {} if self.relative is None else {self.pair: self.relative}
        return (dissimilarities({self.pair: self.record}, part=True, relative=ratios),)

    def table(self) -> Table:
        """Return one row, with the columns of a run's ``dissimilarity.csv``."""
        return columns.pair_table({self.pair: self.record})

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq dissimilarity --json`` prints of one curve."""
        return super().as_dict() | ({} if self.relative is None else {"relative": self.relative.as_dict()})

    def plot(self) -> Drawing:
        """Draw the mixture curve and the line."""
        from aiq.figures import mixture_curve

        return mixture_curve(self._drawn())

    def _drawn(self) -> MixturePair:
        from aiq.figures import MixturePair

        a, b = self.pair or ("a", "b")
        return MixturePair.of(a, b, self.record, self.curves if self.curves.size else None)


@dataclass(frozen=True, repr=False, eq=False)
class DissimilarityResults(Numbers[Pair, DissimilarityResult]):
    """The dissimilarities of several pairs: a mapping from (a, b) to its result; (b, a) finds the same.

    Attributes:
        floor: what the measure shows where nothing differs, from pairs of a domain with itself; None without any.
    """

    items_: Mapping[Pair, DissimilarityResult]
    floor: NoiseFloor | None = None

    def __getitem__(self, name: Pair) -> DissimilarityResult:
        """Return one pair, in either order of its names."""
        return self.items_[name] if name in self.items_ else self.items_[name[::-1]]

    def parts(self) -> Sequence[Display]:
        """Return one row per pair."""
        ratios: dict[tuple[str, ...], Relative] = {p: d.relative for p, d in self.items() if d.relative is not None}
        return (dissimilarities(self.records, relative=ratios),)

    def table(self) -> Table:
        """Return one row per pair, with the columns of a run's ``dissimilarity.csv``; ``aiq.space`` reads it."""
        return columns.pair_table(self.records)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq dissimilarity --json`` prints."""
        return _pairs(self) | {"noise_floor": None if self.floor is None else self.floor.as_dict()}

    def plot(self, kind: Literal["curves", "matrix"] = "curves") -> Drawing:
        """Draw all mixture curves, or the matrix of the chosen areas."""
        from aiq.figures import dissimilarity_matrix, mixture_overview

        check_word("the figure", kind, "curves", "matrix")
        if kind == "matrix":
            return dissimilarity_matrix(self.records, floor=self.floor)
        return mixture_overview([of_pair._drawn() for of_pair in self.values()])


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

    def parts(self) -> Sequence[Display]:
        """Return S and what it has to be read with."""
        return (similarities({self.pair: self.record}),)

    def table(self) -> Table:
        """Return one row, with the columns of a run's ``similarity.csv``."""
        return columns.similarity_table({self.pair: self.record})

    def plot(self) -> Drawing:
        """Draw S and the probability that the agent is sufficient."""
        from aiq.figures import similarity_matrix

        a, b = self.pair or ("a", "b")
        return similarity_matrix({(a, b): self.record})


@dataclass(frozen=True, repr=False, eq=False)
class SimilarityResults(Numbers[Pair, SimilarityResult]):
    """The similarities of several pairs: a mapping from (a, b) to its result."""

    items_: Mapping[Pair, SimilarityResult]

    def parts(self) -> Sequence[Display]:
        """Return one row per pair."""
        return (similarities(self.records),)

    def table(self) -> Table:
        """Return one row per pair, with the columns of a run's ``similarity.csv``."""
        return columns.similarity_table(self.records)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq similarity --json`` prints."""
        return _pairs(self)

    def plot(self) -> Drawing:
        """Draw the matrix of S, with the probability that the agent is sufficient below the diagonal."""
        from aiq.figures import similarity_matrix

        return similarity_matrix(self.records)


@checked
def dissimilarity(
    curves: TableLike,
    performance: Any = None,
    *,
    names: Sequence[Pair] = (),
    alone: TableLike = None,
    twin: TableLike = None,
    paired: Literal["auto", "yes", "no"] = default_of(OfTables, "paired"),
    estimator: Literal["average_first", "per_repetition"] = default_of(Settings, "estimator"),
    resamples: int = default_of(Settings, "resamples"),
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> DissimilarityResult | DissimilarityResults:
    """Measure how much it costs to learn two domains at once: the dissimilarity of one or several pairs.

    Train policies on mixtures of domains a and b; p is the share of a. The area between the performance on the mixed
    test and the straight line between its ends is the dissimilarity (Eq. 9 of Pereyda and Holder 2025).

    Args:
        curves: a table with the columns ``p`` and ``performance``, optional ``repetition``, ``a`` and ``b``, ``se``
            (standard error of a performance, without repetitions), ``told`` (performance when told which domain a
            sample is from); or the shares p alone, shape (P,), in [0, 1], 0 and 1 among them.
        performance: with shares alone: on the mixed test, shape (P,), (repetitions, P) or, with ``names``, (pairs,
            repetitions, P), in [0, 1].
        names: the pair (a, b) of each entry of an array of performances of several pairs.
        alone: a table ``domain``, ``p``, ``performance``, optional ``repetition``: each domain trained alone with the
            share p of the samples; splits the area into starvation, confusion and transfer.
        twin: a table ``twin``, ``p``, ``performance``, ``repetition``, optional ``a`` and ``b``: mixtures of a with a
            twin of b (its inputs and outputs permuted); gives ``relative``, the area over theirs.
        paired: whether the points of a repetition may go together, as with one seed for a whole curve: the error then
            comes from whole repetitions; ``auto``: where repetitions are named, or given as rows.
        estimator: of the plain area: average the curves and take the area, or average the areas.
        resamples: number of replicates, at least 2.
        confidence: coverage of the intervals.
        seed: root of the resampling, a whole number of at least 0.

    Returns:
        One result; with the columns a and b, or with ``names``, a mapping from (a, b) to result.
        ``value`` is the signed area.

    Raises:
        InputError: for a table or an option that cannot be used.

    Example:
        >>> import aiq
        >>> found = aiq.dissimilarity([0, 0.5, 1], [0.8, 0.7, 0.9])
        >>> round(found.value, 3)
        0.075
    """
    given = _curves(curves, performance, names)
    beside = None if alone is None else source(alone, "alone")
    how: dict[str, Any] = {"estimator": estimator, "resamples": resamples, "confidence": confidence, "seed": seed}
    measured = dissimilarity_from_table(given, beside, paired=paired, **how)
    ratios = {} if twin is None else relative_from_table(given, source(twin, "twin"), confidence=confidence)
    pairs = {pair: DissimilarityResult(pair, record, relative=ratios.get(pair)) for pair, record in measured.items()}
    if () in pairs:
        return pairs[()]
    selves = [record for pair, record in measured.items() if pair[0] == pair[1]]
    floor = noise_floor(selves, seed=seed) if selves else None
    return DissimilarityResults({(pair[0], pair[1]): of_pair for pair, of_pair in pairs.items()}, floor)


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
    measured = similarity_from_table(_curves(curves, performance, names), at=at, paired=paired, confidence=confidence)
    if () in measured:
        return SimilarityResult((), measured[()])
    return SimilarityResults({(pair[0], pair[1]): SimilarityResult(pair, record) for pair, record in measured.items()})


def _pairs(several: Numbers[Pair, Any]) -> dict[str, Any]:
    return {"pairs": [{"a": pair[0], "b": pair[1], **of_pair.as_dict()} for pair, of_pair in several.items()]}


def _curves(curves: Any, performance: Any, names: Sequence[Any]) -> Source:
    """Return the table of mixture curves: as given, or of shares (P,) and performances (P,), (R, P) or (N, R, P)."""
    if performance is None:
        if len(names):
            raise InputError("names go with shares and performances as arrays; in a table they are the columns a and b")
        return source(curves, "curves")
    p = numbers("p", curves)
    if any(isinstance(pair, str) or len(pair) != 2 for pair in names):
        raise InputError(f"names are {list(names)!r}; give a pair (a, b) for each entry of the performances")
    blocks = numbers("performance", performance, (3,) if len(names) else (1, 2))
    if len(names) and (blocks.shape[0], blocks.shape[2]) != (len(names), p.size):
        raise InputError(
            f"performance has shape {blocks.shape}, but there are {len(names)} pairs and {p.size} shares p; "
            "give it the shape (pairs, repetitions, shares)"
        )
    if blocks.shape[-1] != p.size:
        raise InputError(
            f"performance has shape {blocks.shape}, but there are {p.size} shares p; "
            "give one performance per share, or one row of them per repetition"
        )
    named: list[tuple[str, ...]] = [(str(a), str(b)) for a, b in names] or [()]
    rows = [
        (*pair, r, float(share), float(value))
        for pair, block in zip(named, blocks.reshape(len(named), -1, p.size), strict=True)
        for r, row in enumerate(block)
        for share, value in zip(p, row, strict=True)
    ]
    pair = ("a", "b") if len(names) else ()
    return from_rows((*pair, "repetition", "p", "performance"), rows, "curves")
