"""Administered anytime tests as trees: one array a column of the trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from aiq.storage import hdf5
from aiq.storage.records import pack, unpack
from aiq.wings.anytime.records import AnytimeRun, Interruption, TraceRow

_WHOLE = ("interactions",)
_COLUMNS = tuple(field.name for field in fields(TraceRow))
_PLAIN = ("agent", "environments", "measure", "budget", "root", "repetition", "status", "level")


def pack_test(run: AnytimeRun) -> dict[str, Any]:
    """Return the tree of one administered test."""
    tree: dict[str, Any] = {name: getattr(run, name) for name in _PLAIN}
    tree["interruption"] = None if run.interruption is None else pack(run.interruption)
    rows = {name: [getattr(row, name) for row in run.rows] for name in _COLUMNS}
    tree["trace"] = {name: _array(name, values) for name, values in rows.items()}
    return tree


def _array(name: str, values: list[Any]) -> np.ndarray:
    """Return a column with its type."""
    if name == "environment":
        return np.array(values, dtype=object)
    return np.array(values, dtype=np.int64 if name in _WHOLE else np.float64)


def unpack_test(tree: Mapping[str, Any]) -> AnytimeRun:
    """Build an administered test from its tree.

    Raises:
        StorageError: entries are missing or of another type.
    """
    with hdf5.fitting("anytime test"):
        columns = [tree["trace"][name].tolist() for name in _COLUMNS]
        rows = tuple(TraceRow(*row) for row in zip(*columns, strict=True))
        last = tree["interruption"]
        plain = {name: tree[name] for name in _PLAIN}
        return AnytimeRun(**plain, rows=rows, interruption=None if last is None else unpack(Interruption, last))
