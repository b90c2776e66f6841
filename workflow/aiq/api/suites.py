"""``aiq.read`` and ``aiq.suite``: results of other programs, and a suite seen through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from aiq.api.arguments import TableLike, check_options, checked, frame_of, target
from aiq.api.results import Number, Result, frame
from aiq.errors import InputError
from aiq.records.observations import Observations
from aiq.records.suite_report import SuiteReport
from aiq.records.table import Display, Table

if TYPE_CHECKING:
    from pandas import DataFrame

    from aiq.figures import Drawing


@dataclass(frozen=True, repr=False, eq=False)
class ReadResult(Result):
    """Results of another program as performances in [0, 1].

    Attributes:
        record: agents, domains, cells, what is missing and what was skipped.
    """

    record: Observations

    @property
    def value(self) -> dict[str, float]:
        """Mean performance of each agent over the tests on which it has results."""
        matrix, there = self.record.wide().to_numpy(), self.record.counts() > 0
        return {agent: float(matrix[i][there[i]].mean()) for i, agent in enumerate(self.record.agents)}

    @property
    def interval(self) -> dict[str, None]:
        """No interval of any agent: what was read tells the error of single tests at most (column ``se``)."""
        return dict.fromkeys(self.record.agents)

    @property
    def n(self) -> int:
        """Number of results."""
        return self.record.n

    def parts(self) -> Sequence[Display]:
        """Return one row per agent, and what was done and not read."""
        counts, value = self.record.counts(), self.value
        rows = tuple(
            (agent, int((counts[i] > 0).sum()), int(counts[i].sum()), value[agent])
            for i, agent in enumerate(self.record.agents)
        )
        gaps = f"{int((counts == 0).sum())} of {counts.size} cells missing, {len(self.record.skipped)} things skipped"
        columns = ("agent", "tests", "results", "mean performance")
        return (Display("results", columns, rows, (gaps, *self.record.decisions)),)

    def plot(self) -> Drawing:
        """Draw the suite as these results show it.

        Raises:
            InputError: cells are missing, or there are too few agents.
        """
        from aiq.figures import suite_leaderboard
        from aiq.suites import suite as look

        return suite_leaderboard(look(self.record))


@dataclass(frozen=True, repr=False, eq=False)
class SuiteResult(Number):
    """A suite seen through results alone. This is not AIQ.

    Attributes:
        record: agents with ranks and groups, neighbours, tests or items, the smallest difference, fewer tests, anchors.
    """

    record: SuiteReport

    @property
    def value(self) -> float | None:
        """The smallest difference of two agents that the suite detects, over tests like these."""
        return self.record.smallest_difference.over_tests

    @property
    def interval(self) -> None:
        """The smallest difference has no interval."""
        return

    @property
    def n(self) -> int:
        """Number of agents."""
        return self.record.n

    def parts(self) -> Sequence[Display]:
        """Return agents and tests, and what must be known beside them, ending in three sentences to quote."""
        from aiq.report.results import suite as display

        return display(self.record)

    def table(self, of: str = "tests") -> Table:
        """Return a table: agents, neighbours, tests, reduction, needed, anchors, agreement, beats."""
        return self.record.table(of)

    def to_frame(self, of: str = "tests") -> DataFrame:
        """Return a table as a pandas data frame."""
        return frame(self.table(of))

    def plot(self, what: str = "leaderboard") -> Drawing:
        """Draw ``leaderboard``, ``beats``, ``tests``, ``agreement`` or ``fewer``."""
        from aiq.figures import draw

        return draw(f"suite-{what}", self.record)

    def page(self, path: str | PathLike[str], title: str = "suite") -> None:
        """Write the page that ``aiq suite --page`` writes."""
        from aiq.report.results import write_page

        write_page(self.record, target(path), title)


@checked
def read(source: TableLike, *, names: Sequence[str] = (), **how: Any) -> ReadResult:
    """Read results of other programs; the options are those of ``aiq.readers.read``.

    Args:
        source: a file or folder of lm-evaluation-harness, Inspect, HELM, MTEB, timm, Every Eval Ever, SWE-bench,
            rliable, openrlbenchmark, Hugging Face, or a table; or a data frame (agents in the index, tests in the
            columns), an array of that shape, or a mapping of columns.
        names: tests of an array's columns.
        **how: ``format``, ``metric``, ``items``, ``cluster``, ``columns``, ``drop``, ``rename``, ``keep``,
            ``latest``, ``ranges``, ``lower``, ``clip``, ``missing``, ``domains``.

    Raises:
        InputError: nothing can be read, or a score has no known range.

    Example:
        >>> import aiq
        >>> found = aiq.read([[0.9, 0.4], [0.5, 0.6]], names=["chess", "go"])
        >>> found.value
        {'agent 1': 0.65, 'agent 2': 0.55}
    """
    from aiq.readers import read as read_source  # brings pandas

    check_options(how, read_source)
    try:
        if isinstance(source, str | PathLike):
            return ReadResult(read_source(fspath(source), names=tuple(names), **how))
        return ReadResult(read_source(frame_of(source, names), **how))
    except TypeError as error:
        raise InputError(f"results cannot be read: {error}") from error


@checked
def suite(results: ReadResult | Observations | TableLike, *, names: Sequence[str] = (), **how: Any) -> SuiteResult:
    """Look at a suite through results alone; the options are those of ``aiq.suites.suite``.

    Args:
        results: what ``aiq.read`` returned, or anything that it reads: a source, a data frame (agents in the index,
            tests in the columns), or an array of that shape.
        names: tests of an array's columns.
        **how: ``by``, ``cluster``, ``items_in``, ``missing``, ``at``, ``power``, ``alpha``, ``differences``,
            ``resamples``, ``halves``, ``confidence``, ``seed``.

    Raises:
        InputError: for results that cannot be used.

    Example:
        >>> import aiq
        >>> results = [[0.9, 0.4, 0.6], [0.8, 0.5, 0.7], [0.2, 0.1, 0.3]]
        >>> found = aiq.suite(results, names=["chess", "go", "draughts"], halves=2)
        >>> [(agent.agent, round(agent.value.value, 2)) for agent in found.record.agents]
        [('agent 2', 0.67), ('agent 1', 0.63), ('agent 3', 0.2)]
    """
    from aiq.suites import suite as look

    check_options(how, look)
    given, cluster = observed(results, how.pop("cluster", None), names)
    return SuiteResult(look(given, cluster=cluster, **how))


def observed(
    results: Any,
    cluster: str | None = None,
    names: Sequence[str] = (),
    items: bool = False,
    known: Sequence[str] = (),
) -> tuple[Observations, str | None]:
    """Return results as observations, and by which of their columns items belong together.

    ``results``: what ``aiq.read`` returned, or anything that it reads. ``cluster``: a column or field of the source, or
    ``test``: items of one test belong together. ``names``: tests of an array's columns. ``items``: whether every item's
    score is read. ``known``: tests whose scores lie in [0, 1], whatever their names say.
    """
    if isinstance(results, ReadResult):
        results = results.record
    if isinstance(results, Observations):
        return results, cluster
    from aiq.readers import read as read_source  # brings pandas

    source = fspath(results) if isinstance(results, PathLike) else frame_of(results, names)
    if cluster in ("test", "domain"):
        return read_source(source, items=items), cluster
    return read_source(source, cluster=cluster, items=items, known=known), None
