"""Wide tables: agents in rows and tests in columns, or items or tests in rows and agents in columns."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from aiq.errors import InputError
from aiq.readers import columns
from aiq.readers.base import Reading, Wanted, listed
from aiq.readers.cells import BAD, NAN, NOTED, PERCENT, WORD, cells, names, number
from aiq.readers.documents import Document, Held
from aiq.readers.sheets import Batch, Sheet, sheet
from aiq.readers.wide_columns import Wide, leave_out, mean_row, refuse_no_scores, sort
from aiq.records.table import counted

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


def read_wide(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read a table with one row per agent and one column per test, or turned; an empty cell is missing."""
    found = sheet(document)
    if found is None:
        return
    table = _opened(reading, found, wanted)
    sort(table, bool(wanted.columns))
    runs = ("repetition", "seed", "replicate")
    run = next((place for place, name in enumerate(table.header) if name.lower() in runs), None)
    reading.number(run is not None and table.header[run].lower() == "repetition")
    if run is not None:
        table.tests.pop(run, None)
        table.texts = [place for place in table.texts if place != run]
    summaries = leave_out(table)
    if not table.tests:
        refuse_no_scores(table, summaries)
    if table.of == "agent":
        _take_agents(table, run, wanted.items)
    else:
        what = "items" if table.of == "item" else "tests"
        table.say(f"{what} are in rows ({table.header[table.rows]}) and agents in columns")
        rest = {"domain": document.stem} if table.of == "item" else {}
        _take(table, {}, "agent", [table.header[place] for place in table.tests], rest)


def _opened(reading: Reading, found: Sheet, wanted: Wanted) -> Wide:
    """Return a table without rows of means; what cannot be used is refused."""
    header = columns.chosen(found.header, (), wanted.drop)
    batch = found.whole()
    first = None if isinstance(found.document, Held) else _first_number(header, wanted.known)
    for place, column in enumerate(header):
        if place == first:
            raise InputError(
                f"{found.document.name} has no header: its first row holds the number {column}; put a row with the "
                "names of the columns above it"
            )
        if column and header.count(column) > 1:
            raise InputError(f"{found.document.name} has the column {column!r} twice; every column may occur once")
        if place and not found.header[place] and not cells(batch.columns[place], found.comma).empty:
            raise InputError(
                f"{found.document.name} has no name for column {place + 1} in its first row; give every column a name"
            )
    if found.note:
        reading.decide(found.note)
    if found.short:
        line, count = found.short[0]
        reading.decide(
            f"{found.document.name}: {counted(len(found.short), 'row')} with fewer cells than the header names columns "
            f"(the first is line {line}, {count} of {len(found.header)}): the cells at their ends count as missing"
        )
    rows, of = _of_rows(reading, found, header, batch)
    table = Wide(reading, found, header, batch, rows, of, wanted.columns, wanted.known)
    named = batch.columns[rows]
    means = _summaries(table, named)
    if of == "item":
        means |= mean_row(found, header, batch, rows)
    if means.any() and not means.all():
        table.say(f"rows of means are left out: {listed([str(name).strip() for name in named[means]])}")
        table.batch = Batch(batch.lines[~means], [column[~means] for column in batch.columns])
    return table


def _first_number(header: Sequence[str], known: Sequence[str]) -> int | None:
    """Return the place of the first number in what should be names; None where all rise or are years."""
    numbers = [(place, number(name)) for place, name in enumerate(header) if name not in known]
    numbers = [(place, value) for place, value in numbers if not np.isnan(value)]
    values = [value for _, value in numbers]
    rising = len(values) > 1 and all(one < other for one, other in pairwise(values))
    if not numbers or rising or all(1900 <= value <= 2100 and value % 1 == 0 for value in values):
        return None
    return numbers[0][0]


