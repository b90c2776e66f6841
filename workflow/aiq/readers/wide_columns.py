"""The columns of a wide table: which holds the agents, which are tests, and what all others are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from aiq.errors import InputError
from aiq.readers import columns
from aiq.readers.base import Reading, Wanted
from aiq.readers.cells import BAD, Cells, cells, names
from aiq.readers.documents import DamagedError
from aiq.readers.sheets import Batch, Sheet, listed


@dataclass(slots=True)
class Columns:
    """What the columns of a wide table are: place -> parsed cells of the tests, and the places of all else."""

    names: list[str]
    tests: dict[int, Cells] = field(default_factory=dict)
    texts: list[int] = field(default_factory=list)
    properties: list[int] = field(default_factory=list)
    errors: dict[int, int] = field(default_factory=dict)  # of a test -> place of its standard errors


def check_header(found: Sheet, header: Sequence[str]) -> None:
    """Refuse columns of one name, and names that are empty beyond the first (an index)."""
    for place, column in enumerate(header):
        twice = bool(column) and list(header).count(column) > 1
        if twice or (place and not found.header[place]):
            raise InputError(
                f"{found.document.name} has a column {column!r} twice or without a name; name every domain"
            )


def of_agents(reading: Reading, found: Sheet, header: Sequence[str], batch: Batch) -> int:
    """Return the place of the column of agents, or of items."""
    named = columns.role(header, "agent") or columns.role(header, "item")
    if named is not None:
        return list(header).index(named)
    texts = [
        place
        for place, column in enumerate(batch.columns)
        if (header[place] or place == 0) and cells(column, found.comma).share < 0.5
    ]
    if not texts:
        raise InputError(
            f"{found.document.name} has no column of agents; name it agent (--rename OLD=agent), the columns are "
            f"{listed(found.header)}"
        )
    distinct = [len({*names(batch.columns[place])}) for place in texts]
    chosen = texts[int(np.argmax(distinct))]
    reading.decide(
        f"{found.document.name}: the agents are in column {found.header[chosen] or '1, which has no name'!r}"
    )
    return chosen


def sort(found: Sheet, header: Sequence[str], batch: Batch, agents: int, wanted: Wanted) -> Columns:
    """Return what the columns besides that of the agents are."""
    kept = Columns(list(header))
    for place, column in enumerate(header):
        if place == agents or not column:
            continue
        asked = column in wanted.columns or found.header[place] in wanted.columns
        if wanted.columns and not asked:
            if cells(batch.columns[place], found.comma).share < 0.5 or column.lower() in columns.PROPERTIES:
                kept.texts.append(place)
            continue
        parsed = cells(batch.columns[place], found.comma)
        of = columns.whose_error(column, header)
        if parsed.share < 0.5 and not parsed.empty and not asked:
            kept.texts.append(place)
        elif column.lower() in columns.PROPERTIES and not asked:
            kept.properties.append(place)
        elif of is not None and not asked:
            kept.errors[list(header).index(of)] = place
        else:
            kept.tests[place] = parsed
    return kept


def leave_out(reading: Reading, found: Sheet, kept: Columns, agents: int, wanted: Wanted) -> None:
    """Leave out what is no test, and state it."""
    header = kept.names
    free = [p for p in kept.tests if header[p] not in wanted.columns and found.header[p] not in wanted.columns]
    numbering = [p for p in free if found.header[p] in ("", "Unnamed: 0", "index") and _counts_rows(kept.tests[p])]
    summaries = [p for p in free if columns.summary(header[p]) and p not in numbering]
    spreads = [p for p in free if columns.spread(header[p], header) and p not in numbering]
    repeated = {p: of for p in free if (of := _complement(p, kept)) is not None}
    groups = {
        "columns of text are labels, no tests": kept.texts,
        "columns that describe the agents are no tests": kept.properties,
        "a column that numbers the rows is left out": numbering,
        "means over tests and ranks are left out (take one with --columns)": summaries,
        "standard errors and ends of intervals are no tests": spreads,
    }
    if found.header[0] == "" and agents != 0:
        groups["a column that numbers the rows is left out"] += [0]
    for words, places in groups.items():
        if places:
            named = listed([header[p] or "the first" for p in places])
            reading.decide(f"{found.document.name}: {words}: {named}")
    for place, of in repeated.items():
        reading.decide(f"{found.document.name}: {header[place]} is {of}, and is left out")
    for place in (*numbering, *summaries, *spreads, *repeated):
        kept.tests.pop(place, None)


def _counts_rows(parsed: Cells) -> bool:
    """Whether a column counts the rows, from any number on."""
    return bool(np.array_equal(parsed.values - parsed.values[0], np.arange(len(parsed.values))))


def _complement(place: int, kept: Columns) -> str | None:
    """Return in words what a column of errors repeats: 100 - another, or 1 - another; None where it is no repeat."""
    if not columns.error(kept.names[place]):
        return None
    values = kept.tests[place].values
    for other, parsed in kept.tests.items():
        for whole in (100.0, 1.0):
            apart = np.abs(whole - parsed.values - values)
            if other != place and not np.isnan(apart).all() and np.nanmax(apart) <= whole * 1.5e-4:
                return f"{whole:g} - {kept.names[other]}"
    return None


def refuse_no_numbers(found: Sheet, header: Sequence[str], batch: Batch, agents: int) -> None:
    """Refuse a table without tests, by its first cell that is no number."""
    for place, column in enumerate(header):
        if place != agents and column:
            parsed = cells(batch.columns[place], found.comma)
            bad = parsed.kinds == BAD
            if bad.any():
                row = int(np.argmax(bad))
                raise InputError(
                    f"{found.document.name} has no column of scores: {column} is {str(batch.columns[place][row])!r} in "
                    f"line {int(batch.lines[row])}, it must be a number"
                )
    raise DamagedError(f"{found.document.name} has no column of scores besides {listed(found.header)}")
