"""``aiq.dissimilarity``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from aiq.api.arguments import check_resamples, check_seed, check_word, checked
from aiq.api.results import Interval, Number, Numbers
from aiq.api.tables import TableLike, from_rows, numbers, source
from aiq.config.measures import Dissimilarity as Settings
from aiq.errors import InputError
from aiq.measures.dissimilarity import noise_floor
from aiq.records.arrays import Floats
from aiq.records.dissimilarity import Dissimilarity, NoiseFloor
from aiq.records.relative import Relative
from aiq.records.table import Shown, Table
from aiq.report.measures import dissimilarities
from aiq.settings import default_of
from aiq.storage import Source
from aiq.tables import columns
from aiq.tables.curves import dissimilarity_from_table, relative_from_table

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

    def shown(self) -> Shown:
        """Return the areas and what they mean."""
        ratios = {} if self.relative is None else {self.pair: self.relative}
        return dissimilarities({self.pair: self.record}, part=True, relative=ratios)

    def table(self) -> Table:
        """Return one row, with the columns of a run's ``dissimilarity.csv``."""
        return columns.pair_table({self.pair: self.record})

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq dissimilarity --json`` prints of one curve."""
        more = {} if self.relative is None else {"relative": self.relative.as_dict()}
        return {**self.record.as_dict(), **more}

    def plot(self) -> Drawing:
        """Draw the mixture curve and the line."""
        from aiq.figures import mixture_curve

        return mixture_curve(self.drawn())

    def drawn(self) -> MixturePair:
        """Return what the figures of mixtures take."""
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

    def shown(self) -> Shown:
        """Return one row per pair."""
        ratios: dict[tuple[str, ...], Relative] = {p: d.relative for p, d in self.items() if d.relative is not None}
        return dissimilarities({pair: one.record for pair, one in self.items()}, relative=ratios)

    def table(self) -> Table:
        """Return one row per pair, with the columns of a run's ``dissimilarity.csv``; ``aiq.space`` reads it."""
        return columns.pair_table({pair: one.record for pair, one in self.items()})

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq dissimilarity --json`` prints."""
        pairs = [{"a": pair[0], "b": pair[1], **one.as_dict()} for pair, one in self.items()]
        return {"pairs": pairs, "noise_floor": None if self.floor is None else self.floor.as_dict()}

    def plot(self, kind: Literal["curves", "matrix"] = "curves") -> Drawing:
        """Draw all mixture curves, or the matrix of the chosen areas."""
        from aiq.figures import dissimilarity_matrix, mixture_overview

        check_word("the figure", kind, "curves", "matrix")
        if kind == "matrix":
            return dissimilarity_matrix({pair: one.record for pair, one in self.items()}, floor=self.floor)
        return mixture_overview([one.drawn() for one in self.values()])


@checked
def dissimilarity(
    curves: TableLike,
    performance: Any = None,
    *,
    names: Sequence[Pair] = (),
    alone: TableLike = None,
    twin: TableLike = None,
    paired: Literal["auto", "yes", "no"] = default_of(Settings, "paired"),
    estimator: Literal["average_first", "per_repetition"] = default_of(Settings, "estimator"),
    resamples: int = default_of(Settings, "resamples"),
    confidence: float = default_of(Settings, "confidence"),
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
    check_seed(seed)
    check_resamples(resamples)
    given = curves_source(curves, performance, names)
    found = dissimilarity_from_table(
        given,
        None if alone is None else source(alone, "alone"),
        paired=paired,
        estimator=estimator,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )
    ratios = {} if twin is None else relative_from_table(given, source(twin, "twin"), confidence=confidence)
    made = {pair: DissimilarityResult(pair, record, relative=ratios.get(pair)) for pair, record in found.items()}
    return made[()] if () in made else results({(pair[0], pair[1]): one for pair, one in made.items()}, seed)


def results(pairs: Mapping[Pair, DissimilarityResult], seed: int) -> DissimilarityResults:
    """Return several pairs with the noise floor of those of a domain with itself."""
    selves = [one.record for pair, one in pairs.items() if pair[0] == pair[1]]
    return DissimilarityResults(pairs, noise_floor(selves, seed=seed) if selves else None)


def curves_source(curves: Any, performance: Any, names: Sequence[Pair] = ()) -> Source:
    """Return the table of mixture curves: as given, or made of shares (P,) and performances (P,), (R, P) or (N, R, P).

    Raises:
        InputError: they do not fit one another.
    """
    if performance is None:
        if len(names):
            raise InputError("names go with shares and performances as arrays; in a table they are the columns a and b")
        return source(curves, "curves")
    p = numbers("p", curves)
    if len(names):
        return _pairs_source(p, numbers("performance", performance, (3,)), names)
    table = np.atleast_2d(numbers("performance", performance, (1, 2)))
    if table.shape[1] != p.size:
        raise InputError(
            f"performance has shape {np.shape(performance)}, but there are {p.size} shares p; "
            "give one performance per share, or one row of them per repetition"
        )
    rows = [(r, float(share), float(value)) for r, row in enumerate(table) for share, value in zip(p, row, strict=True)]
    return from_rows(("repetition", "p", "performance"), rows, "curves")


def _pairs_source(p: Any, table: Any, names: Sequence[Any]) -> Source:
    """Return the table of the mixture curves of several pairs, from performances of shape (pairs, repetitions, P)."""
    if any(isinstance(pair, str) or len(pair) != 2 for pair in names):
        raise InputError(f"names are {list(names)!r}; give a pair (a, b) for each entry of the performances")
    if (table.shape[0], table.shape[2]) != (len(names), p.size):
        raise InputError(
            f"performance has shape {table.shape}, but there are {len(names)} pairs and {p.size} shares p; "
            "give it the shape (pairs, repetitions, shares)"
        )
    rows = [
        (str(a), str(b), r, float(share), float(value))
        for (a, b), block in zip(names, table, strict=True)
        for r, row in enumerate(block)
        for share, value in zip(p, row, strict=True)
    ]
    return from_rows(("a", "b", "repetition", "p", "performance"), rows, "curves")
