"""Tables as columns of cells: CSV and its kin, Parquet, Excel, JSON records, and data frames in memory."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas

from aiq.errors import InputError
from aiq.readers.base import listed, part
from aiq.readers.columns import PERCENT, Cells, cells
from aiq.readers.documents import HELD, DamagedError, Document, Held
from aiq.records.table import counted

TEXTS = (".csv", ".tsv", ".tab", ".txt")
_DELIMITERS = ",\t;|"
_MARKDOWN, _RULE = re.compile(r"\|.*\|"), re.compile(r"[|:\-\s]+")
_EMPHASIS, _LINK = re.compile(r"\*\*|`|</?(?:b|strong|sup|sub|br) ?/?>"), re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]*`")
_SLANTED = re.compile(r"(?<=\|)\s*([*_]{1,2})([^|]+?)\1\s*(?=\|)")
_TITLES = 200  # lines above a table among which its header is looked for
_BATCH = 100_000
_PACKAGES = {".parquet": "pyarrow", ".xlsx": "openpyxl", ".xls": "xlrd"}


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a table: their lines in the file (n,), and one array of cells a column, each (n,)."""

    lines: Any
    columns: list[Any]


@dataclass(slots=True)
class Sheet:
    """A table: its header (with the new names of columns that a person renames), and its rows in batches.

    ``given`` is the header of the file. ``comma`` is true where a comma may be the mark of decimals. ``short`` lists,
    after the batches were read, the lines with fewer cells than the header, and how many they have: the others count as
    empty. ``above`` counts the rows of a spreadsheet above the header. ``note`` says what of the file is not in the
    table.
    """

    document: Document
    given: list[str]
    comma: bool = False
    frame: Any = None
    note: str = ""
    above: int = 0
    short: list[tuple[int, int]] = field(default_factory=list)
    header: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.header = [self.document.rename.get(name, name) for name in self.given]

    @property
    def name(self) -> str:
        """What the table is called in messages."""
        return self.document.name

    def batches(self) -> Iterator[Batch]:
        """Yield the rows."""
        if self.frame is not None:
            lines = np.arange(len(self.frame)) + 2 + self.above
            yield Batch(lines, [self.frame[name].to_numpy() for name in self.frame.columns])
            return
        with self.document.open() as stream:
            rows = _Rows(self.document, self.document.reading(stream))
            self.short = rows.short
            while batch := rows.batch():
                yield batch
            line, count = self.short[-1] if self.short else (-1, 0)
        if line == rows.last:  # the last line is short: it was cut if it has no end
            with self.document.open() as stream:
                *_, final = stream
            if not final.endswith(("\n", "\r")):
                raise DamagedError(
                    f"{self.name} breaks off in line {line}, which has {count} cells where the header names "
                    f"{len(self.given)} columns; copy the file again"
                )

    def whole(self) -> Batch:
        """Return all rows."""
        read = list(self.batches())
        if not read or not len(read[0].lines):
            raise self.no_rows()
        lines = np.concatenate([batch.lines for batch in read])
        return Batch(lines, [np.concatenate(parts) for parts in zip(*(batch.columns for batch in read), strict=True)])

    def no_rows(self) -> DamagedError:
        """Return the refusal of a table without rows."""
        return DamagedError(f"{self.name} has a header but no rows; give at least one")

    def cells(self, column: Any) -> Cells:
        """Return a column of cells as numbers."""
        return cells(column, self.comma)

    def first(self) -> Batch | None:
        """Return the first rows, None where there are none."""
        return next(self.batches(), None)

    def percents(self, column: str, lines: Any, values: Any, kinds: Any) -> Any:
        """Return which numbers of a column bear a per cent sign, (n,); where some do, all must (0 needs none)."""
        percent = kinds == PERCENT
        plain = ~percent & (values != 0)
        if percent.any() and plain.any():
            where = self.place(lines[int(np.argmax(plain))])
            raise InputError(
                f"{where}: {column} has no per cent sign while other rows have one; write all its scores alike"
            )
        return percent

    def check_names(self, column: str, lines: Any, named: Any, do: str = "every row needs one") -> None:
        """Refuse an empty name in a column of names, (n,); ``do`` says what to do."""
        empty = pandas.isna(named)
        if empty.any():
            raise InputError(f"{self.place(lines[int(np.argmax(empty))])}: {column} is empty; {do}")

    def check_columns(self, header: list[str]) -> None:
        """Refuse a name that two columns bear."""
        for column in header:
            if column and header.count(column) > 1:
                raise InputError(f"{self.name} has the column {column!r} twice; every column may occur once")

    def place(self, line: Any) -> str:
        """Return where a row stands, for a refusal."""
        where = f"row {line - 2} (counted from 0)" if isinstance(self.document, Held) else f"line {line}"
        return f"{self.name} {where}"


def sheet(document: Document) -> Sheet | None:
    """Return a document as a table, None where it is none; an empty file has an empty header.

    Raises:
        DamagedError: it cannot be read as the kind of table that its name says.
        InputError: a package that reads it is missing.
    """
    if document.sheet is None:
        document.sheet = _sheet(document) or False
    return document.sheet or None


