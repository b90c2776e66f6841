"""Wide tables: agents in rows and tests in columns, or items in rows and agents in columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas

from aiq.errors import InputError
from aiq.readers import columns, wide_columns
from aiq.readers.base import Reading, Wanted
from aiq.readers.cells import BAD, NAN, PERCENT, WORD, Cells, cells, names
from aiq.readers.documents import Document
from aiq.readers.sheets import Batch, Sheet, listed, sheet
from aiq.readers.wide_columns import Columns

_LOOKED_AT = 200  # rows by which a file is known as a table


def knows(document: Document) -> bool:
    """Say whether a table has a column of names and one of numbers, or one by whose name it has the agents."""
    found = sheet(document)
    if found is None or len(found.header) < 2:
        return False
    if columns.role(found.header, "agent") or columns.role(found.header, "item"):
        return True
    first = next(found.batches(), None)
    if first is None:
        return False
    numeric = [cells(column[:_LOOKED_AT], found.comma).share >= 0.5 for column in first.columns]
    return any(numeric) and not all(numeric)


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read tables with one row per agent and one column per test; an empty cell is missing."""
    reading = Reading(guess=True, variant="label")
    for document in documents:
        with reading.of(document):
            found = sheet(document)
            if found is not None:
                _load(reading, found, wanted, alone=len(documents) == 1)
    return reading


def _load(reading: Reading, found: Sheet, wanted: Wanted, alone: bool) -> None:
    header = columns.chosen(found.header, (), wanted.drop, wanted.rename)
    wide_columns.check_header(found, header)
    if found.note:
        reading.decide(found.note)
    batch = found.whole()
    _short(reading, found)
    agents = wide_columns.of_agents(reading, found, header, batch)
    kept = wide_columns.sort(found, header, batch, agents, wanted)
    run = next((p for p, n in enumerate(header) if n.lower() == "repetition"), None)
    if run is not None:
        kept.tests.pop(run, None)
        kept.texts = [place for place in kept.texts if place != run]
    wide_columns.leave_out(reading, found, kept, agents, wanted)
    if not kept.tests:
        wide_columns.refuse_no_numbers(found, header, batch, agents)
    item = columns.role(header, "item")
    if item is not None and header.index(item) == agents:
        _take_items(reading, found, batch, agents, kept)
    else:
        _take(reading, found, batch, agents, run, kept, wanted, alone)


def _short(reading: Reading, found: Sheet) -> None:
    """State which rows had fewer cells than the header."""
    if found.short:
        line, count = found.short[0]
        reading.decide(
            f"{found.document.name}: {len(found.short)} rows have fewer cells than the header names columns (the first "
            f"is line {line}, {count} of {len(found.header)}): the cells at their ends count as missing"
        )


def _take(
    reading: Reading,
    found: Sheet,
    batch: Batch,
    agents: int,
    run: int | None,
    kept: Columns,
    wanted: Wanted,
    alone: bool,
) -> None:
    """Take the cells of the tests, agent by agent."""
    named = names(batch.columns[agents])
    _refuse_empty(found, batch, kept.names[agents] or "the first column", named)
    rest = {f"label {kept.names[p]}": names(batch.columns[p]) for p in (*kept.texts, *kept.properties)}
    if run is not None:
        rest["run"] = names(batch.columns[run])
        _refuse_empty(found, batch, "repetition", rest["run"], "give one in every row or leave the column out")
    tests = [kept.names[place] for place in kept.tests]
    lower = [columns.error(name) for name in tests]
    if not alone and len(tests) == 1 and tests[0].lower() in columns.NAMES["performance"]:
        tests = [found.document.stem]
        reading.decide("tables with one column of scores: the test is named as the file is")
    errors = {p: cells(batch.columns[place], found.comma).values for p, place in kept.errors.items()}
    if errors:
        words = listed([kept.names[place] for place in kept.errors.values()])
        reading.decide(f"{found.document.name}: columns of standard errors: {words}")
    nothing = np.full(len(named), np.nan)
    rows = _Grid({"agent": named, "line": batch.lines, **rest}, len(tests))
    rows.by_test("item" if wanted.items else "domain", tests)
    if wanted.items:
        reading.decide(f"{found.document.name}: items are in columns and agents in rows ({kept.names[agents]})")
    rows.by_test("lower", lower)
    rows.cells("se", [errors.get(place, nothing) for place in kept.tests])
    _add(reading, found, batch, kept, rows, {"domain": found.document.stem} if wanted.items else {}, agents)


