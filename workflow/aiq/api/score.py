"""``aiq.score``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from aiq.api.arguments import check_seed
from aiq.api.results import Interval, Number, Numbers
from aiq.api.space import SpaceResult
from aiq.api.tables import TableLike, source
from aiq.records.quotient import AgentScore, Scores
from aiq.records.shown import Shown
from aiq.records.space import Space
from aiq.records.table import Table
from aiq.tasks.shown.scores import agents
from aiq.tasks.suite.reducing.space import score_from_table

if TYPE_CHECKING:
    from aiq.figures import Drawing

_NUMBERS = ("per_dimension", "relative", "geometric_mean", "mean", "volume")
_COLUMNS = (
    *("rank", "agent"),
    *(f"{name}{end}" for name in _NUMBERS for end in ("", "_low", "_high")),
    *("dimensions", "probability_above_next"),
)


@dataclass(frozen=True, repr=False, eq=False)
class AgentResult(Number):
    """The AIQ of one agent (Eqs. 11 to 14 of Pereyda and Holder 2025).

    Attributes:
        record: volume, relative and per-dimension AIQ, means, rank, hull.
        scores: the table from which it comes.
    """

    record: AgentScore
    scores: Scores

    @property
    def value(self) -> float:
        """AIQ per dimension, in [0, 1]."""
        return self.record.per_dimension.value

    @property
    def interval(self) -> Interval | None:
        """Its confidence interval, the number of dimensions resampled; None without replicates."""
        return self.record.per_dimension.interval

    @property
    def n(self) -> int:
        """Number of domains."""
        return len(self.scores.domains)

    def shown(self) -> Shown:
        """Return the agent's row of the table."""
        whole = agents(self.scores)
        rows = tuple(row for row in whole.rows if row[1] == self.record.agent)
        return Shown(whole.title, whole.columns, rows, whole.sentences)

    def table(self) -> Table:
        """Return one row."""
        return Table.of(_COLUMNS, [self.row()])

    def row(self) -> tuple[Any, ...]:
        """Return the cells of ``table``."""
        a = self.record
        found = [getattr(a, name) for name in _NUMBERS]
        cells = [cell for one in found for cell in ((None,) * 3 if one is None else one.cells())]
        return (a.rank, a.agent, *cells, self.scores.dimensions, a.order)

    def as_dict(self) -> dict[str, Any]:
        """Return the agent as ``aiq score --json`` prints it."""
        return dict(self.record.as_dict())

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
        return {one.agent: AgentResult(one, self.record) for one in self.record.agents}

    def shown(self) -> Shown:
        """Return one row per agent, best first."""
        return agents(self.record)

    def table(self) -> Table:
        """Return one row per agent, best first."""
        return Table.of(_COLUMNS, [one.row() for one in self.values()])

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq score --json`` prints."""
        return dict(self.record.as_dict())

    def plot(self) -> Drawing:
        """Draw the agents' AIQ beside their mean performances."""
        from aiq.figures import agent_scores

        return agent_scores(self.record)


def score(
    space: SpaceResult | Space | str | PathLike[str],
    performance: TableLike,
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> ScoreResults:
    """Score agents in an intelligence space: AIQ, the volume that their performances span.

    Args:
        space: what ``aiq.space`` returned, or the file of a space (a run's ``space.h5``).
        performance: a table with the columns ``agent``, ``domain``, ``performance`` in [0, 1], optional
            ``repetition``; or a wide one: ``agent``, then one column per domain. Every agent needs every domain.
        confidence: coverage of the intervals.
        seed: root of the resampling, a whole number of at least 0.

    Returns:
        the agents, best first; ``value`` is AIQ per dimension.

    Raises:
        InputError: for a table that cannot be used.
        StorageError: for a file that is no space.
    """
    check_seed(seed)
    known = space.record if isinstance(space, SpaceResult) else space
    place = known if isinstance(known, Space) else fspath(known)
    return ScoreResults(score_from_table(place, source(performance, "performance"), seed=seed, confidence=confidence))