def opened(document: Document) -> Sheet:
    """Return a document that is known as a table."""
    table = sheet(document)
    assert table is not None
    return table


def _sheet(document: Document) -> Sheet | None:
    if document.suffix in TEXTS:
        with document.open() as stream:
            rows = _Rows(document, document.reading(stream))
        return Sheet(document, rows.header, rows.comma, note=rows.note)
    above, note = 0, ""
    if isinstance(document, Held):
        frame = _held(document.content)
    elif document.suffix in (".json", ".jsonl", ".ndjson"):
        frame, note = _records(document)
    elif document.suffix in _PACKAGES:
        frame, above, note = _packed(document)
    else:
        return None
    if frame is None:
        return None
    if frame.columns.nlevels > 1:
        frame = frame.set_axis([" ".join(str(part) for part in name if part != "") for name in frame.columns], axis=1)
    if not isinstance(frame.index, pandas.RangeIndex) or frame.index.name is not None:
        named = frame.index.rename("") if frame.index.nlevels == 1 and frame.index.name is None else frame.index
        frame = named.to_frame(index=False).join(frame.reset_index(drop=True))
    if not frame.columns.is_unique:
        name = frame.columns[frame.columns.duplicated()][0]
        raise DamagedError(f"{document.name} has the column {str(name)!r} twice; every column may occur once")
    note = f"{document.name}: {note}" if note else ""
    return Sheet(document, [str(name).strip() for name in frame.columns], frame=frame, note=note, above=above)


def _packed(document: Document) -> tuple[Any, int, str]:
    """Return the frame of a file that a package reads, how many rows stand above it, and what is not in it."""
    package = _PACKAGES[document.suffix]
    try:
        if document.suffix == ".parquet":
            return pandas.read_parquet(document.path), 0, ""
        with pandas.ExcelFile(document.path, engine=package) as book:
            first, *others = book.sheet_names
            top = pandas.read_excel(book, sheet_name=first, header=None, nrows=_TITLES)
            several = np.flatnonzero(top.notna().sum(axis=1).to_numpy() > 1)
            above = int(several[0]) if several.size else 0
            frame = pandas.read_excel(book, sheet_name=first, dtype=object, skiprows=above)
    except ImportError as error:
        raise InputError(
            f"{document.name} needs the package {package}; install it with: pip install {package}"
            f"{' (or aiq[suites])' if package != 'xlrd' else ''}, or save the table as CSV"
        ) from error
    except Exception as error:  # each library refuses a damaged file by errors of its own
        words = " ".join(str(error).split()) or type(error).__name__
        raise DamagedError(f"{document.name} is no whole {document.suffix[1:]} file: {words}") from error
    notes = [f"what stands in the first {counted(above, 'row')} above the table is left out"] if above else []
    notes += [f"the first sheet is read, not {listed(others)}"] if others else []
    return frame, above, "; ".join(notes)


def _held(content: Any) -> Any:
    if isinstance(content, pandas.DataFrame):
        return content
    try:
        if hasattr(content, "to_pandas"):  # polars, pyarrow and others
            return content.to_pandas()
        if isinstance(content, Mapping) or getattr(getattr(content, "dtype", None), "names", None):
            return pandas.DataFrame(content)
    except (TypeError, ValueError, ImportError) as error:
        raise InputError(f"{HELD} cannot be used as a table: {error}") from error
    raise InputError(
        f"results are {type(content).__name__}; give what aiq.read returns, a file, or a pandas data frame"
    )


def _records(document: Document) -> tuple[Any, str]:
    """Return the frame of JSON that is a table, None where it is none, and what was decided.

    Tables are records, columns and data, lists by column, column -> row -> cell, and agent -> test -> number.
    """
    if document.suffix != ".json":
        if not _flat(document.first):
            return None, ""
        lines = list(document.objects())
        for line, row in lines:
            if not isinstance(row, Mapping):
                raise DamagedError(f"{document.name} line {line} is no object of cells")
        return pandas.DataFrame([row for _, row in lines]), ""
    content = document.json
    if isinstance(content, Mapping) and isinstance(content.get("data"), list):
        columns, rows = content.get("columns"), content["data"]
        if isinstance(columns, list) and all(isinstance(row, list) and len(row) == len(columns) for row in rows):
            return pandas.DataFrame([dict(zip(columns, row, strict=True)) for row in rows]), ""
        content = rows
    if isinstance(content, list):
        return (pandas.DataFrame(content) if content and all(map(_flat, content)) else None), ""
    if not isinstance(content, Mapping) or not content:
        return None, ""
    if _columns(content):
        return pandas.DataFrame(content), ""
    if all(_scores(row) for row in content.values()):
        outer = f"the outer names are taken for agents ({listed(list(content))}), those inside for tests"
        return pandas.DataFrame([{"agent": agent, **row} for agent, row in content.items()]), outer
    alike = all(map(_flat, content.values())) and len({tuple(column) for column in content.values()}) == 1
    return (pandas.DataFrame(content).reset_index(drop=True) if alike else None), ""


