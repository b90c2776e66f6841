"""CSV tables: written whole, read with every column and cell checked."""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from aiq.errors import InputError, did_you_mean
from aiq.records.table import Cell, Table
from aiq.storage.files import replacing

OWN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "complexity": frozenset({"domain", "estimator", "complexity", "normalised", "minimum"}),
        "dissimilarity": frozenset({"a", "b", "dissimilarity", "signed", "se", "square", "crosses"}),
    }
)
"""Columns by which the tables of a run are known; what else they hold is not asked for by a verb, and is no error."""


@dataclass(frozen=True, slots=True)
class Given:
    """A table that a caller holds in memory: read, checked and refused as a file is.

    ``name`` is what it is called in refusals, ``text`` its cells as CSV with a header.
    """

    name: str
    text: str


Source = str | Path | Given
"""Where a table comes from: a file, ``-`` for standard input, or one that a caller holds."""


def called(source: Source) -> str:
    """Return the name by which a table is called in a refusal."""
    if isinstance(source, Given):
        return source.name
    return "standard input" if str(source) == "-" else str(source)


def place(source: Source, table: Table, row: int) -> str:
    """Return where a row (counted from 0) stands, for a refusal: the line of a file, the row of a table in memory."""
    where = f"row {row} (counted from 0)" if isinstance(source, Given) else f"line {table.line(row)}"
    return f"{called(source)} {where}"


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


def read_table(
    path: Source,
    required: Sequence[str],
    optional: Sequence[str] = (),
    numbers: Sequence[str] = (),
    *,
    blank: Sequence[str] = (),
) -> Table:
    """Read a CSV with a header; ``-`` reads standard input.

    Args:
        path: the file, or a table in memory.
        required: columns that must be there.
        optional: columns that may be there; any other is an error.
        numbers: columns whose cells must be finite numbers (returned as floats); the others stay text.
        blank: optional columns whose cells may be empty.

    Raises:
        InputError: missing file, unknown or missing columns, no rows, ragged rows, empty cells, cells that are no
            finite numbers.
    """
    return _parse(*_text(path), required, optional, numbers, blank, in_memory=isinstance(path, Given))


def read_renamed(
    path: Source,
    renamed: Mapping[str, str],
    required: Sequence[str],
    optional: Sequence[str] = (),
    *,
    texts: int = 1,
    blank: Sequence[str] = (),
) -> Table:
    """Read a table whose columns may go by another name; all but the first required columns hold numbers.

    Args:
        path: the file; ``-`` reads standard input.
        renamed: other name -> name in ``required``.
        required: columns that must be there.
        optional: columns that may be there.
        texts: how many of the first required columns hold text.
        blank: optional columns whose cells may be empty (returned as None).

    Raises:
        InputError: as ``read_table``.
    """
    text, name = _text(path)
    first, *rest = text.splitlines(keepends=True) or [""]
    for other, own in renamed.items():
        columns = [column.strip() for column in first.split(",")]
        if other != own and other in columns and set(columns) >= OWN["complexity"]:  # a run's table has both
            columns = ["" if column == own else column for column in columns]
        if own not in columns:
            first = ",".join(own if column == other else column for column in columns) + "\n"
    numbers = (*required[texts:], *optional)
    whole = "".join([first, *rest])
    return _parse(whole, name, required, optional, numbers, blank, in_memory=isinstance(path, Given))


def read_melted(
    path: Source, key: str, wide: Sequence[str], named: tuple[str, str], optional: Sequence[str] = ()
) -> Table:
    """Read a long table ``key, name, number``, or a wide one with a column of numbers for each name, as a long one.

    Args:
        path: the file; ``-`` reads standard input.
        key: the column that both forms have.
        wide: the columns of numbers of the wide form, all required.
        named: what the long form calls the name and the number.
        optional: further columns that may be there in both forms.

    Raises:
        InputError: as ``read_table``. A table is wide if it has all columns of numbers, or neither of ``named``.
    """
    text, name = _text(path)
    header = {column.strip() for column in (text.splitlines() or [""])[0].split(",")}
    if not (set(wide) <= header or (key in header and not header & set(named))):
        return _parse(text, name, (key, *named), optional, (named[1],), in_memory=isinstance(path, Given))
    table = _parse(text, name, (key, *wide), optional, wide, in_memory=isinstance(path, Given))
    extra = [column for column in optional if column in table.columns]
    rows, lines = [], []
    for number, row in enumerate(table.rows):
        cells = dict(zip(table.columns, row, strict=True))
        for column in wide:
            rows.append((cells[key], column, cells[column], *(cells[one] for one in extra)))
            lines.append(table.line(number))
    return Table.of((key, *named, *extra), rows, lines)