class _Grid:
    """The cells of rows × columns as one long column each, row by row."""

    def __init__(self, by_row: dict[str, Any], width: int) -> None:
        self.width, self.height = width, len(by_row["line"])
        self.columns = {name: np.repeat(values, width) for name, values in by_row.items()}

    def by_test(self, name: str, values: Sequence[Any]) -> None:
        """Add what is the same in a whole column."""
        kind = object if isinstance(values[0], str) else None
        self.columns[name] = np.tile(np.array(values, dtype=kind), self.height)

    def cells(self, name: str, values: Sequence[Any]) -> None:
        """Add what differs by cell."""
        self.columns[name] = np.column_stack(values).ravel()


def _add(
    reading: Reading,
    found: Sheet,
    batch: Batch,
    kept: Columns,
    rows: _Grid,
    rest: dict[str, Any],
    rows_of: int,
) -> None:
    """Take the cells of a grid that hold a number."""
    there, low, high = [], [], []
    for place, parsed in kept.tests.items():
        column = kept.names[place]
        there.append(_checked(reading, found, batch, column, batch.columns[place], parsed))
        if not there[-1].any():
            reading.skip(column, "no score")
        percent = _percent(reading, found, batch, column, parsed, there[-1])
        low.append(0.0 if percent else np.nan)
        high.append(100.0 if percent else np.nan)
    rows.cells("value", [parsed.values for parsed in kept.tests.values()])
    rows.by_test("low", low)
    rows.by_test("high", high)
    mask = np.column_stack(there).ravel()
    lost = ~np.column_stack(there).any(axis=1)
    if lost.any() and mask.any():
        gone = [str(name) for name in batch.columns[rows_of][lost]]
        reading.skip(found.document.name, f"{len(gone)} rows have no score: {listed(gone)}")
    if mask.any():
        kept_cells = {name: values[mask] for name, values in rows.columns.items()}
        reading.rows.add({**kept_cells, **rest, "where": found.document.name})


def _take_items(reading: Reading, found: Sheet, batch: Batch, item: int, kept: Columns) -> None:
    """Take a table of items in rows and agents in columns."""
    named = names(batch.columns[item])
    _refuse_empty(found, batch, kept.names[item], named)
    reading.decide(f"{found.document.name}: items are in rows ({kept.names[item]}) and agents in columns")
    rows = _Grid({"item": named, "line": batch.lines}, len(kept.tests))
    rows.by_test("agent", [kept.names[place] for place in kept.tests])
    _add(reading, found, batch, kept, rows, {"domain": found.document.stem}, item)


def _percent(reading: Reading, found: Sheet, batch: Batch, column: str, parsed: Cells, there: Any) -> bool:
    """Return whether a column has per cent signs; a mix is refused."""
    percent = parsed.kinds[there] == PERCENT
    if not percent.any():
        return False
    plain = ~percent & (parsed.values[there] != 0)
    if plain.any():
        line = int(batch.lines[there][int(np.argmax(plain))])
        raise InputError(
            f"{found.place(line)}: {column} has no per cent sign while other rows have one; write all its scores alike"
        )
    reading.decide(f"{found.document.name}: {column} has per cent signs: divided by 100")
    return True


def _checked(reading: Reading, found: Sheet, batch: Batch, column: str, texts: Any, parsed: Cells) -> Any:
    """Return where a column has a number; cells that are none are refused, words for nothing are stated."""
    wrong = parsed.kinds == BAD
    if wrong.any():
        row = int(np.argmax(wrong))
        words = "a finite number" if "inf" in str(texts[row]).lower() else "a number"
        raise InputError(
            f"{found.place(int(batch.lines[row]))}: {column} is {str(texts[row])!r}, it must be {words}; leave the "
            f"column out with --drop {column}"
        )
    words = (parsed.kinds == WORD) | (parsed.kinds == NAN)
    if words.any():
        said = sorted({str(text).strip() for text in np.asarray(texts)[words]})
        reading.decide(f"{found.document.name}: {column}: {int(words.sum())} cells say {listed(said)}: missing")
    return parsed.kinds <= PERCENT


def _refuse_empty(found: Sheet, batch: Batch, column: str, named: Any, do: str = "every row needs one") -> None:
    """Refuse empty names."""
    empty = pandas.isna(named)
    if empty.any():
        line = int(batch.lines[int(np.argmax(empty))])
        raise InputError(f"{found.place(line)}: {column} is empty; {do}")
