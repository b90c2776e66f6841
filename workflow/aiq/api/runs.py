"""``aiq.load``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiq import wing
from aiq.api.arguments import checked, file_of
from aiq.api.complexity import ComplexityResult, ComplexityResults
from aiq.api.dissimilarity import DissimilarityResult, DissimilarityResults
from aiq.api.results import Interval, Result
from aiq.api.space import ScoreResults, SpaceResult
from aiq.errors import InputError, StorageError, choice, redo_command
from aiq.records.table import Cell, Display, Table
from aiq.report.measures import agents, coordinates
from aiq.storage import read_published
from aiq.tables.measured import TableTrials

if TYPE_CHECKING:
    from pandas import DataFrame

    from aiq.explain.finished import FinishedRun
    from aiq.figures import Drawing
    from aiq.wing import Headline

DOTS = 200  # of a stored figure, to the inch
Name = tuple[Cell, ...]


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
        scores: agent -> its scores, best first; None where nobody was scored.
        tables: name -> data frame, as the run wrote them.
    """

    folder: Path
    settings: Mapping[str, Any]
    complexity: ComplexityResults
    dissimilarity: DissimilarityResults
    space: SpaceResult
    scores: ScoreResults | None
    tables: Tables
    stored: FinishedRun = field(repr=False)

    @property
    def value(self) -> dict[str, float | None]:
        """The headline of each agent, best first; empty where nobody was scored."""
        return {} if self.scores is None else self.scores.value

    @property
    def interval(self) -> dict[str, Interval | None]:
        """The interval of each agent's headline."""
        return {} if self.scores is None else self.scores.interval

    @property
    def n(self) -> int:
        """Number of domains."""
        return len(self.space.domains)

    def parts(self) -> tuple[Display]:
        """Return the agents' table, or the places of the domains where nobody was scored."""
        display = coordinates(self.space.record) if self.scores is None else agents(self.scores.record)
        d = self.space.value
        title = f"{self.stored.name}: {self.n} domains in {d} dimension{'s' * (d > 1)}"
        return (Display(title, display.columns, display.rows, display.sentences),)

    def table(self) -> Table:
        """Return one row per agent, or per domain where nobody was scored."""
        return self.space.table() if self.scores is None else self.scores.table()

    def as_dict(self) -> dict[str, Any]:
        """Return all results as a JSON-ready mapping."""
        stages = {name: getattr(self, name).as_dict() for name in ("complexity", "dissimilarity", "space")}
        scores = None if self.scores is None else self.scores.as_dict()
        return {"settings": dict(self.settings), **stages, "scores": scores}

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
        return {name: value for name, (value, _, _) in self._numbers().items()}

    @property
    def interval(self) -> dict[Name, Interval | None]:
        """The interval of each; None where nothing is known of its error."""
        return {name: interval for name, (_, interval, _) in self._numbers().items()}

    @property
    def n(self) -> dict[Name, int]:
        """How many observations stand behind each: runs, tests, episodes or repetitions."""
        return {name: count for name, (_, _, count) in self._numbers().items()}

    def parts(self) -> tuple[Display]:
        """Return the main numbers, or the first table where there are none."""
        main = self._headline()
        if main is None:
            table = self.table()
            return (Display(f"{self.folder.name}: {next(iter(self.tables))}", table.columns, table.rows),)
        rows = tuple((*name, *cells) for name, cells in self._numbers().items())
        return (Display(f"{self.folder.name}: {main.table}", (*main.names, main.value, "interval", main.n), rows),)

    def table(self) -> Table:
        """Return the table of the main numbers, or the first one."""
        main = self._headline()
        return self._read(next(iter(self.tables)) if main is None else main.table)

    def as_dict(self) -> dict[str, Any]:
        """Return settings and all tables, one mapping a row, JSON-ready."""
        return {"settings": dict(self.settings), "tables": {name: self._read(name).dicts for name in self.tables}}

    def plot(self, name: str | None = None) -> Drawing:
        """Return a figure as the run drew it: that of the main numbers, or one by name.

        Raises:
            InputError: the run has no such figure.
            StorageError: it is damaged.
        """
        names = sorted(path.stem for path in (self.folder / "figures").glob("*.png"))
        if not names:
            raise InputError(f"{self.folder} holds no figures; make them: {redo_command()}, or draw from its tables")
        if name is not None and name not in names:
            raise InputError(choice("the figure", name, names))
        main = self._headline()
        usual = main.figure if main is not None and main.figure in names else names[0]
        path = self.folder / "figures" / f"{name or usual}.png"
        try:
            return _picture(path)
        except (OSError, ValueError, SyntaxError) as error:
            raise StorageError(f"{path} is damaged ({error}); make it again: {redo_command()}") from error

    def _read(self, name: str) -> Table:
        return read_published(self.folder / "tables" / f"{name}.csv")

    def _headline(self) -> Headline | None:
        """Return which columns of which table are the main numbers; None where there is none of a known measure."""
        for main in (measure.headline for measure in wing.measures().values()):
            there = main is not None and (self.folder / "tables" / f"{main.table}.csv").exists()
            if main is not None and there and set(main.columns) <= set(self._read(main.table).columns):
                return main
        return None

    def _numbers(self) -> dict[Name, tuple[float | None, Interval | None, int]]:
        """Return value, interval and number of observations by name; nothing where there are no main numbers."""
        main = self._headline()
        numbers: dict[Name, tuple[float | None, Interval | None, int]] = {}
        if main is None:
            return numbers
        for cells in self._read(main.table).dicts:
            low, high = _number(cells[main.low]), _number(cells[main.high])
            interval = None if low is None or high is None else (low, high)
            name = tuple(cells[column] for column in main.names)
            numbers[name] = (_number(cells[main.value]), interval, int(_number(cells[main.n]) or 0))
        return numbers


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
    from aiq.explain.finished import FinishedRun  # brings matplotlib
    from aiq.run.products import read_settings

    root = Path(file_of(folder, "a run"))
    tables = Tables(root / "tables")
    if root.is_dir() and not (root / "dissimilarity.h5").exists() and len(tables):
        return MeasureRun(root, read_settings(root), tables)
    return _of_stored(FinishedRun.in_folder(root))