def _summaries(table: Wide, named: Any) -> Any:
    """Return which rows are means of other rows, or other numbers about them, by name and numbers; (n,)."""
    found = np.zeros(len(named), dtype=bool)
    if table.of == "item":
        return found
    places = [p for p in range(len(table.header)) if p != table.rows and table.header[p] and table.cells(p).share == 1]
    values = np.column_stack([table.cells(p).values for p in places]) if places else np.empty((len(named), 0))
    words = [columns.summary(str(name)) or columns.may_summarise(str(name)) for name in named]
    rest = values[~np.array(words, dtype=bool)]
    for row in np.flatnonzero(words) if len(rest) and values.size else ():
        name = str(named[row])
        found[row] = name not in table.known and columns.row_summary(name, values[row], rest)
    return found


def _of_rows(reading: Reading, found: Sheet, header: Sequence[str], batch: Batch) -> tuple[int, str]:
    """Return the place of the column that names the rows, and what these are."""
    for of in ("agent", "item"):
        named = columns.role(header, of)
        if named is not None:
            return header.index(named), of
    texts = [
        place
        for place, column in enumerate(batch.columns)
        if (header[place] or place == 0) and cells(column, found.comma).share < 0.5
    ]
    if not texts:
        raise InputError(no_agents(found))
    distinct = [len({*names(batch.columns[place])}) for place in texts]
    tests = columns.role(header, "domain")
    place = header.index(tests) if tests is not None else -1
    if place in texts and distinct[texts.index(place)] == len(batch.lines):
        return place, "domain"
    chosen = texts[int(np.argmax(distinct))]
    column = repr(found.header[chosen]) if found.header[chosen] else "1, which has no name"
    reading.decide(f"{found.document.name}: the agents are in column {column}")
    return chosen, "agent"


def no_agents(sheet: Sheet) -> str:
    """Return the refusal of a table in which no column holds the names of agents."""
    return (
        f"{sheet.document.name} is a table without a column of agents and one of scores; its columns are "
        f"{listed(sheet.header)}; say which holds the agents: --rename COLUMN=agent"
    )


def _take_agents(table: Wide, run: int | None, items: bool) -> None:
    header, stem = table.header, table.sheet.document.stem
    by_row = {f"label {header[p]}": names(table.batch.columns[p]) for p in (*table.texts, *table.properties)}
    if run is not None:
        by_row["run"] = names(table.batch.columns[run])
        do = "give one in every row or leave the column out"
        table.sheet.check_names("repetition", table.batch.lines, by_row["run"], do)
    tests = [header[place] for place in table.tests]
    if table.reading.files > 1 and len(tests) == 1 and tests[0].lower() in columns.NAMES["performance"]:
        tests = [stem]
        table.reading.decide("tables with one column of scores: the test is named as the file is")
    if table.errors:
        table.say(f"columns of standard errors: {listed([header[place] for place in table.errors.values()])}")
    if items:
        table.say(f"items are in columns and agents in rows ({header[table.rows]})")
    _take(table, by_row, "item" if items else "domain", tests, {"domain": stem} if items else {})


