"""Tables: aiq's own (one row a result) and wide ones (agents in rows, domains in columns)."""

from __future__ import annotations

from collections.abc import Sequence

from aiq.errors import InputError, did_you_mean
from aiq.readers.base import Raw, Reading, Wanted
from aiq.readers.documents import Document

LONG = ("agent", "domain", "performance")
OPTIONAL = ("se", "repetition")
AGENT = ("agent", "model", "algorithm", "system", "name")


def knows_long(document: Document) -> bool:
    """Say whether a table has one row a result."""
    return "performance" in document.header and "agent" in document.header


def knows_wide(document: Document) -> bool:
    """Say whether a table has one row per agent."""
    header = [cell.lower() for cell in document.header]
    return len(header) > 1 and header[0] in AGENT and "performance" not in header


def load_long(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read tables ``agent,domain,performance[,se][,repetition]``; an empty performance is a missing cell."""
    reading = Reading()
    for document in documents:
        header = document.header
        for column in (*LONG, *header):
            if column not in header:
                there = ", ".join(header)
                hint = did_you_mean(column, header)
                raise InputError(f"{document.name} lacks the column '{column}'{hint}; it has {there}")
            if column not in (*LONG, *OPTIONAL) or header.count(column) > 1:
                raise InputError(
                    f"{document.name} has the column '{column}', which is unknown or there twice; "
                    f"allowed are {', '.join((*LONG, *OPTIONAL))}"
                )
        for where, row in _rows(document):
            cells = dict(zip(header, row, strict=True))
            if not cells["agent"] or not cells["domain"]:
                raise InputError(f"{where}: agent or domain is empty; every row needs both")
            if cells["performance"]:
                se = _number(where, "se", cells["se"]) if cells.get("se") else None
                value = _number(where, "performance", cells["performance"])
                run = _run(where, header, row)
                reading.raws.append(Raw(cells["agent"], cells["domain"], value, where, run, se))
    return reading


def load_wide(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read tables with one row per agent (and repetition) and one column per domain; an empty cell is missing."""
    reading = Reading()
    for document in documents:
        first, *columns = document.header
        for column in columns:
            if columns.count(column) > 1 or not column:
                raise InputError(f"{document.name} has a column {column!r} twice or without a name; name every domain")
        for where, row in _rows(document):
            agent, *cells = row
            if not agent:
                raise InputError(f"{where}: {first} is empty; every row needs one")
            run = _run(where, columns, cells)
            for column, cell in zip(columns, cells, strict=True):
                if column != "repetition" and cell:
                    reading.raws.append(Raw(agent, column, _number(where, column, cell), where, run))
    return reading


def _rows(document: Document) -> list[tuple[str, list[str]]]:
    """Return the rows below the header with the place where each stands.

    Raises:
        InputError: there are none, or one is ragged.
    """
    (_, header), *rows = document.rows
    if not rows:
        raise InputError(f"{document.name} has a header but no rows; give at least one")
    for line, row in rows:
        if len(row) != len(header):
            raise InputError(
                f"{document.name} line {line} has {len(row)} cells where the header names {len(header)} columns"
            )
    return [(f"{document.name} line {line}", row) for line, row in rows]


def _run(where: str, columns: Sequence[str], cells: Sequence[str]) -> str:
    """Return the repetition of a row, nothing where the table has no such column."""
    run = next((cell for column, cell in zip(columns, cells, strict=True) if column == "repetition"), None)
    if run == "":
        raise InputError(f"{where}: repetition is empty; give one in every row or leave the column out")
    return run or ""


def _number(where: str, column: str, cell: str) -> float:
    """Return a number; whether it is finite is checked with its range."""
    try:
        return float(cell)
    except ValueError:
        raise InputError(f"{where}: {column} is {cell!r}, it must be a number") from None
