"""``aiq.score``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Literal

from aiq.api.arguments import TableLike, check_word, checked, kind_of
from aiq.api.results import Interval, Number, Numbers
from aiq.api.space import SpaceResult
from aiq.api.suites import ReadResult, observed
from aiq.config.measures import CONFIDENCE, Headline
from aiq.errors import InputError
from aiq.records.observations import Observations
from aiq.records.quotient import AgentScore, Scores
from aiq.records.space import Space
from aiq.records.table import Display, Table
from aiq.report.measures import agents
from aiq.settings import default_of
from aiq.tables.scores import agents_table, read_space, score_from, tests_table

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
    value: Literal["skills", "volume"] = default_of(Headline, "value"),
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
