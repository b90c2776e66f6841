"""Columns of a wide table: which of them are tests, and which are left out and stated."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aiq.errors import InputError
from aiq.readers import columns
from aiq.readers.base import Reading, listed
from aiq.readers.cells import BAD, Cells, cells, truths
from aiq.readers.documents import DamagedError
from aiq.readers.sheets import Batch, Sheet


@dataclass(slots=True)
class Wide:
    """A wide table: its rows, and what its columns are by their places.

    ``rows`` is the place of the column that names the rows, ``of`` what these are: agent, item or domain. ``tests`` are
    the columns of scores (of agents, where these are in columns), ``errors`` the place of the standard errors of each.
    """

    reading: Reading
    sheet: Sheet
    header: list[str]
    batch: Batch
    rows: int
    of: str
    asked: Sequence[str]
    known: Sequence[str]
    tests: dict[int, Cells] = field(default_factory=dict)
    texts: list[int] = field(default_factory=list)
    properties: list[int] = field(default_factory=list)
    errors: dict[int, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the table is called in messages."""
        return self.sheet.document.name

    def say(self, sentence: str) -> None:
        """State a decision about this table."""
        self.reading.decide(f"{self.name}: {sentence}")

    def cells(self, place: int) -> Cells:
        """Return a column as numbers."""
        return cells(self.batch.columns[place], self.sheet.comma)

    def is_doubtful(self, place: int) -> bool:
        """Whether less of a column may be better, by its name."""
        return columns.doubtful(self.header[place]) and self.header[place] not in self.known

    def is_asked(self, place: int) -> bool:
        """Whether a column is wanted, or known as a test, by its name."""
        return any(name in (*self.asked, *self.known) for name in (self.header[place], self.sheet.given[place]))


def sort(table: Wide, some: bool) -> None:
    """Find out what the columns besides that of the rows are; ``some``: a person names those that are wanted."""
    for place, column in enumerate(table.header):
        if place == table.rows or not column:
            continue
        parsed, asked = table.cells(place), table.is_asked(place)
        text, about = parsed.share < 0.5 and not parsed.empty, table.of == "agent" and columns.about(column)
        of = columns.whose_error(column, table.header)
        if asked:
            table.tests[place] = parsed
        elif text:
            table.texts.append(place)
        elif about:
            (table.texts if some else table.properties).append(place)
        elif of is not None and not some and table.of == "agent":
            table.errors[table.header.index(of)] = place
        elif not some:
            table.tests[place] = parsed
    flags = [p for p in table.tests if not table.is_asked(p) and truths(table.batch.columns[p])]
    flags = flags if table.of == "agent" else []
    if len(flags) < len(table.tests):
        table.texts += flags
        for place in flags:
            del table.tests[place]


def leave_out(table: Wide) -> list[int]:
    """Leave out what is no test, and state it; return the places of means and ranks."""
    header, given = table.header, table.sheet.header
    free = [place for place in table.tests if not table.is_asked(place)]
    tests = free if table.of == "agent" else []  # else the columns are agents
    numbering = [p for p in free if given[p] in ("", "Unnamed: 0", "index") and _counts_rows(table.tests[p])]
    summaries = [p for p in free if columns.summary(header[p]) and p not in numbering]
    groups = [p for p in tests if columns.of_group(header[p]) and p not in summaries]
    if len(summaries) + len(groups) < len(free):  # else the means of groups are all that there is
        summaries += groups
    spreads = [p for p in tests if columns.spread(header[p]) and p not in numbering]
    spreads += [p for p in tests if p not in spreads and _is_end(p, table)]
    lowered = [column.lower() for column in header]
    raws = [p for p in tests if lowered[p].endswith(" raw") and lowered[p].removesuffix(" raw") in lowered]
    repeated = {p: of for p in tests if p not in spreads and (of := _complement(p, table)) is not None}
    means = [] if not tests else _means(table, {*numbering, *summaries, *spreads, *repeated, *raws})
    told = {
        "columns of text, or of true and false beside numbers, are labels, no tests": table.texts,
        "columns that describe the agents are no tests": table.properties,
        "a column that numbers the rows is left out": numbering + [0] * (given[0] == "" and table.rows != 0),
        "means over tests and ranks are left out (take one with --columns)": summaries,
        "standard errors, deviations, differences and ends of intervals are no tests": spreads,
        "raw scores beside their own column are left out": raws,
        "columns that are the mean of all others are left out (take one with --columns)": means,
    }
    for words, places in told.items():
        if places:
            table.say(f"{words}: {listed([header[p] or 'the first' for p in places])}")
    for place, of in repeated.items():
        table.say(f"{header[place]} is {of}, and is left out")
    for place in (*numbering, *summaries, *spreads, *repeated, *raws, *means):
        table.tests.pop(place, None)
    return summaries


