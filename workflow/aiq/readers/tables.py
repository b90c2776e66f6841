"""Tables with one row a result: aiq's own, and those of others under other names of columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from aiq.errors import InputError, did_you_mean
from aiq.readers import columns
from aiq.readers.base import Reading, Wanted, listed, seconds
from aiq.readers.columns import EMPTY, NAN, NOTED, PERCENT, WORD, Cells, names
from aiq.readers.documents import DamagedError, Document
from aiq.readers.sheets import Batch, Sheet, opened, sheet
from aiq.records.estimate import Floats

_OWN = ("agent", "domain", "performance", "se", "repetition", "item", "cluster", "epoch", "weight")
_NUMBERS = ("performance", "se", "weight")
_LABELS = {"agent": "agent", "domain": "domain", "repetition": "run", "item": "item", "cluster": "cluster"}
_LABELS |= {"epoch": "epoch"}
_ABOUT = {
    "metric": ("metric", "metric_name"),
    "lower": ("lower_is_better",),
    "higher": ("higher_is_better", "greater_is_better"),
    "most": ("max_score", "maximum_score", "max_points", "total_points", "out_of"),
}
"""What a column besides the scores says of them -> its names."""
_COUNTS = ("correct", "passed", "resolved", "points", "hits")  # of which a column total is the largest
_YES = {"true": 1.0, "yes": 1.0, "y": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "n": 0.0, "0": 0.0}


def knows(document: Document) -> bool:
    """Say whether a table has one row a result: an agent, a score, and a test or an item."""
    table = sheet(document)
    if table is None:
        return False
    header = table.header
    if {"agent", "performance"} <= {*header}:
        return True
    if columns.role(header, "agent") is None or _where(header) is None:
        return False
    score = columns.role(header, "performance") or _only_numbers(table)
    return score is not None and (score != "successes" or "trials" in header)


def _where(header: list[str]) -> str | None:
    return columns.role(header, "domain") or columns.role(header, "item")


def _only_numbers(table: Sheet) -> str | None:
    """Return the one column of numbers of a table with several rows an agent and a test a row, None of others."""
    header, first = table.header, table.first()
    who, where = columns.role(header, "agent"), _where(header)
    if first is None or who is None or where is None:
        return None
    taken = {columns.role(header, what) for what in columns.NAMES}
    numeric = [
        name
        for name, column in zip(header, first.columns, strict=True)
        if name and name not in taken and not columns.about(name) and table.cells(column).share == 1
    ]
    rows = list(zip(*(first.columns[header.index(name)].tolist() for name in (who, where)), strict=True))
    several = len({agent for agent, _ in rows}) < len(rows) == len(set(rows))
    return numeric[0] if len(numeric) == 1 and several else None


def read_table(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read a table with one row a result, its batches one after the other; an empty performance is a missing cell."""
    source = opened(document)
    table = _Long(reading, source, wanted)
    reading.number(table.own and "repetition" in table.roles)
    if source.note:
        reading.decide(source.note)
    rows = 0
    for batch in source.batches():
        rows += len(batch.lines)
        if source.short:
            line, cut = source.short[0]
            width = len(source.header)
            raise DamagedError(f"{source.place(line)} has {cut} cells where the header names {width} columns")
        if len(batch.lines):
            table.take(batch)
    if not rows:
        raise source.no_rows()
    for words, count in table.counted.items():
        reading.decide(words.replace("{count}", str(count)))


