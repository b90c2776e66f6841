"""Cells of tables as numbers: per cent signs, thousands, plus signs, and the words that people put for nothing."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas

Floats = npt.NDArray[np.float64]

NOTHING = frozenset({"na", "n/a", "#n/a", "null", "none", "-", "--", "–", "—", "?", "tbd", "missing"})
"""Words, in lower case, that stand for a missing cell; they are told."""

_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_TRUE = {"true": 1.0, "false": 0.0}
NUMBER, PERCENT, EMPTY, WORD, NAN, BAD = range(6)
"""What a cell is: a number, one with a per cent sign, empty, a word for nothing, the text ``nan``, or no number."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A column of cells as numbers (NaN where there is none) and as kinds, both (n,)."""

    values: Floats
    kinds: npt.NDArray[np.int8]

    @property
    def share(self) -> float:
        """Share of numbers among the cells that hold something; 0 where none does."""
        there = (self.kinds != EMPTY) & (self.kinds != WORD) & (self.kinds != NAN)
        return float((self.kinds[there] <= PERCENT).mean()) if there.any() else 0.0

    @property
    def empty(self) -> bool:
        """Whether no cell holds anything."""
        return bool(((self.kinds == EMPTY) | (self.kinds == WORD) | (self.kinds == NAN)).all())


def cells(column: Any, comma: bool = False) -> Cells:
    """Return a column of cells as numbers.

    Args:
        column: texts or numbers, (n,).
        comma: whether a comma is the mark of decimals.
    """
    array = np.asarray(column)
    if array.dtype.kind in "biuf":
        values = array.astype(np.float64)
        return Cells(values, np.where(np.isnan(values), EMPTY, NUMBER).astype(np.int8))
    codes, unique = pandas.factorize(np.asarray(array, dtype=object))
    parsed = [_number(cell, comma) for cell in unique] or [(math.nan, EMPTY)]
    values = np.array([value for value, _ in parsed])
    kinds = np.array([kind for _, kind in parsed], dtype=np.int8)
    return Cells(np.where(codes < 0, math.nan, values[codes]), np.where(codes < 0, np.int8(EMPTY), kinds[codes]))


def names(column: Any) -> Any:
    """Return a column of cells as names: texts without blanks around them, None where there is none; (n,)."""
    codes, unique = pandas.factorize(np.asarray(column, dtype=object))
    texts = np.array([_name(cell) for cell in unique] or [None], dtype=object)
    return np.where(codes < 0, None, texts[codes])


def _name(cell: object) -> str | None:
    whole = isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15
    return (str(int(cell)) if whole else str(cell).strip()) or None  # type: ignore[call-overload]


def _number(cell: object, comma: bool) -> tuple[float, int]:
    """Return the value and the kind of one cell."""
    if not isinstance(cell, str):
        return _other(cell)
    text = cell.strip().replace("−", "-")
    if not text:
        return math.nan, EMPTY
    if comma and _DECIMAL_COMMA.fullmatch(text.rstrip("% ")):
        text = text.replace(",", ".")
    kind = PERCENT if text.endswith("%") else NUMBER
    text = text.rstrip("% ") if kind == PERCENT else text
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    if text.lower() == "nan":
        return math.nan, NAN
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan  # Python would read 1_000
    except ValueError:
        value = _TRUE.get(text.lower(), math.nan)
    if math.isfinite(value):
        return value, kind
    return math.nan, WORD if text.lower() in NOTHING else BAD


def _other(cell: object) -> tuple[float, int]:
    """Return the value and the kind of a cell that is no text."""
    if pandas.isna(cell) is True:
        return math.nan, EMPTY
    try:
        value = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan, BAD
    return (value, NUMBER) if math.isfinite(value) else (math.nan, BAD)
