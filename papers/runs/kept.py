"""Answers of an earlier report, read from its table, for claims whose results are no longer there."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from aiq.errors import InputError, choice
from papers.claims import margins as m
from papers.claims.base import Answer, Claim, Part, filled
from papers.claims.registry import CLAIMS

NEEDED = ("id", "statement", "statement_verdict", "ours", "low", "high", "power", "assumed", "run", "scale", "scaled")
"""Columns without which a table holds no answers; ``date``, ``why`` and the paper's reading may be missing."""

Row = Mapping[str, str]


def read_answers(path: str | Path) -> dict[str, Answer]:
    """Return the answers in a table that ``aiq claims -o FILE.csv`` wrote, by claim.

    A claim whose statements have changed since then is left out: its old answer is one to another question.

    Args:
        path: the table; a row is a statement of a claim.

    Raises:
        InputError: it cannot be read, is not such a table, or has an unknown claim, verdict or number.
    """
    rows = _rows(path)
    found = {}
    for name, own in groupby(rows, key=lambda row: row["id"]):
        if name not in CLAIMS:
            raise InputError(f"{path}: {choice('claim', name, CLAIMS)}")
        answer = _answer(CLAIMS[name], list(own), path)
        if answer is not None:
            found[name] = answer
    return found


def with_earlier(fresh: Answer, earlier: Answer | None) -> Answer:
    """Return the answer to more statements of a claim, then the one at the paper's scale, filled from the other.

    Where neither is ahead the fresh one counts, whatever it says.
    """
    if earlier is None or not earlier.run_parts:
        return fresh
    earlier = replace(earlier, kept=True)
    if _rank(earlier) > _rank(fresh):
        return filled(earlier, fresh)
    return filled(fresh, earlier)


def _rank(answer: Answer) -> tuple[int, bool]:
    """Return how much an answer says."""
    return len(answer.run_parts), answer.scale == "paper"


def _rows(path: str | Path) -> list[Row]:
    """Return the rows of the table by column, every cell as text: the number of a statement may be a word of it."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    lacking = [column for column in NEEDED if column not in (reader.fieldnames or ())]
    if lacking:
        raise InputError(
            f"{path} has no column {', '.join(lacking)}; give the table that aiq claims RESULTS -o FILE.csv wrote"
        )
    return [{column: cell or "" for column, cell in row.items() if column} for row in rows]


def _answer(claim: Claim, rows: Sequence[Row], path: str | Path) -> Answer | None:
    """Return the answer that a claim's rows hold; None where they are about other statements than today's."""
    if [row["statement"] for row in rows] != [one.says for one in claim.statements]:
        return None
    parts = tuple(_part(row, path) for row in rows)
    run, scale, scaled, day = (rows[0].get(column, "") for column in ("run", "scale", "scaled", "date"))
    return Answer(claim, parts, run, scale, scaled, day)


def _part(row: Row, path: str | Path) -> Part:
    """Return a statement as its row has it."""
    verdict = row["statement_verdict"]
    if verdict not in m.VERDICTS:
        raise InputError(f"{path}: {choice('verdict', verdict, m.VERDICTS)}")
    low, high = _number(row, "low", path), _number(row, "high", path)
    interval = None if low is None or high is None else (low, high)
    ours, power = _number(row, "ours", path), _number(row, "power", path)
    holds = {"True": True, "False": False}.get(row.get("paper_holds", ""))
    by_paper = _number(row, "by_paper", path)
    return Part(row["statement"], verdict, ours, interval, power, row["assumed"], row.get("why", ""), by_paper, holds)


def _number(row: Row, column: str, path: str | Path) -> float | None:
    """Return a number of a row, None where its cell is empty."""
    try:
        return float(row[column]) if row.get(column) else None
    except ValueError:
        raise InputError(f"{path}: {column} of {row['id']} is {row[column]!r}; it must be a number or empty") from None
