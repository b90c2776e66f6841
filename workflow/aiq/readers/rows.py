"""Many rows in little memory: names as codes, numbers as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas

NUMBERS = {"value": np.nan, "se": np.nan, "low": np.nan, "high": np.nan, "weight": np.nan, "date": np.nan}
"""Columns of numbers, and what stands where a piece lacks one; ``lower``, ``bounded`` and ``line`` are whole."""
_WHOLE = {"lower": (bool, False), "bounded": (bool, True), "line": (np.int32, 0)}


class Rows:
    """Rows that come in pieces; a name is stored once."""

    def __init__(self) -> None:
        self._codes: dict[str, dict[Any, int]] = {}
        self._pieces: list[dict[str, Any]] = []

    def __len__(self) -> int:
        """Return the number of rows."""
        return sum(len(piece["value"]) for piece in self._pieces)

    def add(self, columns: Mapping[str, Any]) -> None:
        """Take a piece: columns of one length, or one cell for all rows; ``value`` must be a column."""
        count = len(columns["value"])
        piece: dict[str, Any] = {}
        for name, cells in columns.items():
            if name in NUMBERS:
                values = np.asarray(cells, dtype=np.float64)
            elif name in _WHOLE:
                values = np.asarray(cells, dtype=_WHOLE[name][0])
            else:
                values = self._coded(name, cells)
                if np.all(values < 0):
                    continue
            if name in NUMBERS and name != "value" and np.isnan(values).all():
                continue
            piece[name] = values if values.ndim else np.full(count, values)
        self._pieces.append(piece)

    def mark(self) -> int:
        """Return a place to which ``cut`` goes back."""
        return len(self._pieces)

    def cut(self, mark: int) -> None:
        """Forget the pieces since a mark."""
        del self._pieces[mark:]

    def names(self, column: str) -> list[str]:
        """Return the names in a column so far."""
        return list(self._codes.get(column, ()))

    def choose(self, column: str, kept: Sequence[str], drop: Sequence[str], rename: Mapping[str, str]) -> None:
        """Keep the rows with some names (all where none are named) and not with others; rename these.

        Names that become one are one.
        """
        old = self.names(column)
        if not old or not (set(drop) & set(old) or set(rename) & set(old) or kept):
            return
        new = [rename.get(name, name) for name in old]
        known = {name: code for code, name in enumerate(dict.fromkeys(new))}
        places = np.array([known[name] for name in new], dtype=np.int32)
        gone = [name in drop or (bool(kept) and not {name, rename.get(name, name)} & {*kept}) for name in old]
        for piece in self._pieces:
            mask = ~np.array(gone)[piece[column]]
            piece.update({name: cells[mask] for name, cells in piece.items()})
            piece[column] = places[piece[column]]
        self._codes[column] = known

    def frame(self) -> Any:
        """Return all rows as a pandas data frame, and forget them."""
        names = list(dict.fromkeys(name for piece in self._pieces for name in piece))
        counts = [len(piece["value"]) for piece in self._pieces]
        columns = {}
        for name in names:
            parts = [piece.pop(name, None) for piece in self._pieces]
            filled = [self._empty(name, n) if p is None else p for p, n in zip(parts, counts, strict=True)]
            whole = np.concatenate(filled)
            del parts, filled
            columns[name] = whole if name in NUMBERS or name in _WHOLE else self._categorical(name, whole)
        self._pieces.clear()
        return pandas.DataFrame(columns, copy=False)

    def _coded(self, name: str, cells: Any) -> Any:
        """Return names as codes, -1 where there is none."""
        known = self._codes.setdefault(name, {})
        if cells is None or isinstance(cells, str):
            return np.asarray(-1 if cells is None else known.setdefault(cells, len(known)), dtype=np.int32)
        codes, unique = pandas.factorize(np.asarray(cells, dtype=object))
        places = np.array([known.setdefault(one, len(known)) for one in unique] or [0], dtype=np.int32)
        return np.where(codes < 0, np.int32(-1), places[codes])

    def _empty(self, name: str, count: int) -> Any:
        if name in NUMBERS:
            return np.full(count, NUMBERS[name])
        kind, value = _WHOLE.get(name, (np.int32, -1))
        return np.full(count, value, dtype=kind)

    def _categorical(self, name: str, codes: Any) -> Any:
        return pandas.Categorical.from_codes(codes, pandas.Index(list(self._codes[name]), dtype=object))
