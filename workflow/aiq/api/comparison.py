"""``aiq.compare``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from aiq.api.results import Interval, Result, html, text
from aiq.api.runs import MeasureRun, RunResult, suite_of
from aiq.records.comparison import Comparison
from aiq.records.shown import Shown
from aiq.records.table import Table
from aiq.tasks.comparing import compare_runs
from aiq.tasks.shown.comparison import comparison

if TYPE_CHECKING:
    from aiq.figures import Drawing

Key = tuple[str, ...]


@dataclass(frozen=True, repr=False, eq=False)
class ComparisonResult(Result):
    """Runs side by side, with how far each is from the first.

    Attributes:
        record: settings that differ, and every number in all runs with its differences.
    """

    record: Comparison

    @property
    def value(self) -> dict[Key, float | None]:
        """(quantity, name, run) -> difference of that run from the first, such as ("complexity", "digits", "b").

        A pair of domains is named "a – b"; quantities are ``complexity``, ``dissimilarity`` and ``agents``.
        """
        return {key: None if d is None else d.value for key, d in self._differences().items()}

    @property
    def interval(self) -> dict[Key, Interval | None]:
        """The interval of each difference; None where it is not known."""
        return {key: None if d is None else d.interval for key, d in self._differences().items()}

    @property
    def n(self) -> int:
        """Number of runs."""
        return len(self.record.runs)

    def _differences(self) -> dict[Key, Any]:
        """Return (quantity, name, run) -> estimate of the difference."""
        runs = self.record.runs[1:]
        return {
            (what, " – ".join(one.name), run): difference.estimate
            for what in ("complexity", "dissimilarity", "agents")
            for one in getattr(self.record, what)
            for run, difference in zip(runs, one.differences, strict=True)
        }

    def shown(self) -> Shown:
        """Return the last of the tables, which has the agents, with all sentences."""
        return comparison(self.record)[-1]

    def __repr__(self) -> str:
        """Return all tables as text."""
        return "\n\n".join(text(one) for one in comparison(self.record))

    def _repr_html_(self) -> str:
        """Return all tables for a notebook."""
        return "".join(html(one) for one in comparison(self.record))

    def table(self) -> Table:
        """Return one row per quantity and later run."""
        return self.record.table()

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq compare --json`` prints."""
        return self.record.as_dict()

    def plot(self) -> Drawing:
        """Draw every number in all runs, and the differences from the first."""
        from aiq.figures import run_comparison

        return run_comparison(self.record)


def compare(
    *runs: RunResult | MeasureRun | str | PathLike[str], pool: Sequence[int] = (), confidence: float = 0.95
) -> ComparisonResult:
    """Compare finished runs of suites: settings, complexities, dissimilarities, dimensions, agents and their order.

    Differences are of a run from the first. They are paired where both runs used the same policies (one seed and one
    design of the pool, of the mixtures' network, or of an agent), which narrows their intervals.

    Args:
        runs: results folders, or what ``aiq.load`` returned.
        pool: pool sizes, in policies; each run is then shown once for each: ``compare(run, pool=(32, 64))``.
        confidence: coverage of the intervals of differences.

    Returns:
        the comparison.

    Raises:
        InputError: a folder holds no run of a suite, or there is nothing to compare.
        StorageError: a file is missing or damaged.
    """
    return ComparisonResult(compare_runs([suite_of(run) for run in runs], pools=list(pool), confidence=confidence))
