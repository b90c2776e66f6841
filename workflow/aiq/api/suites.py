"""``aiq.suite``."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

from aiq.api.arguments import check_seed
from aiq.api.reading import ReadResult
from aiq.api.results import Number
from aiq.readers import read
from aiq.records.results import Results
from aiq.records.shown import Shown, warned
from aiq.records.suite_report import SuiteReport
from aiq.records.table import Table
from aiq.suites import suite as look

if TYPE_CHECKING:
    from pandas import DataFrame

    from aiq.figures import Drawing


@dataclass(frozen=True, repr=False, eq=False)
class SuiteResult(Number):
    """A suite seen through results alone. This is not AIQ.

    Attributes:
        record: tests, agents, the smallest difference, fewer tests, weaker agents.
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
        """Return one row per test, and what must be known beside it."""
        level = f"{self.record.confidence:.0%}"
        rows = tuple(
            (
                t.test,
                t.difficulty.value,
                t.difficulty.interval,
                None if t.discrimination is None else t.discrimination.value,
                None if t.discrimination is None else t.discrimination.interval,
                None if t.redundancy is None else t.redundancy.value,
                t.predicted_by or "–",
            )
            for t in self.record.tests
        )
        columns = ("test", "difficulty", level, "discrimination", level, "predicted", "by")
        return Shown("tests", columns, rows, (*self.record.notes, *warned(self.record.warnings)))

    def table(self, of: Literal["tests", "agents"] = "tests") -> Table:
        """Return the tests or the agents."""
        return self.record.table(of)

    def to_frame(self, of: Literal["tests", "agents"] = "tests") -> DataFrame:
        """Return the tests or the agents as a pandas data frame."""
        frame: DataFrame = self.record.to_frame(of)
        return frame

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq suite --json`` prints."""
        return dict(self.record.as_dict())

    def plot(self) -> Drawing:
        """Draw difficulty, discrimination, redundancy, and the order with fewer tests."""
        from aiq.figures import suite_overview

        return suite_overview(self.record)


def suite(results: ReadResult | Results | str | PathLike[str] | Any, **how: Any) -> SuiteResult:
    """Look at a suite through results alone; the options are those of ``aiq.suites.suite``.

    Args:
        results: what ``aiq.read`` returned, a source that it reads, or a pandas data frame of performances in [0, 1].
        **how: ``missing``, ``at``, ``power``, ``alpha``, ``resamples``, ``halves``, ``confidence``, ``seed``.

    Raises:
        InputError: for results that cannot be used.
    """
    check_seed(how.get("seed", 0))
    if isinstance(results, str | PathLike):
        results = read(fspath(results))
    return SuiteResult(look(results.record if isinstance(results, ReadResult) else results, **how))
