"""A table as it is written to CSV."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

# ---- What a person is shown of a result ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Display:
    """A table for people, on the screen and in a notebook.

    ``rows`` hold one cell a column: texts, numbers, intervals (pairs of numbers), or None where there is nothing;
    ``sentences`` say what the numbers mean and what they cannot tell.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    sentences: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"row {row} does not fit the columns {self.columns}")


def words(cell: object) -> str:
    """Return a cell as text: four significant digits, intervals in brackets, a dash where there is nothing or NaN."""
    parts = cell if isinstance(cell, tuple | list) else (cell,)
    if cell is None or any(isinstance(part, float) and math.isnan(part) for part in parts):
        return "–"
    if isinstance(cell, float):
        return f"{cell:.4g}"
    if isinstance(cell, tuple | list) and len(cell) == 2 and all(isinstance(part, float) for part in cell):
        return f"[{cell[0]:.3g}, {cell[1]:.3g}]"
    return str(cell)


def counted(number: int, what: str) -> str:
    """Return how many there are of what stands in the singular: 1 agent, 2 agents."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def warned(sentences: tuple[str, ...]) -> tuple[str, ...]:
    """Return sentences marked as warnings."""
    return tuple(f"warning: {sentence}" for sentence in sentences)


def left_out(skipped: Sequence[Any], most: int = 20) -> list[str]:
    """Return what was skipped, a line each, no more than some: all of it stands in JSON."""
    lines = list(dict.fromkeys(f"skipped {entry.name}: {entry.reason}" for entry in skipped))
    more = [f"skipped {len(lines) - most} more, all listed by --json"] if len(lines) > most else []
    return [*lines[:most], *more]


# ---- A table as it is written to CSV -------------------------------------------------------------


Cell = str | int | float | bool | None
NOT_COMPUTED = "not_computed"
"""The only column of a table that could not be had; its one cell says why."""


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and rows of cells; every row has one cell a column.

    ``lines`` are the lines of the file that the rows end on, where the table was read from one.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    lines: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if len(set(self.columns)) != len(self.columns):
            raise ValueError(f"columns {self.columns} are not unique")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"row {row} does not fit the columns {self.columns}")

    @classmethod
    def of(cls, columns: Sequence[str], rows: Sequence[Sequence[Cell]], lines: Sequence[int] = ()) -> Table:
        """Build a table from any sequences."""
        return cls(tuple(columns), tuple(tuple(row) for row in rows), tuple(lines))

    @classmethod
    def lacking(cls, why: str) -> Table:
        """Return what stands where a table could not be had: why."""
        return cls((NOT_COMPUTED,), ((why,),))

    @property
    def why_lacking(self) -> str | None:
        """Why the table could not be had; None where it is one."""
        return str(self.rows[0][0]) if self.columns == (NOT_COMPUTED,) and self.rows else None

    @property
    def dicts(self) -> list[dict[str, Cell]]:
        """The rows, each as column -> cell."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def column(self, name: str) -> list[Cell]:
        """Return one column by name; raises ValueError where there is none."""
        if name not in self.columns:
            raise ValueError(f"a table of {', '.join(self.columns)} has no column {name!r}")
        place = self.columns.index(name)
        return [row[place] for row in self.rows]


def bounds(*names: str) -> tuple[str, ...]:
    """Return the columns of estimates with their intervals."""
    return tuple(column for name in names for column in (name, f"{name}_low", f"{name}_high"))


def groups(table: Table, columns: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Return rows by the values of some columns (those that the table has), in order of first occurrence."""
    present = [table.column(column) for column in columns if column in table.columns]
    rows: dict[tuple[str, ...], list[int]] = {}
    for row in range(len(table.rows)):
        rows.setdefault(tuple(str(column[row]) for column in present), []).append(row)
    return rows
