"""``aiq.space`` and ``aiq.score``: where tests lie, and what agents reach there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from aiq import storage
from aiq.api.arguments import (
    TableLike,
    check_word,
    checked,
    columns,
    from_columns,
    from_rows,
    kind_of,
    numbers,
    source,
    target,
)
from aiq.api.results import Interval, Number, Numbers, Result
from aiq.api.suites import ReadResult, observed
from aiq.config.base import fingerprint
from aiq.config.measures import CONFIDENCE, OfTables
from aiq.config.measures import Space as Settings
from aiq.errors import InputError
from aiq.records.observations import Observations
from aiq.records.quotient import AgentScore, Scores
from aiq.records.space import Space
from aiq.records.table import Display, Table
from aiq.report.measures import agents, coordinates
from aiq.settings import default_of
from aiq.storage import Source
from aiq.tables.scores import agents_table, read_space, score_from, tests_table
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
        kept = sorted(likely)
        cumulated = np.cumsum([likely[d] for d in kept])
        low, high = (min(int(np.searchsorted(cumulated, q - 1e-9)), len(kept) - 1) for q in (0.025, 0.975))
        return float(kept[low]), float(kept[high])

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
        places = zip(s.domains, s.coordinates.tolist(), moved, strict=True)
        rows = [(name, *point, by, name in s.vanished) for name, point, by in places]
        return Table.of(("domain", *axes, "displacement", "vanished"), rows)

    def plot(self, kind: Literal["plane", "solid", "spectrum", "contributions"] = "plane") -> Drawing:
        """Draw the space: on its first two axes, in three, its spectrum, or what each domain adds to each axis."""
        from aiq import figures

        places = {"plane": figures.space_plane, "solid": figures.space_solid}
        drawn = {**places, "spectrum": figures.spectrum, "contributions": figures.contributions}
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
    confidence: float = CONFIDENCE,
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
    if hasattr(data, "columns") and hasattr(data, "index"):  # of a square frame rows and columns have the same names
        rows = [str(name) for name in data.index]
        if rows == list(columns(data.reset_index(drop=True), "dissimilarity")):
            return _of_matrix(numbers("dissimilarity", data, (2,)), rows)
    if not isinstance(data, np.ndarray | list | tuple):
        return source(data, "dissimilarity")
    table = storage.read_raw(given).checked(("domain",), allows=lambda column: True)
    return _of_matrix(numbers("dissimilarity", data, (2,)), [str(name) for name in table.column("domain")])


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
    there = np.argwhere(np.triu(~np.isnan(matrix)))
    rows = [(names[i], names[j], float(matrix[i, j])) for i, j in there]
    return from_rows(("a", "b", "dissimilarity"), rows, "dissimilarity")


# ---- Scores --------------------------------------------------------------------------------------

if TYPE_CHECKING:
    from aiq.figures import Drawing


@dataclass(frozen=True, repr=False, eq=False)
class AgentResult(Number):
    """The score of one agent: the headline, and its AIQ (Eqs. 11 to 14 of Pereyda and Holder 2025).

    Attributes:
        record: headline with profile and ranks; volume, relative and per-dimension AIQ, means, hull.
        scores: the table from which it comes.
    """

    record: AgentScore
    scores: Scores

    @property
    def value(self) -> float:
        """The headline, in [0, 1]: the mean over independent skills, or AIQ per dimension; NaN where there is none."""
        return self.record.headline.value

    @property
    def interval(self) -> Interval | None:
        """Its confidence interval; None where nothing is known of any error."""
        return self.record.headline.interval

    @property
    def n(self) -> int:
        """Number of domains."""
        return len(self.scores.domains)

    def parts(self) -> Sequence[Display]:
        """Return the agent's row of the table."""
        whole = agents(self.scores)
        return (replace(whole, rows=tuple(row for row in whole.rows if row[1] == self.record.agent)),)

    def table(self) -> Table:
        """Return one row, with the columns of a run's ``agents.csv``."""
        return agents_table(self.scores, only=self.record.agent)

    def plot(self) -> Drawing:
        """Draw the whole table, in which alone a score has a meaning."""
        from aiq.figures import agent_scores

        return agent_scores(self.scores)


