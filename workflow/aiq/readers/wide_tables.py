"""Wide tables: agents in rows and tests in columns, or items or tests in rows and agents in columns.

Two programs write some of their own: timm (pytorch-image-models) ``results-*.csv``, one file a test, one row per model
and image size; openrlbenchmark environments in rows and agents in columns, cells ``mean ± deviation``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from aiq.errors import InputError, choice
from aiq.readers import columns
from aiq.readers.base import Raw, Reading, Wanted, listed
from aiq.readers.columns import BAD, NAN, NOTED, PERCENT, WORD, cells, names, number
from aiq.readers.documents import Document, Held
from aiq.readers.sheets import Batch, Sheet, opened, sheet
from aiq.readers.wide_columns import Wide
from aiq.records.table import counted

_LOOKED_AT = 200  # rows by which a file is known as a table


def knows(document: Document) -> bool:
    """Say whether a table has a column of names and one of numbers, or one by whose name it has the agents."""
    table = sheet(document)
    if table is None or len(table.header) < 2:
        return False
    if columns.role(table.header, "agent") or columns.role(table.header, "item"):
        return True
    first = table.first()
    numeric = [table.cells(column[:_LOOKED_AT]).share >= 0.5 for column in first.columns] if first else []
    return any(numeric) and not all(numeric)


def read_wide(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read a table with one row per agent and one column per test, or turned; an empty cell is missing."""
    table = _opened(reading, opened(document), wanted)
    table.sort()
    runs = ("repetition", "seed", "replicate")
    run = next((place for place, name in enumerate(table.header) if name.lower() in runs), None)
    reading.number(run is not None and table.header[run].lower() == "repetition")
    if run is not None:
        table.tests.pop(run, None)
        table.texts = [place for place in table.texts if place != run]
    summaries = table.leave_out()
    if not table.tests:
        table.refuse_no_scores(summaries)
    if table.of == "agent":
        _take_agents(table, run, wanted.items)
    else:
        what = "items" if table.of == "item" else "tests"
        table.say(f"{what} are in rows ({table.header[table.rows]}) and agents in columns")
        rest = {"domain": document.stem} if table.of == "item" else {}
        _take(table, {}, "agent", [table.header[place] for place in table.tests], rest)


def _opened(reading: Reading, source: Sheet, wanted: Wanted) -> Wide:
    """Return a table without rows of means; what cannot be used is refused."""
    header, batch = columns.chosen(source.header, (), wanted.drop), source.whole()
    first = None if isinstance(source.document, Held) else _first_number(header, wanted.known)
    if first is not None:
        raise InputError(
            f"{source.name} has no header: its first row holds the number {header[first]}; put a row with the names of "
            "the columns above it"
        )
    source.check_columns(header)
    for place, name in enumerate(source.header):
        if place and not name and not source.cells(batch.columns[place]).empty:
            raise InputError(
                f"{source.name} has no name for column {place + 1} in its first row; give every column a name"
            )
    if source.note:
        reading.decide(source.note)
    if source.short:
        line, count = source.short[0]
        reading.decide(
            f"{source.name}: {counted(len(source.short), 'row')} with fewer cells than the header names columns "
            f"(the first is line {line}, {count} of {len(header)}): the cells at their ends count as missing"
        )
    table = Wide(reading, source, wanted, header, batch, *_of_rows(reading, source, header, batch))
    named = batch.columns[table.rows]
    means = table.mean_rows() if table.of == "item" else _summaries(table, named)
    if means.any() and not means.all():
        table.say(f"rows of means are left out: {listed([str(name).strip() for name in named[means]])}")
        table.batch = Batch(batch.lines[~means], [column[~means] for column in batch.columns])
    return table


def _first_number(header: Sequence[str], domains: Sequence[str]) -> int | None:
    """Return the place of the first number in what should be names; None where all rise or are years."""
    numbers = {place: number(name) for place, name in enumerate(header) if name not in domains}
    numbers = {place: value for place, value in numbers.items() if not np.isnan(value)}
    values = list(numbers.values())
    rising = len(values) > 1 and all(earlier < later for earlier, later in pairwise(values))
    if rising or all(1900 <= value <= 2100 and value % 1 == 0 for value in values):
        return None
    return next(iter(numbers))


def _summaries(table: Wide, named: Any) -> Any:
    """Return which rows are means of other rows, or other numbers about them, by name and numbers; (n,)."""
    summaries = np.zeros(len(named), dtype=bool)
    parsed = [table.cells(p) for p, name in enumerate(table.header) if p != table.rows and name]
    numeric = [column.values for column in parsed if column.share == 1]
    words = np.array([columns.may_summarise(str(name)) for name in named], dtype=bool)
    if numeric and not words.all():
        values = np.column_stack(numeric)
        for row in np.flatnonzero(words):
            name = str(named[row])
            summaries[row] = name not in table.wanted.known and columns.row_summary(name, values[row], values[~words])
    return summaries