class _Long:
    """A table with one row a result.

    ``roles``: what a column is -> its place. ``about``: the places of the metric, of whether lower or higher is better,
    and of the largest possible score, where there are such columns. ``labels``: places of labels. ``own``: whether the
    table is aiq's own, in [0, 1]. ``counted``: what was decided -> of how many cells.
    """

    def __init__(self, reading: Reading, source: Sheet, wanted: Wanted) -> None:
        self.reading, self.sheet, self.known = reading, source, wanted.known
        self.own = {"agent", "performance"} <= {*source.header}
        self.header = columns.chosen(source.header, [n for n in wanted.columns if n in source.header], wanted.drop)
        self.roles = self._roles(wanted)
        self.score = self.header[self.roles["performance"]]
        source.check_columns(self.header)
        self.about = {} if self.own else self._about()
        if "most" in self.about:
            reading.decide(f"{source.name}: scores are out of {self.header[self.about['most']]}")
        self.labels = self._labels()
        origins = [f"{what} from {self.header[at]}" for what, at in self.roles.items() if self.header[at] != what]
        if origins and not self.own:
            reading.decide(f"{source.name}: {', '.join(origins)}")
        self.counted: Counter[str] = Counter()

    def _roles(self, wanted: Wanted) -> dict[str, int]:
        header, cluster = self.header, wanted.cluster
        chosen = {what: what if self.own and what in header else None for what in columns.NAMES}
        if not self.own:
            chosen = {what: columns.role(header, what) for what in columns.NAMES}
        chosen["performance"] = chosen["performance"] or _only_numbers(self.sheet)
        if cluster in header:
            chosen["cluster"] = cluster
        roles = {what: header.index(column) for what, column in chosen.items() if column}
        for what in ("agent", "domain", "performance"):
            column = columns.role(self.sheet.header, what)
            if what not in roles and column in wanted.drop and not (what == "domain" and "item" in roles):
                raise InputError(
                    f"{self.sheet.name}: {column!r} holds the {what} of every row, so it cannot be dropped; keep it"
                )
        trials = "weight" in roles and header[roles["weight"]].lower() == "trials"
        if trials and not self.own and header[roles["performance"]].lower() != "successes":
            del roles["weight"]
        if "domain" not in roles and "item" not in roles:
            there = self.sheet.header
            hint = did_you_mean("domain", there)
            raise InputError(f"{self.sheet.name} lacks the column 'domain'{hint}; it has {', '.join(there)}")
        return roles

    def _about(self) -> dict[str, int]:
        lowered = [column.lower().replace(" ", "_") for column in self.header]
        rest = [place for place in range(len(lowered)) if place not in self.roles.values()]
        places = {what: next((p for p in rest if lowered[p] in words), -1) for what, words in _ABOUT.items()}
        if self.score.lower() in _COUNTS and "total" in lowered:
            places["most"] = lowered.index("total")
        return {what: place for what, place in places.items() if place >= 0}

    def _labels(self) -> list[int]:
        """Return the columns of labels among those that have no role; numbers in an own table are refused."""
        taken = {*self.roles.values(), *(place for what, place in self.about.items() if what != "metric")}
        rest = [place for place, column in enumerate(self.header) if column and place not in taken]
        first = self.sheet.first() if rest else None
        if first is None:
            return []
        usual = (*columns.VARIANTS, *columns.PARTS)
        labels = [p for p in rest if self.header[p].lower() in usual or self.sheet.cells(first.columns[p]).share < 0.5]
        numbers = [self.header[place] for place in rest if place not in labels]
        if numbers and self.own:
            raise InputError(
                f"{self.sheet.name} has the column '{numbers[0]}'{did_you_mean(numbers[0], _OWN)}, which is unknown; "
                f"allowed are {', '.join(_OWN)}, or leave it out: --drop {numbers[0]}"
            )
        if numbers:
            words = f"columns of numbers that are no score are left out: {listed(numbers)}"
            self.reading.decide(f"{self.sheet.name}: {words}")
        if labels:
            words = listed([self.header[place] for place in labels])
            self.reading.decide(f"{self.sheet.name}: columns of labels, no tests: {words}")
        return labels

    def take(self, batch: Batch) -> None:
        """Take some rows."""
        roles = self.roles
        numbers = {what: self.sheet.cells(batch.columns[roles[what]]) for what in _NUMBERS if what in roles}
        for what, parsed in numbers.items():
            self._refuse(batch, roles[what], parsed)
        score = numbers["performance"]
        there = score.kinds <= PERCENT
        lines, kinds = batch.lines[there], score.kinds
        new: dict[str, Any] = {"value": score.values[there], "line": lines, "where": self.sheet.name}
        new |= {"domain": self.sheet.document.stem}
        new |= {what: numbers[what].values[there] for what in ("se", "weight") if what in numbers}
        named = {what: names(batch.columns[roles[what]]) for what in _LABELS if what in roles}
        for what, given in named.items():
            needed = what in ("agent", "domain", "item")
            do = "every row needs one" if needed else "give one in every row or leave the column out"
            if what != "cluster":
                self.sheet.check_names(self.header[roles[what]], batch.lines, given, do)
            new[_LABELS[what]] = given[there]
            if what in self.reading.blank:
                self.reading.blank[what].update(dict.fromkeys(given[~there].tolist()))
        if not self.own:
            new |= self._told(batch, there, named)
        for place in self.labels:
            new[f"label {self.header[place]}"] = names(batch.columns[place])[there]
            if self.header[place].lower() == "date":
                new["date"] = np.array([seconds(str(day)) for day in batch.columns[place][there]], dtype=np.float64)
        if self.score.lower() == "successes":
            new["value"] = self._shares(new["value"], new["weight"], lines)
        percent = self.sheet.percents(self.score, lines, score.values[there], kinds[there])
        if percent.any():
            new |= {"low": np.where(percent, 0.0, np.nan), "high": np.where(percent, 100.0, np.nan)}
        for words, cells in {
            "{count} scores with a per cent sign: divided by 100": percent,
            f"{self.score}: what stands behind the number is left out ({{count}})": kinds == NOTED,
            f"{self.score}: missing where a word stands for nothing ({{count}})": kinds == WORD,
            "empty scores on items, which are missing: {count}": (kinds == EMPTY) & ("item" in roles),
        }.items():
            if cells.any():
                self.counted[words] += int(cells.sum())
        self.reading.rows.add(new)

    def _told(self, batch: Batch, there: Any, named: Mapping[str, Any]) -> dict[str, Any]:
        """Return what columns say of the direction and the range of scores: lower, bounded, low, high."""
        tests = named["domain"] if "domain" in named else np.full(len(there), self.sheet.document.stem, dtype=object)
        metric = names(batch.columns[self.about["metric"]]) if "metric" in self.about else tests
        new = columns.directions(metric[there], tests[there], self.known)  # a metric outranks the test's name
        for what in ("lower", "higher"):
            if what in self.about:
                said = self._directions(batch, self.about[what], tests)[there]
                new["lower"] = np.where(np.isnan(said), new["lower"], (said != 0) == (what == "lower"))
        if "most" in self.about:
            new["high"] = self.sheet.cells(batch.columns[self.about["most"]]).values[there]
            new["low"] = np.where(np.isnan(new["high"]), np.nan, 0.0)
        return new

    def _directions(self, batch: Batch, place: int, tests: Any) -> Floats:
        """Return what a column says of the direction of each row's test, 1 or 0, NaN where nothing; (n,)."""
        said_of: dict[Any, float] = {}
        for row, (test, cell) in enumerate(zip(tests, names(batch.columns[place]), strict=True)):
            if cell is None:
                continue
            said = _YES.get(cell.lower())
            if said is None or said_of.setdefault(test, said) != said:
                why = "it must be true or false" if said is None else f"other rows of {test} say otherwise"
                raise InputError(f"{self.sheet.place(batch.lines[row])}: {self.sheet.header[place]} is {cell!r}; {why}")
        return np.array([said_of.get(test, np.nan) for test in tests])

    def _shares(self, successes: Floats, trials: Floats, lines: Any) -> Floats:
        wrong = ~((trials >= 1) & (successes <= trials))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(
                f"{self.sheet.place(lines[row])}: {successes[row]:g} successes of {trials[row]:g} trials; there must "
                "be at least one trial, and no more successes than trials"
            )
        return successes / trials

    def _refuse(self, batch: Batch, place: int, parsed: Cells) -> None:
        wrong = (parsed.kinds > PERCENT) & (parsed.kinds != EMPTY) & (parsed.kinds != WORD)
        if wrong.any():
            row = int(np.argmax(wrong))
            text = str(batch.columns[place][row])
            words = "a finite number" if parsed.kinds[row] == NAN or "inf" in text.lower() else "a number"
            raise InputError(
                f"{self.sheet.place(batch.lines[row])}: {self.header[place]} is {text!r}, it must be {words}"
            )
