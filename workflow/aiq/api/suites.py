"""``aiq.suite``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from aiq.api.arguments import check_options, check_seed, checked
from aiq.api.reading import ReadResult
from aiq.api.results import Number, frame, html, text
from aiq.api.tables import TableLike, frame_of, target
from aiq.records.observations import Observations
from aiq.records.suite_report import SuiteReport
from aiq.records.table import Shown, Table
from aiq.report.results import shown
from aiq.suites import suite as look

if TYPE_CHECKING:
    from pandas import DataFrame

    from aiq.figures import Drawing


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

    def shown(self) -> Shown:
        """Return the tests, and what must be known beside them; ``repr`` shows the agents too."""
        return shown(self.record)[-1]

    def __repr__(self) -> str:
        """Return both tables as text, and three sentences at the end."""
        return "\n\n".join(text(one) for one in shown(self.record))

    def _repr_html_(self) -> str:
        """Return both tables for a notebook."""
        return "".join(html(one) for one in shown(self.record))

    def table(self, of: str = "tests") -> Table:
        """Return a table: agents, neighbours, tests, reduction, needed, anchors, agreement, beats."""
        return self.record.table(of)

    def to_frame(self, of: str = "tests") -> DataFrame:
        """Return a table as a pandas data frame."""
        return frame(self.table(of))

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq suite --json`` prints."""
        return dict(self.record.as_dict())

    def plot(self, what: str = "leaderboard") -> Drawing:
        """Draw ``leaderboard``, ``beats``, ``tests``, ``agreement`` or ``fewer``."""
        from aiq.figures import draw

        return draw(f"suite-{what}", self.record)

    def page(self, path: str | PathLike[str], title: str = "suite") -> None:
        """Write the page that ``aiq suite --page`` writes."""
        from aiq.report.results import write_page

        write_page(self.record, target(path), title)


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
    check_options(how, look)
    check_seed(how.get("seed", 0))
    given, cluster = observed(results, how.pop("cluster", None), names)
    return SuiteResult(look(given, cluster=cluster, **how))


def observed(results: Any, cluster: str | None = None, names: Sequence[str] = ()) -> tuple[Observations, str | None]:
    """Return results as observations, and by which of their columns items belong together.

    Args:
        results: what ``aiq.read`` returned, or anything that it reads.
        cluster: a column or field of the source, or ``test``: items of one test belong together.
        names: tests of an array's columns.
    """
    if isinstance(results, ReadResult):
        results = results.record
    if isinstance(results, Observations):
        return results, cluster
    from aiq.readers import read  # brings pandas

    source = fspath(results) if isinstance(results, PathLike) else frame_of(results, names)
    if cluster in ("test", "domain"):
        return read(source), cluster
    return read(source, cluster=cluster), None
