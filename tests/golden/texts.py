"""Stored trees and tables as lines of text: place -> numbers, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from aiq.records.table import Table

Leaves = dict[str, Any]
"""Place -> a number, a word, a truth value, None, an array, or (in a table) a list of these."""

LEFT_OUT = frozenset({"seconds", "core_seconds", "core_seconds_alone", "fingerprint"})  # by their names
WHOLE = 500  # numbers of an array up to which each is kept; of larger ones the sums


def flat(tree: Mapping[str, Any], place: str = "") -> Leaves:
    """Return the leaves of a tree by place, without times and fingerprints."""
    leaves: Leaves = {}
    for name, value in tree.items():
        if name in LEFT_OUT:
            continue
        if isinstance(value, Mapping):
            leaves |= flat(value, f"{place}{name}/")
        else:
            leaves[place + name] = _summed(value) if np.size(value) > WHOLE else value
    return leaves


def _summed(array: np.ndarray) -> np.ndarray:
    """Return what stands for a large array: its size, its sum, its sum of squares, and a sum weighted by place."""
    if array.dtype.kind not in "biuf":
        return np.array([array.size, sum(map(len, array.ravel()))])
    values = array.astype(float).ravel()
    return np.array([array.size, values.sum(), values @ values, values @ np.arange(1.0, 1 + len(values))])


def with_numbers_of(tree: Mapping[str, Any], leaves: Leaves, place: str = "") -> dict[str, Any]:
    """Return a tree with the leaves of other numbers put in the place of its own, where they have its types."""
    made: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, Mapping):
            made[name] = with_numbers_of(value, leaves, f"{place}{name}/")
            continue
        other = leaves.get(place + name, value)
        alike = type(other) is type(value) and getattr(other, "dtype", 0) == getattr(value, "dtype", 0)
        made[name] = other if alike and np.shape(other) == np.shape(value) else value
    return made


def table_leaves(table: Table) -> Leaves:
    """Return column -> its cells, without columns of times."""
    return {name: table.column(name) for name in table.columns if "seconds" not in name and "hours" not in name}


# ---- text ------------------------------------------------------------------------------------------


def written(leaves: Leaves) -> str:
    """Return leaves as JSON, one place a line."""
    lines = [f"{json.dumps(place)}: {json.dumps(_plain(value))}" for place, value in leaves.items()]
    return "{\n  " + ",\n  ".join(lines) + "\n}"


def _plain(value: Any) -> Any:
    """Return a leaf as JSON has it: an array as one entry {"type shape": numbers}."""
    if not isinstance(value, np.ndarray):
        return value.item() if isinstance(value, np.generic) else value
    kind = "text" if value.dtype.kind in "OU" else value.dtype.name
    numbers = [float(str(item)) for item in value.ravel()] if kind == "float32" else value.ravel().tolist()
    return {" ".join([kind, *map(str, value.shape)]): numbers}


def read(leaves: Mapping[str, Any]) -> Leaves:
    """Return leaves from JSON."""
    return {place: _array(value) for place, value in leaves.items()}


def _array(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    ((what, numbers),) = value.items()
    kind, *shape = what.split()
    return np.array(numbers, dtype=object if kind == "text" else kind).reshape([int(size) for size in shape])