def _parse(
    text: str,
    name: str,
    required: Sequence[str],
    optional: Sequence[str],
    numbers: Sequence[str],
    blank: Sequence[str] = (),
    *,
    in_memory: bool = False,
) -> Table:
    """Return the table of a text, called by a name in refusals."""
    try:
        reader = csv.reader(io.StringIO(text), strict=True)
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(f"{name} is not a CSV table: {error}") from error
    if not rows:
        raise InputError(f"{name} is empty; its first line must name the columns {', '.join(required)}")
    columns = [column.strip() for column in rows[0][1]]
    _check_columns(name, columns, required, optional)
    if len(rows) == 1:
        raise InputError(f"{name} has a header but no rows; give at least one row of {', '.join(columns)}")
    where = [
        f"{name} row {n} (counted from 0)" if in_memory else f"{name} line {line}"
        for n, (line, _) in enumerate(rows[1:])
    ]
    filled = dict.fromkeys(set(optional) - set(blank), "give one in every row or leave the column out")
    filled |= dict.fromkeys(required, "every row needs one")
    cells = [_cells(at, columns, row, filled, numbers, blank) for at, (_, row) in zip(where, rows[1:], strict=True)]
    return Table.of(columns, cells, [line for line, _ in rows[1:]])


def standard_input() -> str:
    """Return all of standard input, without a byte order mark.

    Raises:
        InputError: it is closed.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("standard input is closed; give a file, or send a table there")
    return sys.stdin.read().removeprefix("\ufeff")


def _text(path: Source) -> tuple[str, str]:
    """Return a table's text and the name to call it by."""
    name = called(path)
    if isinstance(path, Given):
        return path.text, name
    try:
        if str(path) == "-":
            return standard_input(), name
        return Path(path).read_text(encoding="utf-8-sig"), str(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; give an existing CSV file or '-'") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text in UTF-8 ({error.reason} at byte {error.start})") from error


def _check_columns(name: str, columns: Sequence[str], required: Sequence[str], optional: Sequence[str]) -> None:
    """Refuse missing, unknown and repeated columns."""
    allowed = [*required, *optional]
    for column in columns:
        if columns.count(column) > 1:
            raise InputError(f"{name} has the column {column!r} twice; every column may occur once")
    for column in required:
        if column not in columns:
            found = ", ".join(columns)
            raise InputError(f"{name} lacks the column '{column}'{did_you_mean(column, columns)}; it has {found}")
    if any(set(columns) >= known for known in OWN.values()):
        return
    for column in columns:
        if column not in allowed:
            hint = did_you_mean(column, allowed)
            raise InputError(f"{name} has the unknown column '{column}'{hint}; allowed are {', '.join(allowed)}")


def _cells(
    where: str,
    columns: Sequence[str],
    row: Sequence[str],
    filled: Mapping[str, str],
    numbers: Sequence[str],
    blank: Sequence[str],
) -> list[Cell]:
    """Check one row; ``where`` names the table and the line on which it ends, ``filled`` what to do of empty cells."""
    if len(row) != len(columns):
        raise InputError(f"{where} has {len(row)} cells where the header names {len(columns)} columns")
    for column, cell in zip(columns, row, strict=True):
        if column in filled and not cell.strip():
            raise InputError(f"{where}: {column} is empty; {filled[column]}")
    return [
        (None if column in blank and not cell.strip() else _number(where, column, cell))
        if column in numbers
        else cell.strip()
        for column, cell in zip(columns, row, strict=True)
    ]


def _number(where: str, column: str, cell: str) -> float:
    """Return a finite number."""
    try:
        value = float(cell) if cell.isascii() and "_" not in cell else math.nan  # Python would read 1_000
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{where}: {column} is {cell.strip()!r}, it must be a finite number")
    return value
