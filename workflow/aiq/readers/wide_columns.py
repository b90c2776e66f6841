"""Columns of a wide table: which of them are tests, and which are left out and stated."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aiq.errors import InputError
from aiq.readers import columns
from aiq.readers.base import Reading, Wanted, listed
from aiq.readers.columns import BAD, Cells, truths
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
    wanted: Wanted
    header: list[str]
    batch: Batch
    rows: int
    of: str
    tests: dict[int, Cells] = field(default_factory=dict)
    texts: list[int] = field(default_factory=list)
    properties: list[int] = field(default_factory=list)
    errors: dict[int, int] = field(default_factory=dict)

    def say(self, sentence: str) -> None:
        """State a decision about this table."""
        self.reading.decide(f"{self.sheet.name}: {sentence}")

    def cells(self, place: int) -> Cells:
        """Return a column as numbers."""
        return self.sheet.cells(self.batch.columns[place])

    def listed(self, places: Sequence[int]) -> str:
        """Return the names of columns for a sentence."""
        return listed([self.header[place] or "the first" for place in places])

    def is_asked(self, place: int) -> bool:
        """Whether a column is wanted, or known as a test, by its name."""
        asked = (*self.wanted.columns, *self.wanted.known)
        return self.header[place] in asked or self.sheet.given[place] in asked

    def sort(self) -> None:
        """Find out what the columns besides that of the rows are."""
        some = bool(self.wanted.columns)
        for place, column in enumerate(self.header):
            if place == self.rows or not column:
                continue
            parsed = self.cells(place)
            of = columns.whose_error(column, self.header)
            if self.is_asked(place):
                self.tests[place] = parsed
            elif parsed.share < 0.5 and not parsed.empty:
                self.texts.append(place)
            elif self.of == "agent" and columns.about(column):
                (self.texts if some else self.properties).append(place)
            elif some:
                continue
            elif of is not None and self.of == "agent":
                self.errors[self.header.index(of)] = place
            else:
                self.tests[place] = parsed
        flags = [p for p in self.tests if not self.is_asked(p) and truths(self.batch.columns[p])]
        if self.of == "agent" and len(flags) < len(self.tests):
            self.texts += flags
            for place in flags:
                del self.tests[place]

    def leave_out(self) -> list[int]:
        """Leave out what is no test, and state it; return the places of means and ranks."""
        header, given = self.header, self.sheet.header
        free = [place for place in self.tests if not self.is_asked(place)]
        tests = free if self.of == "agent" else []  # else the columns are agents
        numbering = [p for p in free if given[p] in ("", "Unnamed: 0", "index")]
        numbering = [p for p in numbering if (np.diff(self.tests[p].values) == 1).all()]  # from any number on
        summaries = [p for p in free if columns.summary(header[p]) and p not in numbering]
        groups = [p for p in tests if columns.of_group(header[p]) and p not in summaries]
        if len(summaries) + len(groups) < len(free):  # else the means of groups are all that there is
            summaries += groups
        spreads = [p for p in tests if columns.spread(header[p]) and p not in numbering]
        spreads += [p for p in tests if p not in spreads and self._is_end(p)]
        lowered = [column.lower() for column in header]
        raws = [p for p in tests if lowered[p].endswith(" raw") and lowered[p].removesuffix(" raw") in lowered]
        repeated = {p: of for p in tests if p not in spreads and (of := self._complement(p)) is not None}
        gone = [*numbering, *summaries, *spreads, *repeated, *raws]
        means = self._means([place for place in tests if place not in gone])
        for words, places in {
            "columns of text, or of true and false beside numbers, are labels, no tests": self.texts,
            "columns that describe the agents are no tests": self.properties,
            "a column that numbers the rows is left out": numbering + [0] * (given[0] == "" and self.rows != 0),
            "means over tests and ranks are left out (take one with --columns)": summaries,
            "standard errors, deviations, differences and ends of intervals are no tests": spreads,
            "raw scores beside their own column are left out": raws,
            "columns that are the mean of all others are left out (take one with --columns)": means,
        }.items():
            if places:
                self.say(f"{words}: {self.listed(places)}")
        for place, of in repeated.items():
            self.say(f"{header[place]} is {of}, and is left out")
        for place in (*gone, *means):
            self.tests.pop(place, None)
        return summaries

    def _is_end(self, place: int) -> bool:
        """Whether a column is by its name and its numbers an end of the interval of another one."""
        end = columns.end_of(self.header[place])
        if end is None or end[0] not in self.header:
            return False
        apart = self.tests[place].values - self.cells(self.header.index(end[0])).values
        return bool(np.all((apart <= 0 if end[1] else apart >= 0) | np.isnan(apart)))

    def _complement(self, place: int) -> str | None:
        """Return in words what a column of errors repeats: 100 - another, or 1 - another; None where it is none."""
        if not (columns.error(self.header[place]) or columns.doubtful(self.header[place])):
            return None
        values = self.tests[place].values
        for other, parsed in self.tests.items():
            for whole in (100.0, 1.0):
                apart = np.abs(whole - parsed.values - values)
                if other != place and not np.isnan(apart).all() and np.nanmax(apart) <= whole * 1.5e-4:
                    return f"{whole:g} - {self.header[other]}"
        return None

    def _means(self, free: Sequence[int]) -> list[int]:
        """Return the columns of scores that are, in every row and to their last digit, the mean of all others."""
        if len(free) < 3:
            return []
        values = np.column_stack([self.tests[place].values for place in free])
        values = values[~np.isnan(values).any(axis=1)]
        return [free[int(at)] for at in np.flatnonzero(_is_mean(values))] if len(values) else []

    def refuse_no_scores(self, summaries: Sequence[int]) -> None:
        """Refuse a table without tests: by a name that it lacks, its means, or its first cell that is no number."""
        columns.check_names({"columns": self.wanted.columns}, [column for column in self.header if column])
        none = f"{self.sheet.name} has no column of scores"
        if summaries:
            column = self.header[summaries[0]]
            raise DamagedError(
                f"{none}: {column} is a mean over tests or a rank; take it with --columns {shlex.quote(column)}"
            )
        for place in self.texts:
            wrong = self.cells(place).kinds == BAD
            if wrong.any():
                row = int(np.argmax(wrong))
                raise InputError(
                    f"{none}: {self.header[place]} is {str(self.batch.columns[place][row])!r} in line "
                    f"{self.batch.lines[row]}, it must be a number"
                )
        raise DamagedError(f"{none} besides {listed(self.header)}")

    def mean_rows(self) -> Any:
        """Return which row of a table of items is, in every column of numbers, the mean of all others; (n,)."""
        parsed = [self.cells(place) for place, name in enumerate(self.header) if name and place != self.rows]
        values = np.array(
            [column.values for column in parsed if column.share == 1 and not np.isnan(column.values).any()]
        )
        few = len(values) < 2 or values.shape[1] < 4
        return np.zeros(len(self.batch.lines), dtype=bool) if few else _is_mean(values)


def _is_mean(values: Any) -> Any:
    """Return which columns of a matrix are the mean of all others, as exactly as they are written; (columns,)."""
    others = (values.sum(axis=1, keepdims=True) - values) / (values.shape[1] - 1)
    digits = next(d for d in range(9) if d == 8 or np.allclose(np.round(values, d), values, rtol=0, atol=1e-12))
    if len(values) < {0: 8, 1: 4, 2: 3}.get(digits, 2):  # so few rows agree by chance
        return np.zeros(values.shape[1], dtype=bool)
    alike = np.abs(others - values).max(axis=0) <= 0.5 * 10.0**-digits + 1e-9
    spread = np.ptp(values, axis=0)
    return alike & (spread > 10.0 ** (1 - digits)) & (np.abs(np.diff(values, axis=1)).max() > 0)
