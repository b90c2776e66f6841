"""``aiq.load``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiq.api.arguments import checked
from aiq.api.complexity import ComplexityResult, ComplexityResults
from aiq.api.dissimilarity import DissimilarityResult, DissimilarityResults
from aiq.api.headlines import Name, headline, numbers, stored_figure
from aiq.api.results import Interval, Result
from aiq.api.score import ScoreResults
from aiq.api.space import SpaceResult
from aiq.api.tables import file_of
from aiq.errors import InputError
from aiq.explain.finished import StoredRun, read_stored
from aiq.records.table import Shown, Table
from aiq.report.measures import agents, coordinates
from aiq.run.products import read_settings
from aiq.storage import read_published
from aiq.tables.trials import TableTrials

if TYPE_CHECKING:
    from pandas import DataFrame

    from aiq.figures import Drawing


@dataclass(frozen=True)
class Tables(Mapping[str, "DataFrame"]):
    """The tables of a run as pandas data frames, each read when it is asked for."""

    folder: Path

    def __getitem__(self, name: str) -> DataFrame:
        """Read one table."""
        from pandas import read_csv

        path = self.folder / f"{name}.csv"
        if not path.exists():
            raise KeyError(f"{self.folder.parent} has no table {name!r}; it has {', '.join(self) or 'none'}")
        return read_csv(path)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return (path.stem for path in sorted(self.folder.glob("*.csv")))

    def __len__(self) -> int:
        """Return how many there are."""
        return sum(1 for _ in self)


@dataclass(frozen=True, repr=False, eq=False)
class RunResult(Result):
    """A finished run of a suite, from its results folder.

    Attributes:
        folder: the results folder.
        settings: its configuration, every default written out; empty where an earlier version made the folder.
        complexity: domain -> complexity.
        dissimilarity: (a, b) -> dissimilarity.
        space: the intelligence space.
        scores: agent -> AIQ, best first; None where nobody was scored.
        tables: name -> data frame, as the run wrote them.
    """

    folder: Path
    settings: Mapping[str, Any]
    complexity: ComplexityResults
    dissimilarity: DissimilarityResults
    space: SpaceResult
    scores: ScoreResults | None
    tables: Tables
    stored: StoredRun = field(repr=False)

    @property
    def value(self) -> dict[str, float | None]:
        """AIQ per dimension of each agent, best first; empty where nobody was scored."""
        return {} if self.scores is None else self.scores.value

    @property
    def interval(self) -> dict[str, Interval | None]:
        """The interval of each agent's AIQ per dimension."""
        return {} if self.scores is None else self.scores.interval

    @property
    def n(self) -> int:
        """Number of domains."""
        return len(self.space.domains)

    def shown(self) -> Shown:
        """Return the agents' table, or the places of the domains where nobody was scored."""
        found = coordinates(self.space.record) if self.scores is None else agents(self.scores.record)
        d = self.space.value
        title = f"{self.stored.name}: {self.n} domains in {d} dimension{'s' * (d > 1)}"
        return Shown(title, found.columns, found.rows, found.sentences)

    def table(self) -> Table:
        """Return one row per agent, or per domain where nobody was scored."""
        return self.space.table() if self.scores is None else self.scores.table()

    def as_dict(self) -> dict[str, Any]:
        """Return all results as a JSON-ready mapping."""
        return {
            "settings": dict(self.settings),
            "complexity": self.complexity.as_dict(),
            "dissimilarity": self.dissimilarity.as_dict(),
            "space": self.space.as_dict(),
            "scores": None if self.scores is None else self.scores.as_dict(),
        }

    def plot(self) -> Drawing:
        """Draw the agents' scores, or the space where nobody was scored."""
        return self.space.plot() if self.scores is None else self.scores.plot()


