"""The main numbers of runs of other measures, from the tables and figures in their folders."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from aiq import wing
from aiq.api.results import Interval
from aiq.errors import InputError, StorageError, choice, redo_command
from aiq.records.table import Cell, Table
from aiq.storage import read_published
from aiq.wing import Headline

if TYPE_CHECKING:
    from aiq.figures import Drawing

DOTS = 200  # of a stored figure, to the inch


Name = tuple[Cell, ...]


def headline(folder: Path) -> tuple[str, Headline] | None:
    """Return the table of a run's main numbers and its columns; None where there is none of a known measure."""
    for found in (measure.headline for measure in wing.measures().values()):
        if found is None:
            continue
        name = found.table
        path = folder / "tables" / f"{name}.csv"
        if path.exists() and set(found.columns) <= set(read_published(path).columns):
            return name, found
    return None


def numbers(
    table: Table, main: Headline
) -> tuple[dict[Name, float | None], dict[Name, Interval | None], dict[Name, int]]:
    """Return value, interval and number of observations by name."""
    values: dict[Name, float | None] = {}
    intervals: dict[Name, Interval | None] = {}
    counts: dict[Name, int] = {}
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        name = tuple(cells[column] for column in main.names)
        low, high = _number(cells[main.low]), _number(cells[main.high])
        values[name] = _number(cells[main.value])
        intervals[name] = None if low is None or high is None else (low, high)
        counts[name] = int(_number(cells[main.n]) or 0)
    return values, intervals, counts


def stored_figure(folder: Path, asked: str | None, usual: str) -> Drawing:
    """Return a figure that a run drew, with its caption and its numbers.

    Args:
        folder: the results folder.
        asked: its name; None takes the usual one, or the first.
        usual: the name of the one that shows the main numbers.

    Raises:
        InputError: there is no such figure.
        StorageError: it is damaged.
    """
    names = sorted(path.stem for path in (folder / "figures").glob("*.png"))
    if not names:
        raise InputError(f"{folder} holds no figures; make them: {redo_command()}, or draw from its tables")
    if asked is not None and asked not in names:
        raise InputError(choice("the figure", asked, names))
    name = asked or (usual if usual in names else names[0])
    path = folder / "figures" / f"{name}.png"
    try:
        caption = path.with_suffix(".txt").read_text(encoding="utf-8").strip()
        return _picture(path, read_published(path.with_suffix(".csv")), caption)
    except (OSError, ValueError, SyntaxError) as error:
        raise StorageError(f"{path} is damaged ({error}); make it again: {redo_command()}") from error


def _picture(path: Path, table: Table, caption: str) -> Drawing:
    from matplotlib.figure import Figure
    from matplotlib.image import imread

    from aiq.figures import Drawing

    pixels = imread(path)
    figure = Figure(figsize=(pixels.shape[1] / DOTS, pixels.shape[0] / DOTS))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.imshow(pixels, aspect="auto")
    return Drawing(figure, table, caption, caption)


def _number(cell: Cell) -> float | None:
    """Return a number, None where there is none."""
    return float(cell) if isinstance(cell, int | float) and math.isfinite(cell) else None
