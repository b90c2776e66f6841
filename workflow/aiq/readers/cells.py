"""Cells of tables as numbers and as names."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas

from aiq.records.estimate import Floats

NOTHING = frozenset({"na", "n/a", "null", "none", "-", "--", "–", "—", "?", "tbd", "missing"})
NOTHING |= {"#n/a", "#ref!", "#div/0!", "#value!", "#name?", "#num!", "#null!"}  # of spreadsheets
"""Words, in lower case, that stand for a missing cell; they are told."""

_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+|(?:[ \u00a0\u202f]\d{3})+)(\.\d*)?")
_NOTED = re.compile(
    r"([+-]?[\d.,]*\d%?) ?(?:[*†‡§^¹²³]+|(?:±|\+/?-) ?[\d.,]+%?|\([#\d.,+\-± ]+%?\)|\[[\d.,;+\-– ]+%?\]|[↑↓])"
)
_BOTH, _DOTS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+"), re.compile(r"[+-]?\d{1,3}(\.\d{3})+")
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][+-]?\d+)?")
_TAG = re.compile(r"<[^<>]*>")
_TRUE = {"true": 1.0, "false": 0.0}
NOTED, NUMBER, PERCENT, EMPTY, WORD, NAN, BAD = range(7)
"""What a cell is: a number before a mark or a spread (81.5 ± 1.2), a number, one with a per cent sign, empty, a word
for nothing, the text ``nan``, or no number."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A column of cells as numbers (NaN where there is none) and as kinds, both (n,)."""

    values: Floats
    kinds: npt.NDArray[np.int8]

    @property
    def share(self) -> float:
        """Share of numbers among the cells that hold something; 0 where none does."""
        there = ~np.isin(self.kinds, (EMPTY, WORD, NAN))
        return float((self.kinds[there] <= PERCENT).mean()) if there.any() else 0.0

    @property
    def empty(self) -> bool:
        """Whether no cell holds anything."""
        return bool(np.isin(self.kinds, (EMPTY, WORD, NAN)).all())


def cells(column: Any, comma: bool = False) -> Cells:
    """Return a column of cells, texts or numbers, as numbers, (n,).

    ``comma``: whether a comma is the mark of decimals; so it is where a cell can be read no other way (0,050).
    """
    array = np.asarray(column)
    if array.dtype.kind in "mM":  # dates and times are no numbers
        array = array.astype(str)
    if array.dtype.kind in "biuf":
        values = array.astype(np.float64)
        return Cells(values, np.where(np.isnan(values), EMPTY, NUMBER).astype(np.int8))
    codes, unique = pandas.factorize(np.asarray(array, dtype=object))
    texts = [cell.strip() for cell in unique if isinstance(cell, str)]
    bare = [(noted[1] if (noted := _NOTED.fullmatch(text)) else text).rstrip("% ") for text in texts]
    comma = comma or any(_DECIMAL_COMMA.fullmatch(text) and not _THOUSANDS.fullmatch(text) for text in bare)
    dots = comma and any(_BOTH.fullmatch(text) for text in bare)
    parsed = [_number(cell, comma, dots) for cell in unique] or [(math.nan, EMPTY)]
    values = np.array([value for value, _ in parsed])
    kinds = np.array([kind for _, kind in parsed], dtype=np.int8)
    return Cells(np.where(codes < 0, math.nan, values[codes]), np.where(codes < 0, np.int8(EMPTY), kinds[codes]))


def truths(column: Any) -> bool:
    """Whether a column of cells says true or false, and nothing else, where it says anything."""
    array = np.asarray(column)
    if array.dtype.kind in "biuf":
        return array.dtype.kind == "b"
    there = [cell for cell in pandas.unique(np.asarray(array, dtype=object)) if not pandas.isna(cell) and cell != ""]
    return bool(there) and all(str(cell).strip().lower() in _TRUE for cell in there)


def names(column: Any) -> Any:
    """Return a column of cells as names: texts without blanks around them, None where there is none; (n,)."""
    codes, unique = pandas.factorize(np.asarray(column, dtype=object))
    texts = np.array([_name(cell) for cell in unique] or [None], dtype=object)
    return np.where(codes < 0, None, texts[codes])


def _name(cell: object) -> str | None:
    if isinstance(cell, str) and "</a>" in cell:
        cell = _TAG.sub("", cell)
    whole = isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15
    return (str(int(cell)) if whole else str(cell).strip()) or None  # type: ignore[call-overload]


def _number(cell: object, comma: bool, dots: bool = False) -> tuple[float, int]:
    """Return the value and the kind of one cell; ``dots``: they part thousands, as commas mark decimals."""
    if not isinstance(cell, str):
        if pandas.isna(cell) is True:
            return math.nan, EMPTY
        try:
            value = float(cell)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return math.nan, BAD
        return (value, NUMBER) if math.isfinite(value) else (math.nan, BAD)
    text = cell.strip().replace("−", "-")
    if not text:
        return math.nan, EMPTY
    noted = _NOTED.fullmatch(text)
    text = text if noted is None else noted[1]
    if comma and (_DECIMAL_COMMA.fullmatch(text.rstrip("% ")) or (dots and _DOTS.fullmatch(text.rstrip("% ")))):
        text = text.replace(".", "").replace(",", ".")
    kind = PERCENT if text.endswith("%") else NUMBER if noted is None else NOTED
    text = text.rstrip("% ") if kind == PERCENT else text
    if _THOUSANDS.fullmatch(text):
        text = re.sub(r"[, \u00a0\u202f]", "", text)
    if text.lower() == "nan":
        return math.nan, NAN
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan  # Python would read 1_000
    except ValueError:
        value = _TRUE.get(text.lower(), math.nan)
    if math.isfinite(value):
        return value, kind
    return math.nan, WORD if text.lower() in NOTHING else BAD


def number(text: str) -> float:
    """Return the number that a text is, NaN of anything else."""
    value, kind = _number(text, False)
    return value if kind <= PERCENT else math.nan