@dataclass(frozen=True, repr=False, eq=False)
class MeasureRun(Result):
    """A finished run of another measure: its main numbers, its settings and its tables as data frames.

    The main numbers are quotients by (agent, length), Υ of the anytime test by (class, agent, budget), Υ of groups by
    (kind, side), or similarities by (a, b, merge, halvings). A folder without their table has none.

    Attributes:
        folder: the results folder.
        settings: its configuration, every default written out; empty where an earlier version made the folder.
        tables: name -> data frame, as the run wrote them.
    """

    folder: Path
    settings: Mapping[str, Any]
    tables: Tables

    @property
    def value(self) -> dict[Name, float | None]:
        """The main number of each name; None where it is undetermined."""
        return self._numbers()[0]

    @property
    def interval(self) -> dict[Name, Interval | None]:
        """The interval of each; None where nothing is known of its error."""
        return self._numbers()[1]

    @property
    def n(self) -> dict[Name, int]:
        """How many observations stand behind each: runs, tests, episodes or repetitions."""
        return self._numbers()[2]

    def shown(self) -> Shown:
        """Return the main numbers, or the first table where there are none."""
        found = headline(self.folder)
        if found is None:
            table = self.table()
            return Shown(f"{self.folder.name}: {next(iter(self.tables))}", table.columns, table.rows)
        name, main = found
        values, intervals, counts = self._numbers()
        rows = tuple((*one, values[one], intervals[one], counts[one]) for one in values)
        return Shown(f"{self.folder.name}: {name}", (*main.names, main.value, "interval", main.n), rows)

    def table(self) -> Table:
        """Return the table of the main numbers, or the first one."""
        found = headline(self.folder)
        name = next(iter(self.tables)) if found is None else found[0]
        return read_published(self.folder / "tables" / f"{name}.csv")

    def as_dict(self) -> dict[str, Any]:
        """Return settings and all tables, one mapping a row, JSON-ready."""
        tables = {name: read_published(self.folder / "tables" / f"{name}.csv") for name in self.tables}
        rows = {name: [dict(zip(one.columns, row, strict=True)) for row in one.rows] for name, one in tables.items()}
        return {"settings": dict(self.settings), "tables": rows}

    def plot(self, name: str | None = None) -> Drawing:
        """Return a figure as the run drew it: that of the main numbers, or one by name.

        Raises:
            InputError: the run has no such figure.
            StorageError: it is damaged.
        """
        found = headline(self.folder)
        return stored_figure(self.folder, name, "" if found is None else found[1].figure)

    def _numbers(self) -> tuple[dict[Name, float | None], dict[Name, Interval | None], dict[Name, int]]:
        """Return value, interval and number of observations by name; nothing where there are no main numbers."""
        found = headline(self.folder)
        return ({}, {}, {}) if found is None else numbers(self.table(), found[1])


@checked
def load(folder: str | PathLike[str]) -> RunResult | MeasureRun:
    """Read the results folder of a finished run.

    Args:
        folder: for example ``results/quickstart``.

    Returns:
        the results of a suite (measure ``aiq``) with complexities, dissimilarities, space and scores; of any other
        measure its main numbers, settings and tables.

    Raises:
        InputError: the folder holds no results.
        StorageError: a file is missing or damaged.

    Example:
        >>> import aiq
        >>> run = aiq.load("results/tiny")
        >>> sorted(run.complexity)
        ['digits', 'noisy', 'wine']
    """
    root = Path(file_of(folder, "a run"))
    tables = Tables(root / "tables")
    if root.is_dir() and not (root / "dissimilarity.h5").exists() and len(tables):
        return MeasureRun(root, read_settings(root), tables)
    return of_stored(read_stored(root))


def of_stored(run: StoredRun) -> RunResult:
    """Return the results of a run that was read."""
    complexities = {
        name: ComplexityResult(name, one.complexity, TableTrials(one.complexity, one.size, one.performance), one.unit)
        for name, one in run.complexity.items()
    }
    suite = run.dissimilarity
    pairs = {(one.a, one.b): DissimilarityResult((one.a, one.b), one.measured, one.curves) for one in suite.pairs}
    return RunResult(
        folder=run.folder,
        settings=run.settings,
        complexity=ComplexityResults(complexities, shared=True),
        dissimilarity=DissimilarityResults(pairs, suite.floor),
        space=SpaceResult(run.space),
        scores=None if run.scores is None else ScoreResults(run.scores.scores),
        tables=Tables(run.folder / "tables"),
        stored=run,
    )


def suite_of(run: RunResult | MeasureRun | str | PathLike[str]) -> StoredRun:
    """Return the stored run of what ``load`` returned, or of a folder.

    Raises:
        InputError: it is no run of a suite.
    """
    found = run if isinstance(run, RunResult | MeasureRun) else load(run)
    if isinstance(found, MeasureRun):
        raise InputError(f"{found.folder} is no run of a suite; aiq compare takes runs of measure aiq")
    return found.stored