@dataclass(frozen=True, repr=False, eq=False)
class ScoreResults(Numbers[str, AgentResult]):
    """The AIQ of several agents, best first: a mapping from agent to its result.

    Attributes:
        record: the whole table, with the probabilities of every order.
    """

    record: Scores

    @property
    def items_(self) -> Mapping[str, AgentResult]:  # type: ignore[override]
        """Agent -> result."""
        return {agent.agent: AgentResult(agent, self.record) for agent in self.record.agents}

    def parts(self) -> Sequence[Display]:
        """Return one row per agent, best first."""
        return (agents(self.record),)

    def table(self) -> Table:
        """Return one row per agent, best first, with the columns of a run's ``agents.csv``."""
        return agents_table(self.record)

    @property
    def tests(self) -> Table:
        """What each test counts in the mean over independent skills, and why: a run's ``tests.csv``."""
        return tests_table(self.record)

    def plot(self, kind: Literal["agents", "tests"] = "agents") -> Drawing:
        """Draw the agents' headline beside their AIQ and mean performances, or what each test counts."""
        from aiq.figures import agent_scores, test_weights

        check_word("the figure", kind, "agents", "tests")
        return test_weights(self.record) if kind == "tests" else agent_scores(self.record)


@checked
def score(
    space: SpaceResult | Space | str | PathLike[str],
    performance: TableLike | ReadResult | Observations,
    *,
    names: Sequence[str] = (),
    value: Literal["skills", "volume"] = default_of(OfTables, "value"),
    missing: Literal["refuse", "agents", "zero"] = "refuse",
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> ScoreResults:
    """Score agents in an intelligence space: the mean over independent skills, and AIQ, the volume that they span.

    Args:
        space: what ``aiq.space`` returned, or the file of a space (a run's ``space.h5``).
        performance: a table with the columns ``agent``, ``domain``, ``performance`` in [0, 1], optional
            ``repetition`` and ``se``; a wide one: agents in the index or in ``agent``, then one column per domain; an
            array, one row per agent and one column per domain; or what ``aiq.read`` returned.
            Every agent needs every domain of the space; other tests are left out, and a warning says so.
        names: domains of an array's columns; without any those of the space, in its order.
        value: the headline by which agents are listed: ``skills``, the mean over independent skills, or ``volume``, AIQ
            per dimension. Both are always computed.
        missing: what to do with missing cells: refuse them, leave out agents that have one, or count them as zero.
        confidence: coverage of the intervals.
        seed: root of the resampling, a whole number of at least 0.

    Returns:
        the agents, best first; ``value`` is the headline.

    Raises:
        InputError: for a table that cannot be used.
        StorageError: for a file that is no space.

    Example:
        >>> import aiq
        >>> space = aiq.space([1, 2], [[0, 0.02], [0.02, 0]], names=["A", "B"])
        >>> found = aiq.score(space, [[0.9, 0.4], [0.5, 0.6]])
        >>> {agent: round(value, 2) for agent, value in found.value.items()}
        {'agent 2': 0.56, 'agent 1': 0.53}
    """
    source = space.record if isinstance(space, SpaceResult) else space
    if not isinstance(source, Space | str | PathLike):
        raise InputError(f"the space is {kind_of(source)}; give what aiq.space returned, or a file, before the agents")
    held = source if isinstance(source, Space) else read_space(fspath(source))
    own = hasattr(performance, "columns") or isinstance(performance, (str, PathLike, Mapping, ReadResult, Observations))
    given, _ = observed(performance, names=names or (() if own else held.domains), known=held.domains)
    return ScoreResults(score_from(held, given, missing=missing, value=value, seed=seed, confidence=confidence))
