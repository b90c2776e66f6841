"""CSV tables: written whole, read with every column and cell checked; tables in memory are read the same way.

Tables and captions that a run has published are read back as they are.
"""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aiq.errors import InputError, StorageError, did_you_mean, redo_command
from aiq.records.table import Cell, Table
from aiq.storage.files import replacing

Allows = Callable[[str], bool]
"""Says of a column whether it may be there without being read."""


def render(table: Table) -> str:
    """Return a table as CSV text; floats with all digits, missing cells empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow(
            ["" if cell is None else repr(float(cell)) if isinstance(cell, float) else cell for cell in row]
        )
    return out.getvalue()


def write_table(path: str | Path, table: Table) -> None:
    """Write a table atomically."""
    with replacing(path) as temporary:
        temporary.write_text(render(table), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table with its cells as they came, or as a caller holds it in memory: nothing is checked yet.

    ``name`` is what it is called in refusals; the cells are texts, numbers, None or what data frames put for nothing;
    ``lines`` are those of a file on which the rows end, none for a table in memory.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    lines: tuple[int, ...] = ()

    def renamed(self, names: Mapping[str, str]) -> RawTable:
        """Return the table with columns by other names, unless the new name is there already."""
        taken = set(self.columns)
        columns = [names[c] if c in names and names[c] not in taken else c for c in self.columns]
        return replace(self, columns=tuple(columns))

    def checked(
        self,
        required: Sequence[str],
        optional: Sequence[str] = (),
        numbers: Sequence[str] = (),
        *,
        blank: Sequence[str] = (),
        allows: Allows | None = None,
    ) -> Table:
        """Return the columns that are asked for, every cell checked; see ``read_table``."""
        _check_columns(self.name, self.columns, required, optional, allows)
        if not self.rows:
            header = ", ".join(self.columns)
            raise InputError(f"{self.name} has a header but no rows; give at least one row of {header}")
        for row, cells in enumerate(self.rows):
            if len(cells) != len(self.columns):
                there = f"has {len(cells)} cells where the header names {len(self.columns)} columns"
                raise InputError(f"{place(self, self, row)} {there}")
        wanted = {*required, *optional}
        taken = [i for i, column in enumerate(self.columns) if column in wanted]
        names = [self.columns[i] for i in taken]
        advice = dict.fromkeys(set(optional) - set(blank), "give one in every row or leave the column out")
        advice |= dict.fromkeys(required, "every row needs one")
        cells = [
            _cells(place(self, self, k), names, [row[i] for i in taken], advice, set(numbers), set(blank))
            for k, row in enumerate(self.rows)
        ]
        return Table.of(names, cells, self.lines)


Source = str | Path | RawTable
"""Where a table comes from: a file, ``-`` for standard input, or one that a caller holds."""


def called(source: Source) -> str:
    """Return the name by which a table is called in a refusal."""
    if isinstance(source, RawTable):
        return source.name
    return "standard input" if str(source) == "-" else str(source)


def place(source: Source, table: Table | RawTable, row: int) -> str:
    """Return where a row (counted from 0) stands, for a refusal: the line of a file, the row of a table in memory."""
    where = f"line {table.lines[row]}" if table.lines else f"row {row} (counted from 0)"
    return f"{called(source)} {where}"


def read_raw(source: Source, expected: Sequence[str] = ()) -> RawTable:
    """Return a table with its cells as they are; ``expected``: columns that a refusal of an empty table names.

    InputError where the file is missing, no CSV, or empty.
    """
    if isinstance(source, RawTable):
        return replace(source, columns=tuple(column.strip() for column in source.columns))
    text, name = _text(source)
    try:
        reader = csv.reader(io.StringIO(text), strict=True)
        rows = [(reader.line_num, tuple(row)) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(f"{name} is not a CSV table: {error}") from error
    if not rows:
        raise InputError(f"{name} is empty; its first line must name the columns {', '.join(expected)}")
    columns = tuple(column.strip() for column in rows[0][1])
    return RawTable(name, columns, tuple(row for _, row in rows[1:]), tuple(line for line, _ in rows[1:]))


def read_table(
    source: Source,
    required: Sequence[str],
    optional: Sequence[str] = (),
    numbers: Sequence[str] = (),
    *,
    blank: Sequence[str] = (),
    allows: Allows | None = None,
) -> Table:
    """Read a table with a header from a file, ``-`` (standard input) or memory.

    ``required`` columns must be there, ``optional`` ones may; cells of ``numbers`` must be finite numbers (returned as
    floats), the others are text; ``blank``: optional columns whose cells may be empty. ``allows`` says which further
    columns may be there, unread; any other is an error.

    Raises:
        InputError: missing file, unknown or missing columns, no rows, ragged rows, empty cells, cells that are no
            finite numbers.
    """
    return read_raw(source, required).checked(required, optional, numbers, blank=blank, allows=allows)


def standard_input() -> str:
    """Return all of standard input, without a byte order mark; InputError where it is closed."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("standard input is closed; give a file, or send a table there")
    return sys.stdin.read().removeprefix("\ufeff")