def _of_rows(reading: Reading, source: Sheet, header: list[str], batch: Batch) -> tuple[int, str]:
    """Return the place of the column that names the rows, and what these are."""
    for of in ("agent", "item"):
        named = columns.role(header, of)
        if named is not None:
            return header.index(named), of
    texts = [
        place
        for place, column in enumerate(batch.columns)
        if (header[place] or place == 0) and source.cells(column).share < 0.5
    ]
    if not texts:
        raise InputError(no_agents(source))
    distinct = {place: len({*names(batch.columns[place])}) for place in texts}
    tests = columns.role(header, "domain")
    if tests is not None and distinct.get(header.index(tests)) == len(batch.lines):
        return header.index(tests), "domain"
    chosen = max(texts, key=distinct.__getitem__)
    column = repr(source.header[chosen]) if source.header[chosen] else "1, which has no name"
    reading.decide(f"{source.name}: the agents are in column {column}")
    return chosen, "agent"


def no_agents(sheet: Sheet) -> str:
    """Return the refusal of a table in which no column holds the names of agents."""
    return (
        f"{sheet.name} is a table without a column of agents and one of scores; its columns are "
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
        table.say(f"columns of standard errors: {table.listed([*table.errors.values()])}")
    if items:
        table.say(f"items are in columns and agents in rows ({header[table.rows]})")
    _take(table, by_row, "item" if items else "domain", tests, {"domain": stem} if items else {})


def _take(table: Wide, by_row: dict[str, Any], across: str, heads: Sequence[str], rest: dict[str, Any]) -> None:
    """Take the cells that hold a number, row by row.

    ``by_row``: columns of the rows besides that of their names, each (n,). ``across``: what the columns of scores are:
    domain, item or agent, called ``heads``. ``rest``: what is the same in all cells.
    """
    named = names(table.batch.columns[table.rows])
    table.sheet.check_names(table.header[table.rows] or "the first column", table.batch.lines, named)
    there = np.column_stack([_numbers(table, place) for place in table.tests])
    percents = _percents(table, there, across == "domain")
    lost = ~there.any(axis=1)
    if lost.any() and not lost.all():
        gone = [str(name) for name in named[lost]]
        table.reading.skip(f"{counted(len(gone), 'row')} of {table.sheet.name}", f"no score of {listed(gone)}")
    mask = there.ravel()
    height, width = there.shape
    unknown = np.full(height, np.nan)
    errors = [table.cells(table.errors[p]).values if p in table.errors else unknown for p in table.tests]
    of_rows = {table.of: named, "line": table.batch.lines, **by_row}
    of_columns = {across: np.array(heads, dtype=object), "low": np.where(percents, 0.0, np.nan)}
    of_columns["high"] = np.where(percents, 100.0, np.nan)
    tests = of_columns if across == "domain" else of_rows if table.of == "domain" else {}
    if tests:
        tests |= columns.directions(tests["domain"], tests["domain"], table.wanted.known)
    whole = {name: np.repeat(values, width)[mask] for name, values in of_rows.items()}
    whole |= {name: np.tile(values, height)[mask] for name, values in of_columns.items()}
    whole["value"] = np.column_stack([parsed.values for parsed in table.tests.values()]).ravel()[mask]
    whole["se"] = np.column_stack(errors).ravel()[mask]
    table.reading.rows.add({**whole, **rest, "where": table.sheet.name})


def _percents(table: Wide, there: Any, of_tests: bool) -> Any:
    """Return which columns of scores are in per cent, by their signs or names, and state it; (columns,)."""
    signs, by_name, domains = [], [], table.wanted.known
    for mine, (place, parsed) in zip(there.T, table.tests.items(), strict=True):
        column, values = table.header[place], parsed.values
        if table.sheet.percents(column, table.batch.lines[mine], values[mine], parsed.kinds[mine]).any():
            signs.append(place)
        elif of_tests and columns.per_cent(column) and column not in domains:
            by_name += [place] if not ((values < 0) | (values > 100)).any() else []
    if by_name:
        table.say(f"in per cent by their names: {table.listed(by_name)}, divided by 100")
    names = [table.header[place] for place in table.tests]
    doubt = [name for name in names if of_tests and columns.doubtful(name) and name not in domains]
    if doubt:
        table.say(f"more is taken as better on {listed(doubt)}; if less is: --lower {shlex.quote(doubt[0])}")
    if signs:
        table.say(f"per cent signs in {table.listed(signs)}: divided by 100")
    return np.isin(list(table.tests), [*signs, *by_name])


def _numbers(table: Wide, place: int) -> Any:
    """Return where a column has a number; cells that are none are refused, words for nothing are stated."""
    parsed, texts, column = table.tests[place], table.batch.columns[place], table.header[place]
    wrong = parsed.kinds == BAD
    if wrong.any():
        row = int(np.argmax(wrong))
        words = "a finite number" if "inf" in str(texts[row]).lower() else "a number"
        raise InputError(
            f"{table.sheet.place(table.batch.lines[row])}: {column} is {str(texts[row])!r}, it must be {words}; "
            f"leave the column out with --drop {shlex.quote(column)}"
        )
    nothing = np.isin(parsed.kinds, (WORD, NAN))
    if nothing.any():
        said = sorted({str(text).strip() for text in texts[nothing]})
        table.say(f"{column}: missing where cells say {listed(said)} ({nothing.sum()})")
    noted = parsed.kinds == NOTED
    if noted.any():
        example = str(texts[noted][0]).strip()
        table.say(f"{column}: what stands behind the number is left out ({noted.sum()}, such as {example!r})")
    there = parsed.kinds <= PERCENT
    if not there.any():
        table.reading.skip(column, "no score")
    return there


# ---- Tables that programs write ------------------------------------------------------------------

_CELL = re.compile(r"^\s*(-?[\d.]+(?:e[-+]?\d+)?|nan)\s*±\s*([\d.]+(?:e[-+]?\d+)?|nan)\s*$", re.IGNORECASE)
METRICS = ("top1", "top5")
_NEEDED = frozenset({"model", "img_size", *METRICS})


def knows_means(document: Document) -> bool:
    """Say whether a table is one of openrlbenchmark: environments in rows, cells ``mean ± deviation``."""
    table = sheet(document)
    if table is None or len(table.header) < 2 or table.header[0].lower() not in ("", "environment", "env_id"):
        return False
    first = table.first()
    return first is not None and any(_CELL.match(str(column[0])) for column in first.columns[1:])


def means(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read a table of means ± standard deviations over runs; their number is not in it, so no error is taken."""
    reading.decide(
        "the deviations of the table are over runs whose number it does not state: no standard error is known"
    )
    table = opened(document)
    batch = table.whole()
    for agent, column in zip(table.header[1:], batch.columns[1:], strict=True):
        for line, domain, text in zip(batch.lines, batch.columns[0], column, strict=True):
            cell, where = _CELL.match(text), table.place(line)
            if cell is None and text.strip():
                raise InputError(f"{where}: {agent} is {text!r}, it must be 'mean ± deviation'")
            if cell is None or cell[1].lower() == "nan":
                reading.skip(f"{agent} on {domain}", f"has no runs ({where})")
            else:
                reading.add(Raw(agent, domain, float(cell[1]), where, bounded=False, metric="return"))


def knows_timm(document: Document) -> bool:
    """Say whether a table has models, image sizes and both accuracies."""
    table = sheet(document)
    return table is not None and {*table.header} >= _NEEDED


def timm(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read one accuracy of a model, told apart by image size; the test is named as the file is; the rest repeats it."""
    metric = wanted.metrics[0] if wanted.metrics else METRICS[0]
    if metric not in METRICS:
        raise InputError(choice("the metric of timm", metric, METRICS))
    table = opened(document)
    batch, header = table.whole(), table.header
    if table.short:
        line, count = table.short[0]
        raise InputError(f"{table.place(line)} has {count} cells where the header names {len(header)} columns")
    agents, sizes = (names(batch.columns[header.index(name)]) for name in ("model", "img_size"))
    texts = batch.columns[header.index(metric)]
    score = cells(texts)
    for line, agent, text, kind in zip(batch.lines, agents, texts, score.kinds, strict=True):
        if agent is None or kind > PERCENT:
            raise InputError(f"{table.place(line)}: model is {agent!r} and {metric} {text!r}; give name and number")
    domain = document.stem.removeprefix("results-")
    rest = {"where": table.name, "line": batch.lines, "metric": metric, "low": 0.0, "high": 100.0}
    reading.rows.add({"agent": agents, "variant": sizes, "domain": domain, "value": score.values, **rest})
    left = [name for name in header if name not in (*_NEEDED, metric)] + [m for m in METRICS if m != metric]
    reading.decide(f"{metric} is read, in per cent: divided by 100; no tests are {listed(left, 20)}")