def _take(table: Wide, by_row: dict[str, Any], across: str, heads: Sequence[str], rest: dict[str, Any]) -> None:
    """Take the cells that hold a number, row by row.

    Args:
        table: the table.
        by_row: columns of the rows besides that of their names, each (n,).
        across: what the columns of scores are: domain, item or agent.
        heads: their names.
        rest: what is the same in all cells.
    """
    named = names(table.batch.columns[table.rows])
    table.sheet.check_names(table.header[table.rows] or "the first column", table.batch.lines, named)
    there = np.column_stack([_numbers(table, place) for place in table.tests])
    percents = np.zeros(there.shape[1], dtype=bool)
    for at, (place, parsed) in enumerate(table.tests.items()):
        mine, column = there[:, at], table.header[place]
        signs = table.sheet.percents(column, table.batch.lines[mine], parsed.values[mine], parsed.kinds[mine])
        percents[at] = signs.any()
    free = [p for p, percent in zip(table.tests, percents, strict=True) if across == "domain" and not percent]
    named_so = [p for p in free if _in_per_cent(table, p)]
    if named_so:
        table.say(f"in per cent by their names: {listed([table.header[p] for p in named_so])}, divided by 100")
        percents |= np.isin(list(table.tests), named_so)
    doubt = [table.header[p] for p in table.tests if across == "domain" and table.is_doubtful(p)]
    if doubt:
        table.say(f"more is taken as better on {listed(doubt)}; if less is: --lower {shlex.quote(doubt[0])}")
    with_signs = [
        table.header[p] for p, percent in zip(table.tests, percents, strict=True) if percent and p not in named_so
    ]
    if with_signs:
        table.say(f"per cent signs in {listed(with_signs)}: divided by 100")
    lost = ~there.any(axis=1)
    if lost.any() and not lost.all():
        gone = [str(name) for name in named[lost]]
        table.reading.skip(f"{counted(len(gone), 'row')} of {table.name}", f"no score of {listed(gone)}")
    mask = there.ravel()
    if not mask.any():
        return
    height, width = there.shape
    unknown = np.full(height, np.nan)
    errors = [table.cells(table.errors[p]).values if p in table.errors else unknown for p in table.tests]
    of_rows = {table.of: named, "line": table.batch.lines, **by_row}
    of_columns = {across: np.array(heads, dtype=object), "low": np.where(percents, 0.0, np.nan)}
    of_columns["high"] = np.where(percents, 100.0, np.nan)
    tests = of_columns if across == "domain" else of_rows if table.of == "domain" else {}
    if tests:
        tests["metric"] = tests["domain"]
        words = [str(name) for name in tests["domain"]]
        tests["lower"] = np.array([word not in table.known and columns.error(word) for word in words])
        tests["bounded"] = np.array([word in table.known or not columns.unbounded(word) for word in words])
    whole = {name: np.repeat(values, width)[mask] for name, values in of_rows.items()}
    whole |= {name: np.tile(values, height)[mask] for name, values in of_columns.items()}
    whole["value"] = np.column_stack([parsed.values for parsed in table.tests.values()]).ravel()[mask]
    whole["se"] = np.column_stack(errors).ravel()[mask]
    table.reading.rows.add({**whole, **rest, "where": table.name})


def _in_per_cent(table: Wide, place: int) -> bool:
    """Whether a column is in per cent by its name, and no score is outside 0 to 100."""
    values = table.tests[place].values
    inside = bool(((values >= 0) & (values <= 100) | np.isnan(values)).all())
    return columns.per_cent(table.header[place]) and table.header[place] not in table.known and inside


def _numbers(table: Wide, place: int) -> Any:
    """Return where a column has a number; cells that are none are refused, words for nothing are stated."""
    parsed, texts, column = table.tests[place], table.batch.columns[place], table.header[place]
    wrong = parsed.kinds == BAD
    if wrong.any():
        row = int(np.argmax(wrong))
        words = "a finite number" if "inf" in str(texts[row]).lower() else "a number"
        raise InputError(
            f"{table.sheet.place(int(table.batch.lines[row]))}: {column} is {str(texts[row])!r}, it must be {words}; "
            f"leave the column out with --drop {shlex.quote(column)}"
        )
    nothing = np.isin(parsed.kinds, (WORD, NAN))
    if nothing.any():
        said = sorted({str(text).strip() for text in np.asarray(texts)[nothing]})
        table.say(f"{column}: missing where cells say {listed(said)} ({int(nothing.sum())})")
    noted = parsed.kinds == NOTED
    if noted.any():
        example = str(np.asarray(texts)[noted][0]).strip()
        table.say(f"{column}: what stands behind the number is left out ({int(noted.sum())}, such as {example!r})")
    there = parsed.kinds <= PERCENT
    if not there.any():
        table.reading.skip(column, "no score")
    return there
