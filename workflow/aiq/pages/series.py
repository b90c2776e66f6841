"""Series of charts: colours, markers, intervals, words of hovering."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from aiq.figures import style
from aiq.pages.parts import Trace
from aiq.records.table import Cell, Table

SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star")
DASHES = ("solid", "dash", "dashdot", "dot", "longdash")
OF_3D = ("circle", "square", "diamond", "cross", "x", "circle-open", "square-open", "diamond-open")
DIGITS = 6  # significant digits of numbers in charts


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
    shown, *around = (f"{one + 0.0:.{decimals}f}" for one in ends)
    return f"{shown} [{', '.join(around)}]"


def optional(table: Table, column: str) -> list[Cell]:
    """Return a column, or empty cells where the table lacks it."""
    return table.column(column) if column in table.columns else [None] * len(table.rows)


def bars(values: Sequence[Cell], low: Sequence[Cell], high: Sequence[Cell]) -> dict[str, Any] | None:
    """Return the error bars of some numbers, None where none has an interval.

    An interval need not hold its value; then the bar reaches as far as the value on that side.
    """
    if all(one is None for one in low):
        return None
    up = [0.0 if h is None or v is None else max(0.0, float(h) - float(v)) for v, h in zip(values, high, strict=True)]
    down = [0.0 if h is None or v is None else max(0.0, float(v) - float(h)) for v, h in zip(values, low, strict=True)]
    return {
        "type": "data", "symmetric": False, "array": [short(x) for x in up], "arrayminus": [short(x) for x in down],
        "thickness": 1.2, "width": 3,
    }  # fmt: skip


def looks(index: int, joined: bool = True) -> dict[str, Any]:
    """Return colour, symbol and dash of a series by its number; unique up to 40."""
    colour = style.colour(index)
    marker = {"color": colour, "symbol": SYMBOLS[index % len(SYMBOLS)], "size": 8}
    if not joined:
        return {"mode": "markers", "marker": marker}
    dash = DASHES[(index + index // len(style.COLOURS)) % len(DASHES)]
    return {"mode": "lines+markers", "marker": marker, "line": {"color": colour, "width": 2, "dash": dash}}


def trace(name: str, x: Sequence[Any], y: Sequence[Any], **more: Any) -> Trace:
    """Return one series."""
    return {"type": "scatter", "name": name, "x": list(x), "y": list(y), **more}


def axis(title: str, **more: Any) -> dict[str, Any]:
    """Return an axis with its words."""
    return {"title": {"text": title}, **more}
