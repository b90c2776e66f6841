"""Many alike trees as columns: one array per leaf over all of them, where groups would be written one by one.

Format: ``docs/reference/file-format.md``, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np

ROWS, COLUMNS = "rows", "columns"
PART, AT, OF = "@", "@at", "@of"  # names that no field of a record has
AS_COLUMNS = {"stored": "columns"}
"""Metadata of a dataclass field: its sequence of records is stored as columns."""

_INTEGERS = np.iinfo(np.int64)


def pack_columns(trees: Sequence[Any]) -> dict[str, Any]:
    """Return some trees as one tree of columns; ``unpack_columns`` gives them back.

    Raises:
        TypeError: a leaf is of a type, or has a name, that the format cannot hold.
    """
    return {ROWS: len(trees), COLUMNS: _column(trees)}


def are_columns(tree: Any) -> bool:
    """Whether a stored value is a tree of columns."""
    return isinstance(tree, Mapping) and set(tree) == {ROWS, COLUMNS}


def unpack_columns(tree: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the trees of a tree of columns, one by one: together they can be many times as large.

    Raises:
        ValueError: the columns are not all as long as they say.
    """
    count = int(tree[ROWS])
    values = _values(tree[COLUMNS], count)
    yield from (next(values) for _ in range(count))


def _column(values: Sequence[Any]) -> Any:
    """Return one column, or, where the values are of several kinds, a part for each kind."""
    places: dict[tuple[Any, ...], list[int]] = {}
    for row, value in enumerate(values):
        places.setdefault(_kind(value), []).append(row)
    if len(places) == 1:
        return _alike(next(iter(places)), values)
    parts = enumerate(places.items())
    return {
        f"{PART}{number}": {AT: np.array(rows), OF: _alike(kind, [values[row] for row in rows])}
        for number, (kind, rows) in parts
    }


def _kind(value: Any) -> tuple[Any, ...]:
    """Return what a value must share with others to stand in one column with them."""
    if value is None:
        return ("nothing",)
    if isinstance(value, Mapping):
        return ("tree", *sorted(value))
    if isinstance(value, np.ndarray):
        return ("array", "text" if value.dtype.kind in "OU" else value.dtype.str, *value.shape)
    if isinstance(value, str):
        return ("text",)
    if isinstance(value, bool | np.bool_):
        return ("truth",)
    if isinstance(value, int | np.integer):
        return ("whole", _INTEGERS.min <= value <= _INTEGERS.max)
    if isinstance(value, float | np.floating):
        return ("number",)
    raise TypeError(f"a {type(value).__name__} cannot stand in a column")


def _alike(kind: tuple[Any, ...], values: Sequence[Any]) -> Any:
    """Return the column of values of one kind: nothing, a tree of columns, one word, or an array by rows."""
    if kind[0] == "nothing":
        return None
    if kind[0] == "tree":
        if any(name.startswith(PART) for name in kind[1:]):
            raise TypeError(f"no name in a tree of columns may begin with {PART}")
        return {name: _column([value[name] for value in values]) for name in kind[1:]}
    if kind[0] == "array":
        return np.stack(values)
    if kind[0] == "text":
        same = all(value == values[0] for value in values)
        return str(values[0]) if same else np.array(values, dtype=object)
    types = {"truth": np.bool_, "number": np.float64, "whole": np.int64 if kind[-1] else np.uint64}
    return np.array(values, dtype=types[kind[0]])


def _values(column: Any, count: int) -> Iterator[Any]:
    if isinstance(column, Mapping):
        split = any(name.startswith(PART) for name in column)
        return _joined(column, count) if split else _trees(column, count)
    if not isinstance(column, np.ndarray):
        return repeat(column, count)
    if len(column) != count:
        raise ValueError(f"a column has {len(column)} rows where {count} belong")
    return iter(column.tolist() if column.ndim == 1 else column)


def _trees(columns: Mapping[str, Any], count: int) -> Iterator[dict[str, Any]]:
    each = {name: _values(column, count) for name, column in columns.items()}
    return ({name: next(values) for name, values in each.items()} for _ in range(count))


def _joined(parts: Mapping[str, Any], count: int) -> Iterator[Any]:
    """Yield the values of all parts in the order of the rows."""
    which = np.full(count, -1)
    for number, part in enumerate(parts.values()):
        which[part[AT]] = number
    if (which < 0).any():
        raise ValueError(f"the parts of a column do not make {count} rows")
    each = [_values(part[OF], len(part[AT])) for part in parts.values()]
    return (next(each[number]) for number in which.tolist())