def _columns(content: Mapping[str, object]) -> bool:
    """Whether JSON is lists of one length by column, of which one has names."""
    lists = [value for value in content.values() if isinstance(value, list)]
    alike = len(lists) == len(content) > 1 and len({len(value) for value in lists}) == 1
    return alike and any(all(isinstance(cell, str) for cell in value) for value in lists if value)


def _flat(row: object) -> bool:
    return isinstance(row, Mapping) and bool(row) and not any(isinstance(x, Mapping | list) for x in row.values())


def _scores(row: object) -> bool:
    """Whether a JSON value is an object of numbers and gaps."""
    values = [value for value in part(row).values() if value is not None]
    return bool(values) and all(isinstance(x, int | float) and not isinstance(x, bool) for x in values)


class _Rows:
    """The lines of a table in text, cut into cells; ``header`` holds the names of the columns."""

    def __init__(self, document: Document, lines: Iterator[str]) -> None:
        self.name, self.last, self.note = document.name, 0, ""
        self.short: list[tuple[int, int]] = []
        top = list(islice(lines, _TITLES))
        filled = [n for n, line in enumerate(top) if line.strip()] or [0]
        rule = next((n for n in filled[1:] if "|" in top[n] and "-" in top[n] and _RULE.fullmatch(top[n].strip())), 0)
        headed = next((n for n in filled if top and any(mark in top[n] for mark in _DELIMITERS)), filled[0])
        self.above = rule - 1 if rule else headed  # in Markdown a rule stands below the header
        first, lines = (top or [""])[self.above], chain(top[self.above + 1 :], lines)
        if self.above > filled[0]:
            self.note = f"{self.name}: what stands above the table is left out: {listed([top[filled[0]].strip()])}"
        if rule or _MARKDOWN.fullmatch(first.strip()):
            first, lines = _bare(first), self._framed(lines)
        if first.lower().startswith("sep=") and len(first.strip()) == 5:  # what Excel may put above the header
            delimiter, first = first.strip()[4], next(lines, "")
            self.above += 1
        elif document.suffix in (".tsv", ".tab") and "\t" in first:
            delimiter = "\t"
        else:
            bare = "".join(first.split('"')[::2])
            delimiter = max(_DELIMITERS, key=bare.count)
        self.comma = delimiter == ";"
        self.reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
        while (rows := self._next(1)) and not any(map(str.strip, rows[0])):
            pass
        self.header = [cell.strip() for cell in rows[0]] if rows else []

    def _framed(self, lines: Iterator[str]) -> Iterator[str]:
        """Return the lines of the first table in Markdown; a note says where another one follows."""
        rest = list(lines)
        end = next((n for n, line in enumerate(rest) if "|" not in line), len(rest))
        if any(line.lstrip().startswith("|") for line in rest[end:]):
            self.note = f"{self.name}: the first table is read, not those below it"
        return map(_bare, rest[:end])

    def _next(self, most: int) -> list[list[str]]:
        try:
            return list(islice(self.reader, most))
        except csv.Error as error:
            line = self.reader.line_num + self.above
            raise DamagedError(f"{self.name} is not a CSV table: {error} (line {line})") from error

    def batch(self) -> Batch | None:
        """Return the next rows that hold something, None at the end."""
        width, before = len(self.header), self.reader.line_num + self.above
        rows = self._next(_BATCH)
        if not rows:
            return None
        lines = before + 1 + np.arange(len(rows))
        if self.reader.line_num + self.above != lines[-1]:  # a cell holds the end of a line
            lines = before + np.cumsum([1 + sum(cell.count("\n") for cell in row) for row in rows])
        blank = [n for n, row in enumerate(rows) if not row or (not row[0] and not any(map(str.strip, row)))]
        if blank:
            lines, gone = np.delete(lines, blank), set(blank)
            rows = [row for n, row in enumerate(rows) if n not in gone]
        for n in np.flatnonzero(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)) != width):
            row, line = rows[n], int(lines[n])
            if len(row) > width:
                raise DamagedError(
                    f"{self.name} line {line} has {len(row)} cells where the header names {width} columns"
                )
            self.short.append((line, len(row)))
            row += [""] * (width - len(row))
        self.last = int(lines[-1]) if len(rows) else self.last
        columns = zip(*rows, strict=True) if rows else [()] * width
        return Batch(lines, [np.array(column, dtype=object) for column in columns])


def _bare(line: str) -> str:
    """Return a line of a table in Markdown without frame, emphasis and links; nothing of the one below the header."""
    text = _CODE.sub(lambda code: code[0].replace("|", "¦"), line.strip()).replace("\\|", "¦")
    text = _LINK.sub(r"\1", _EMPHASIS.sub("", text))
    return "\n" if _RULE.fullmatch(text) else _SLANTED.sub(r"\2", text).strip("|") + "\n"
