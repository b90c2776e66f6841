"""``aiq.compare``: finished runs, or two agents on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiq.api.arguments import checked
from aiq.api.results import Interval, Number, Result
from aiq.api.runs import MeasureRun, RunResult, suite_of
from aiq.api.suites import observed
from aiq.config.measures import CONFIDENCE, OfSuites
from aiq.errors import InputError
from aiq.records.explain import Comparison
from aiq.records.suite_report import PairedDifference
from aiq.records.table import Display, Table, counted
from aiq.settings import default_of
from aiq.suites.paired import two_agents, two_tables

if TYPE_CHECKING:
    from aiq.figures import Drawing

Key = tuple[str, ...]
ITEM_FILES = ("samples_*.jsonl", "*.eval", "per_instance_stats.json")
"""By one of these a folder is one of results on items, not a run."""


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
            (what, " – ".join(compared.name), run): difference.estimate
            for what in ("complexity", "dissimilarity", "agents")
            for compared in getattr(self.record, what)
            for run, difference in zip(runs, compared.differences, strict=True)
        }

    def parts(self) -> Sequence[Display]:
        """Return settings, complexities, dissimilarities, dimensions and agents; all sentences with the last."""
        from aiq.report.explained import comparison

        return comparison(self.record)

    def plot(self) -> Drawing:
        """Draw every number in all runs, and the differences from the first."""
        from aiq.figures import run_comparison

        return run_comparison(self.record)


@dataclass(frozen=True, repr=False, eq=False)
class DifferenceResult(Number):
    """The difference of two agents on the items that both have.

    Attributes:
        record: difference, interval, p, clusters, and what it rests on.
    """

    record: PairedDifference

    @property
    def value(self) -> float:
        """First minus second."""
        return self.record.difference

    @property
    def interval(self) -> Interval | None:
        """Its interval; None where nothing is known of its error."""
        return self.record.interval

    @property
    def n(self) -> int:
        """Number of items that both have."""
        return self.record.items

    def parts(self) -> Sequence[Display]:
        """Return the table that ``aiq compare A B`` prints."""
        from aiq.report.results import difference

        return (difference(self.record),)

    def table(self) -> Table:
        """Return one row."""
        flat = {k: v for k, v in self.as_dict().items() if not isinstance(v, list)}
        low, high = self.interval or (None, None)
        return Table.of([*flat, "low", "high"], [[*flat.values(), low, high]])

    def plot(self) -> Drawing:
        """Two agents have no figure.

        Raises:
            InputError: always; ``aiq.suite(...).plot()`` draws several agents.
        """
        raise InputError("one difference has no figure; aiq.suite(table).plot() draws all agents of a table")


@checked
def compare(
    *runs: Any,
    pool: Sequence[int] = (),
    agents: tuple[str, str] | None = None,
    names: Sequence[str] = (),
    cluster: str | None = None,
    power: float = default_of(OfSuites, "power"),
    alpha: float = default_of(OfSuites, "alpha"),
    confidence: float = CONFIDENCE,
) -> ComparisonResult | DifferenceResult:
    """Compare finished runs of suites, or two agents on the same items.

    Of runs: settings, complexities, dissimilarities, dimensions, agents and their order. Differences are of a run from
    the first. They are paired where both runs used the same policies (one seed and one design of the pool, of the
    mixtures' network, or of an agent), which narrows their intervals. Of agents: the mean difference on the items that
    both have, paired by item, with cluster-robust errors, McNemar's exact p for answers of 0 and 1.

    Args:
        runs: results folders, or what ``aiq.load`` returned; or two tables of items with one agent each (what
            ``aiq.read`` returned, a source that it reads, a data frame or an array); or one table, with ``agents``.
            Agents stand in the index of a data frame, tests in its columns; those of an array are "agent 1" and so on.
        pool: pool sizes, in policies; each run is then shown once for each: ``compare(run, pool=(32, 64))``.
        agents: two agents of one table.
        names: tests of the columns of arrays.
        cluster: the column that says which items belong together.
        power: probability with which the smallest difference is found.
        alpha: level of that test.
        confidence: coverage of the intervals of differences.

    Returns:
        the comparison, or the difference.

    Raises:
        InputError: a folder holds no run of a suite, there is nothing to compare, or no item is common.
        StorageError: a file is missing or damaged.

    Example:
        >>> import aiq
        >>> table = {"agent": ["me"] * 4 + ["you"] * 4, "item": [1, 2, 3, 4] * 2, "score": [1, 1, 0, 1, 0, 1, 0, 0]}
        >>> found = aiq.compare(aiq.read(table, items=True), agents=("me", "you"))
        >>> found.value, found.n
        (0.5, 4)
    """
    if agents is None and not any(is_table(run) for run in runs):
        if len(names):
            raise InputError("names are those of the columns of arrays; runs have their own, leave them out")
        from aiq.explain.compare import compare_runs  # brings matplotlib

        return ComparisonResult(compare_runs([suite_of(run) for run in runs], pools=list(pool), confidence=confidence))
    if pool:
        raise InputError("pool sizes are of runs; leave out pool, or give results folders")
    for what, share in {"power": power, "alpha": alpha, "confidence": confidence}.items():
        if not 0 < share < 1:
            raise InputError(f"{what} is {share:g}; it must lie between 0 and 1")
    given = [observed(run, cluster, names, has_items(run)) for run in runs]
    tables = [table for table, _ in given]
    how: dict[str, Any] = {"cluster": given[0][1], "power": power, "alpha": alpha, "confidence": confidence}
    if agents is not None and len(tables) == 1:
        difference = two_agents(tables[0], (agents[0], agents[1]), **how)
    elif agents is not None or len(tables) != 2:
        raise InputError(
            f"{counted(len(tables), 'table')} given; give two with one agent each, "
            "or one with agents=(A, B) (--agents A B)"
        )
    else:
        difference = two_tables(tables[0], tables[1], ("first", "second"), **how)
    decisions = tuple(dict.fromkeys(decision for table in tables for decision in table.decisions))
    skipped = tuple(dict.fromkeys(entry for table in tables for entry in table.skipped))
    return DifferenceResult(replace(difference, decisions=decisions, skipped=skipped))


def has_items(source: Any) -> bool:
    """Whether something is a folder of results on items."""
    place = Path(source) if isinstance(source, str | PathLike) else None
    return place is not None and place.is_dir() and any(next(place.rglob(name), None) for name in ITEM_FILES)


def is_table(source: Any) -> bool:
    """Whether something holds results of agents and is no run."""
    if isinstance(source, RunResult | MeasureRun):
        return False
    if not isinstance(source, str | PathLike):
        return True
    place = Path(source)
    if not place.is_dir() or (place / "tables").is_dir():
        return place.is_file() or (bool(place.suffix) and not place.exists())
    return has_items(place)