def _is_end(place: int, table: Wide) -> bool:
    """Whether a column is by its name and its numbers an end of the interval of another one."""
    end = columns.end_of(table.header[place])
    if end is None or end[0] not in table.header:
        return False
    apart = table.tests[place].values - table.cells(table.header.index(end[0])).values
    return bool(np.all((apart <= 0 if end[1] else apart >= 0) | np.isnan(apart)))


def _counts_rows(parsed: Cells) -> bool:
    """Whether a column counts the rows, from any number on."""
    return bool(np.array_equal(parsed.values - parsed.values[0], np.arange(len(parsed.values))))


def _complement(place: int, table: Wide) -> str | None:
    """Return in words what a column of errors repeats: 100 - another, or 1 - another; None where it is no repeat."""
    if not (columns.error(table.header[place]) or columns.doubtful(table.header[place])):
        return None
    values = table.tests[place].values
    for other, parsed in table.tests.items():
        for whole in (100.0, 1.0):
            apart = np.abs(whole - parsed.values - values)
            if other != place and not np.isnan(apart).all() and np.nanmax(apart) <= whole * 1.5e-4:
                return f"{whole:g} - {table.header[other]}"
    return None


def _means(table: Wide, gone: set[int]) -> list[int]:
    """Return the columns of scores that are, in every row and to their last digit, the mean of all others."""
    free = [place for place in table.tests if place not in gone and not table.is_asked(place)]
    values = np.column_stack([table.tests[place].values for place in free]) if len(free) > 2 else np.empty((0, 0))
    values = values[~np.isnan(values).any(axis=1)]
    if not values.size:
        return []
    return [free[at] for at in np.flatnonzero(_is_mean(values))]


def _is_mean(values: Any) -> Any:
    """Return which columns of a matrix are the mean of all others, as exactly as they are written; (columns,)."""
    others = (values.sum(axis=1, keepdims=True) - values) / (values.shape[1] - 1)
    digits = next(d for d in range(9) if d == 8 or np.allclose(np.round(values, d), values, rtol=0, atol=1e-12))
    if len(values) < {0: 8, 1: 4, 2: 3}.get(digits, 2):  # so few rows agree by chance
        return np.zeros(values.shape[1], dtype=bool)
    alike = np.abs(others - values).max(axis=0) <= 0.5 * 10.0**-digits + 1e-9
    spread = np.ptp(values, axis=0)
    return alike & (spread > 10.0 ** (1 - digits)) & (np.abs(np.diff(values, axis=1)).max() > 0)


def mean_row(found: Sheet, header: Sequence[str], batch: Batch, rows: int) -> Any:
    """Return which row of a table of items is, in every column of numbers, the mean of all others; (n,)."""
    parsed = [cells(column, found.comma) for p, column in enumerate(batch.columns) if header[p] and p != rows]
    values = np.array([one.values for one in parsed if one.share == 1 and not np.isnan(one.values).any()])
    few = len(values) < 2 or values.shape[1] < 4
    return np.zeros(len(batch.lines), dtype=bool) if few else _is_mean(values)


def refuse_no_scores(table: Wide, summaries: Sequence[int]) -> None:
    """Refuse a table without tests: by a name that it lacks, by its means, or by its first cell that is no number."""
    columns.check_names({"columns": table.asked}, [column for column in table.header if column])
    if summaries:
        column = table.header[summaries[0]]
        raise DamagedError(
            f"{table.name} has no column of scores: {column} is a mean over tests or a rank; take it with "
            f"--columns {shlex.quote(column)}"
        )
    for place in table.texts:
        wrong = table.cells(place).kinds == BAD
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(
                f"{table.name} has no column of scores: {table.header[place]} is "
                f"{str(table.batch.columns[place][row])!r} in line {int(table.batch.lines[row])}, it must be a number"
            )
    raise DamagedError(f"{table.name} has no column of scores besides {listed(table.header)}")
