"""Tables with one row a result: aiq's own, and those of others under other names of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas

from aiq.errors import InputError, did_you_mean
from aiq.readers import columns
from aiq.readers.base import Reading, Wanted, listed, seconds
from aiq.readers.cells import EMPTY, NAN, NOTED, PERCENT, WORD, Cells, cells, names
from aiq.readers.documents import DamagedError, Document
from aiq.readers.sheets import Batch, Sheet, sheet
from aiq.records.arrays import Floats

_OWN = ("agent", "domain", "performance", "se", "repetition", "item", "cluster", "epoch", "weight")
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


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the columns of a table are: role -> place, the places of labels, whether scores are counts of successes.

    ``metric``, ``lower``, ``higher``, ``most``: places of the metric, of whether lower or higher is better, and of the
    largest possible score; None where the table has none. ``own``: whether the table is aiq's own, in [0, 1];
    ``known``: tests that are in [0, 1] whatever their names say.
    """

    roles: Mapping[str, int]
    labels: tuple[int, ...]
    successes: bool
    own: bool
    metric: int | None
    lower: int | None
    higher: int | None
    most: int | None
    known: tuple[str, ...]


def knows(document: Document) -> bool:
    """Say whether a table has one row a result: an agent, a score, and a test or an item."""
    found = sheet(document)
    header = found.header if found is not None else []
    if {"agent", "performance"} <= set(header):
        return True
    agent, where = columns.role(header, "agent"), columns.role(header, "domain") or columns.role(header, "item")
    if found is None or None in (agent, where):
        return False
    score = columns.role(header, "performance") or _only_numbers(found)
    return score is not None and (score != "successes" or "trials" in header)


def _only_numbers(found: Sheet) -> str | None:
    """Return the one column of numbers of a table with several rows an agent and a test a row, None of others."""
    header, first = found.header, next(found.batches(), None)
    agent, where = columns.role(header, "agent"), columns.role(header, "domain") or columns.role(header, "item")
    if first is None or agent is None or where is None:
        return None
    taken = {columns.role(header, what) for what in columns.NAMES}
    numeric = [
        name
        for name, column in zip(header, first.columns, strict=True)
        if name and name not in taken and not columns.about(name) and cells(column, found.comma).share == 1
    ]
    rows = list(zip(*(first.columns[header.index(name)].tolist() for name in (agent, where)), strict=True))
    several = len({who for who, _ in rows}) < len(rows) == len(set(rows))
    return numeric[0] if len(numeric) == 1 and several else None