def _text(path: str | Path) -> tuple[str, str]:
    name = called(path)
    try:
        if str(path) == "-":
            return standard_input(), name
        return Path(path).read_text(encoding="utf-8-sig"), str(path)
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise InputError(
                f"{name} is not text in UTF-8 ({error.reason} at byte {error.start}); give a table as text, such as CSV"
            ) from error
        why = error.strerror if isinstance(error, OSError) else "no path holds a character 0"
        raise InputError(f"{str(path)[:200]!s} cannot be read: {why}; give an existing CSV file or '-'") from error


def _check_columns(
    name: str, columns: Sequence[str], required: Sequence[str], optional: Sequence[str], allows: Allows | None
) -> None:
    allowed = [*required, *optional]
    for column in columns:
        if columns.count(column) > 1:
            raise InputError(f"{name} has the column {column!r} twice; every column may occur once")
    for column in required:
        if column not in columns:
            there = ", ".join(columns)
            raise InputError(f"{name} lacks the column '{column}'{did_you_mean(column, columns)}; it has {there}")
    for column in columns:
        if column not in allowed and not (allows is not None and allows(column)):
            hint = did_you_mean(column, allowed)
            raise InputError(f"{name} has the unknown column '{column}'{hint}; allowed are {', '.join(allowed)}")


def _cells(
    where: str,
    columns: Sequence[str],
    row: Sequence[Any],
    advice: Mapping[str, str],
    numbers: set[str],
    blank: set[str],
) -> list[Cell]:
    for column, cell in zip(columns, row, strict=True):
        if column in advice and is_empty(cell, column in numbers):
            raise InputError(f"{where}: {column} is empty; {advice[column]}")
    return [
        (None if column in blank and is_empty(cell) else _number(where, column, cell))
        if column in numbers
        else ("" if is_empty(cell) else str(cell).strip())
        for column, cell in zip(columns, row, strict=True)
    ]


def is_empty(cell: Any, number: bool = False) -> bool:
    """Return whether a cell holds nothing: no text, None, or what data frames put there; a NaN is no empty number."""
    if cell is None or (isinstance(cell, str) and not cell.strip()) or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return not number and isinstance(cell, float) and math.isnan(cell)


def _number(where: str, column: str, cell: Any) -> float:
    try:
        readable = not isinstance(cell, bool) and (not isinstance(cell, str) or (cell.isascii() and "_" not in cell))
        value = float(cell) if readable else math.nan  # Python would read 1_000
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{where}: {column} is {str(cell).strip()!r}, it must be a finite number")
    return value


# ---- What a run has published --------------------------------------------------------------------


def read_published(path: str | Path) -> Table:
    """Return a table that aiq wrote: empty cells are None, words that are numbers or truth values become these.

    StorageError where it is missing, empty or ragged.
    """
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}; make it: {redo_command()}") from error
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise StorageError(f"{path} is no whole table; delete it and finish the run again")
    return Table.of(rows[0], [[_read(cell) for cell in row] for row in rows[1:]])


def _read(text: str) -> Cell:
    if text in ("", "True", "False"):
        return None if not text else text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_words(path: str | Path) -> str:
    """Return the text of a caption; StorageError where it is missing."""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}; make it: {redo_command()}") from error