def _of_stored(run: FinishedRun) -> RunResult:
    complexities = {
        name: ComplexityResult(
            name, stored.complexity, TableTrials(stored.complexity, stored.size, stored.performance), stored.unit
        )
        for name, stored in run.complexity.items()
    }
    suite = run.dissimilarity
    pairs = {
        (pair.a, pair.b): DissimilarityResult((pair.a, pair.b), pair.measured, pair.curves) for pair in suite.pairs
    }
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


def suite_of(run: RunResult | MeasureRun | str | PathLike[str]) -> FinishedRun:
    """Return the stored run of what ``load`` returned, or of a folder; InputError where it is none of a suite."""
    opened = run if isinstance(run, RunResult | MeasureRun) else load(run)
    if isinstance(opened, MeasureRun):
        raise InputError(f"{opened.folder} is no run of a suite; aiq compare takes runs of measure aiq")
    return opened.stored


def _picture(path: Path) -> Drawing:
    """Return a figure that a run drew, with its caption and its numbers."""
    from matplotlib.figure import Figure
    from matplotlib.image import imread

    from aiq.figures import Drawing

    caption = path.with_suffix(".txt").read_text(encoding="utf-8").strip()
    table, pixels = read_published(path.with_suffix(".csv")), imread(path)
    figure = Figure(figsize=(pixels.shape[1] / DOTS, pixels.shape[0] / DOTS))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.imshow(pixels, aspect="auto")
    return Drawing(figure, table, caption, caption)


def _number(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, int | float) and math.isfinite(cell) else None
