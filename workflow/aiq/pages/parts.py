"""What a page is made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiq.records.table import Cell, Table

DIGITS = 6  # significant digits of numbers in scripts


def short(value: Cell) -> float | None:
    """Return a number with the digits that a picture can show; None where there is none."""
    if value is None or isinstance(value, str) or not math.isfinite(value):
        return None
    return float(f"{float(value):.{DIGITS}g}")


def words(value: Cell, low: Cell = None, high: Cell = None) -> str:
    """Return a number with four significant digits, or with its interval and the decimals that its width calls for."""
    if value is None or isinstance(value, str):
        return "–" if value is None else value
    if low is None or high is None:
        return f"{float(value):.4g}"
    ends = [float(one) for one in (value, low, high)]
    width = max(ends[2] - ends[1], 1e-3 * abs(ends[0]), 1e-12)
    decimals = min(8, max(0, 1 - math.floor(math.log10(width))))
    middle, *around = (f"{one + 0.0:.{decimals}f}" for one in ends)
    return f"{middle} [{', '.join(around)}]"


def optional(table: Table, column: str) -> list[Cell]:
    """Return a column, or empty cells where the table lacks it."""
    return table.column(column) if column in table.columns else [None] * len(table.rows)


@dataclass(frozen=True, slots=True)
class Sources:
    """Tables that the page is made from, by name: those beside figures, and those of results."""

    figures: Mapping[str, Table]
    tables: Mapping[str, Table]


@dataclass(frozen=True, slots=True)
class Turnable:
    """The intelligence space as its script takes it, and a sentence on how to turn it."""

    data: Mapping[str, Any]
    note: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table of the page: its name in files, the folder of its file, its words, and what it cannot tell."""

    name: str
    folder: str
    table: Table
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure of the page: title, caption, text for those who do not see it, numbers, picture (PNG).

    ``space``: what can be turned beside the picture, None where the picture is all.
    """

    name: str
    title: str
    caption: str
    alt: str
    numbers: Numbers
    picture: bytes
    space: Turnable | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under one heading."""

    name: str
    title: str
    figures: Sequence[Shown] = ()
    tables: Sequence[Numbers] = ()


@dataclass(frozen=True, slots=True)
class Lead:
    """What the page opens with: the main table, and the sentences that say how far it can be trusted."""

    title: str
    table: Table
    trust: Sequence[str]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page.

    ``facts`` are short pairs (word, value) under the title; ``settings`` is the configuration as YAML, ``origin``
    pairs (word, value) that tell what made the results. ``beside``: whether tables and pictures lie beside the page;
    ``crate``: the file beside it that describes all of them as an RO-Crate, empty where there is none.
    """

    title: str
    measure: str
    facts: Sequence[tuple[str, str]]
    lead: Lead
    sections: Sequence[Section]
    settings: str
    origin: Sequence[tuple[str, str]]
    beside: bool = True
    crate: str = ""