def read_table(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read a table ``agent,domain,performance[,se][,repetition][,item][,cluster][,epoch]`` or its kin.

    An empty performance is a missing cell. Batches of rows are read one after the other.
    """
    found = sheet(document)
    if found is None:
        return
    header = columns.chosen(found.header, [name for name in wanted.columns if name in found.header], wanted.drop)
    plan = _plan(reading, found, header, wanted)
    reading.number(plan.own and "repetition" in plan.roles)
    if found.note:
        reading.decide(found.note)
    counted: dict[str, int] = {}
    rows = 0
    for batch in found.batches():
        rows += len(batch.lines)
        if found.short:
            line, cut = found.short[0]
            width = len(found.header)
            raise DamagedError(f"{found.place(line)} has {cut} cells where the header names {width} columns")
        if len(batch.lines):
            _batch(reading, found, header, plan, batch, counted)
    if not rows:
        raise DamagedError(f"{found.document.name} has a header but no rows; give at least one")
    for words, count in counted.items():
        reading.decide(words.replace("{count}", str(count)))


def _plan(reading: Reading, found: Sheet, header: Sequence[str], wanted: Wanted) -> _Plan:
    name, own = found.document.name, {"agent", "performance"} <= set(found.header)
    roles: dict[str, int] = {}
    for what in columns.NAMES:
        column = (what if what in header else None) if own else columns.role(header, what)
        if what == "performance" and column is None:
            column = _only_numbers(found)
        if what == "cluster" and wanted.cluster in header:
            column = wanted.cluster
        if column:
            roles[what] = header.index(column)
    if not own and roles.get("weight") is not None and header[roles["performance"]].lower() != "successes":
        roles.pop("weight") if header[roles["weight"]].lower() == "trials" else None
    if "domain" not in roles and "item" not in roles:
        there = ", ".join(found.header)
        raise InputError(f"{name} lacks the column 'domain'{did_you_mean('domain', found.header)}; it has {there}")
    for column in header:
        if column and header.count(column) > 1:
            raise InputError(f"{name} has the column {column!r} twice; every column may occur once")
    rest = [place for place, column in enumerate(header) if column and place not in roles.values()]
    lowered = [column.lower().replace(" ", "_") for column in header]
    places = {
        what: None if own else next((p for p in rest if lowered[p] in words), None) for what, words in _ABOUT.items()
    }
    if not own and header[roles["performance"]].lower() in _COUNTS and "total" in lowered:
        places["most"] = lowered.index("total")
    rest = [place for place in rest if place not in places.values() or place == places["metric"]]
    if (most := places["most"]) is not None:
        reading.decide(f"{name}: scores are out of {header[most]}")
    labels = _labels(reading, found, header, rest, own)
    if not own:
        told = [f"{what} from {header[place]}" for what, place in roles.items() if header[place] != what]
        if told:
            reading.decide(f"{name}: {', '.join(told)}")
    return _Plan(
        roles, tuple(labels), header[roles["performance"]].lower() == "successes", own, **places, known=wanted.known
    )


def _labels(reading: Reading, found: Sheet, header: Sequence[str], rest: Sequence[int], own: bool) -> list[int]:
    """Return the columns of labels among those that have no role; numbers in an own table are refused."""
    first = next(found.batches(), None) if rest else None
    if first is None:
        return []
    known = (*columns.VARIANTS, *columns.PARTS)
    labels = [p for p in rest if header[p].lower() in known or cells(first.columns[p], found.comma).share < 0.5]
    numbers = [header[place] for place in rest if place not in labels]
    if numbers and own:
        hint = did_you_mean(numbers[0], _OWN)
        raise InputError(
            f"{found.document.name} has the column '{numbers[0]}'{hint}, which is unknown; allowed are "
            f"{', '.join(_OWN)}, or leave it out: --drop {numbers[0]}"
        )
    if numbers:
        reading.decide(f"{found.document.name}: columns of numbers that are no score are left out: {listed(numbers)}")
    if labels:
        words = listed([header[place] for place in labels])
        reading.decide(f"{found.document.name}: columns of labels, no tests: {words}")
    return labels


def _batch(
    reading: Reading, found: Sheet, header: Sequence[str], plan: _Plan, batch: Batch, counted: dict[str, int]
) -> None:
    read = {
        what: cells(batch.columns[plan.roles[what]], found.comma)
        for what in ("performance", "se", "weight")
        if what in plan.roles
    }
    score = read["performance"]
    for what, parsed in read.items():
        _refuse(found, batch, header[plan.roles[what]], batch.columns[plan.roles[what]], parsed)
    there = score.kinds <= PERCENT
    new: dict[str, Any] = {"value": score.values[there], "line": batch.lines[there], "where": found.document.name}
    named = {what: names(batch.columns[plan.roles[what]]) for what in _LABELS if what in plan.roles}
    for what, given in named.items():
        needed = what in ("agent", "domain", "item")
        do = "every row needs one" if needed else "give one in every row or leave the column out"
        if what != "cluster":
            found.check_names(header[plan.roles[what]], batch.lines, given, do)
    new |= {_LABELS[what]: given[there] for what, given in named.items()}
    for what in reading.blank.keys() & named.keys():
        reading.blank[what].update(dict.fromkeys(named[what][~there].tolist()))
    new.setdefault("domain", found.document.stem)
    for what in ("se", "weight"):
        if what in read:
            new[what] = read[what].values[there]
    new |= _told(found, batch, plan, there, named)
    for place in plan.labels:
        new[f"label {header[place]}"] = names(batch.columns[place])[there]
        if header[place].lower() == "date":
            new["date"] = np.array([seconds(str(day)) for day in batch.columns[place][there]], dtype=np.float64)
    if plan.successes:
        _trials(found, new, batch.lines[there])
    column = header[plan.roles["performance"]]
    percent = found.percents(column, batch.lines[there], score.values[there], score.kinds[there])
    if percent.any():
        new |= {"low": np.where(percent, 0.0, np.nan), "high": np.where(percent, 100.0, np.nan)}
        key = "{count} scores with a per cent sign: divided by 100"
        counted[key] = counted.get(key, 0) + int(percent.sum())
    noted = int((score.kinds == NOTED).sum())
    if noted:
        key = f"{column}: what stands behind the number is left out ({{count}})"
        counted[key] = counted.get(key, 0) + noted
    words = int((score.kinds == WORD).sum())
    if words:
        key = f"{column}: missing where a word stands for nothing ({{count}})"
        counted[key] = counted.get(key, 0) + words
    empty = int((score.kinds == EMPTY).sum())
    if empty and "item" in plan.roles:
        key = "empty scores on items, which are missing: {count}"
        counted[key] = counted.get(key, 0) + empty
    reading.rows.add(new)


def _told(found: Sheet, batch: Batch, plan: _Plan, there: Any, named: Mapping[str, Any]) -> dict[str, Any]:
    """Return what columns say of the direction and the range of scores: lower, bounded, low, high."""
    if plan.own:
        return {}
    words = named["domain"] if "domain" in named else np.full(len(there), found.document.stem, dtype=object)
    metric = words if plan.metric is None else names(batch.columns[plan.metric])  # it outranks the test's name
    codes, unique = pandas.factorize(metric[there], use_na_sentinel=False)
    tests, named_tests = pandas.factorize(words[there], use_na_sentinel=False)
    free = np.array([word not in plan.known for word in named_tests] or [True], dtype=bool)[tests]
    lower = free & np.array([columns.error(str(word)) for word in unique] or [False])[codes]
    bounded = ~(free & np.array([columns.unbounded(str(word)) for word in unique] or [False])[codes])
    for place, turned in ((plan.lower, False), (plan.higher, True)):
        if place is not None:
            said = _directions(found, batch, place, words)[there]
            lower = np.where(np.isnan(said), lower, (said != 0) != turned)
    new: dict[str, Any] = {"lower": lower, "bounded": bounded, "metric": metric[there]}
    if plan.most is not None:
        new["high"] = cells(batch.columns[plan.most], found.comma).values[there]
        new["low"] = np.where(np.isnan(new["high"]), np.nan, 0.0)
    return new


def _directions(found: Sheet, batch: Batch, place: int, tests: Any) -> Floats:
    """Return what a column says of the direction of each row's test, 1 or 0, NaN where nothing; (n,).

    Raises:
        InputError: a word that is neither yes nor no, or both of one test.
    """
    column = found.header[place]
    found_of: dict[Any, float] = {}
    for row, (test, cell) in enumerate(zip(tests, names(batch.columns[place]), strict=True)):
        if cell is None:
            continue
        said = _YES.get(str(cell).lower())
        if said is None or found_of.setdefault(test, said) != said:
            why = "it must be true or false" if said is None else f"other rows of {test} say otherwise"
            raise InputError(f"{found.place(int(batch.lines[row]))}: {column} is {str(cell)!r}; {why}")
    return np.array([found_of.get(test, np.nan) for test in tests])


def _trials(found: Sheet, new: dict[str, Any], lines: Any) -> None:
    """Turn successes of trials into shares."""
    trials = new["weight"]
    wrong = ~((trials >= 1) & (new["value"] <= trials))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"{found.place(int(lines[row]))}: {new['value'][row]:g} successes of {trials[row]:g} trials; there must be "
            "at least one trial, and no more successes than trials"
        )
    new["value"] = new["value"] / trials


def _refuse(found: Sheet, batch: Batch, column: str, texts: Any, parsed: Cells) -> None:
    wrong = (parsed.kinds > PERCENT) & (parsed.kinds != EMPTY) & (parsed.kinds != WORD)
    if wrong.any():
        row = int(np.argmax(wrong))
        finite = parsed.kinds[row] == NAN or "inf" in str(texts[row]).lower()
        words = "a finite number" if finite else "a number"
        raise InputError(f"{found.place(int(batch.lines[row]))}: {column} is {str(texts[row])!r}, it must be {words}")
