"""Complexities from tables of trials that a person already has: no training needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import storage
from aiq.errors import InputError, choice
from aiq.measures import complexity
from aiq.measures.complexity import excess
from aiq.records.arrays import Floats
from aiq.records.complexity import Complexity, affordable_k
from aiq.records.table import Table, groups
from aiq.storage import Source

UNITS = {"log2": "log2", "linear": "parameters"}
"""How the sizes of a table count, and what that unit is called by the measure and in figures."""

LINEAR = 1e50
"""The largest size that counts as it is: fourth powers of it are taken."""

_TOO_LARGE = f"; a size that counts linearly may be at most {LINEAR:g}, count sizes as log2"


@dataclass(frozen=True, slots=True, eq=False)
class TableTrials:
    """The complexity of a domain of a table, with its trials: sizes as they count (n,), and performances (n,)."""

    complexity: Complexity
    size: Floats
    performance: Floats


def trials_from_table(
    path: Source, *, size: str, k: int | None = None, largest: float | None = None, **how: Any
) -> dict[str, TableTrials]:
    """Return the complexity of each domain of a table ``size,performance[,chunk][,domain]``, with its trials.

    A table without the column ``domain`` gives one entry under the empty name.

    Args:
        path: the table; ``-`` reads standard input.
        size: how the sizes count, ``log2`` or ``linear``.
        k: of how many policies the smallest counts; None takes 16, or as many as every domain has without its
            largest chunk (so that there are intervals), the same for every domain.
        largest: size of the largest policy of the pool's design, counted as the table's sizes; None takes each
            domain's largest.
        **how: options of ``measures.complexity.measure``.
    """
    if size not in UNITS:
        raise InputError(choice("how sizes count", size, UNITS))
    table = storage.read_table(path, ("size", "performance"), ("chunk", "domain"), ("size", "performance"))
    _check_performances(path, table)
    _check_sizes(path, table, size)
    domains = groups(table, ["domain"])
    chunks = {name: _chunks(table, rows) for name, rows in domains.items()}
    how["k"] = min(_affordable_k(rows, chunks[name]) for name, rows in domains.items()) if k is None else k
    if largest is not None:
        _check_largest(largest, _floats(table, "size"), size)
        how["largest"] = float(complexity.sizes([largest], None, unit=UNITS[size])[0])
    found = {}
    for name, rows in domains.items():
        sizes = complexity.sizes(_floats(table, "size", rows), None, unit=UNITS[size])
        performance = _floats(table, "performance", rows)
        called = name[0] if name else ""
        if called:
            excess.check_k(how["k"], len(rows), called)
        measured = complexity.measure(performance, sizes, chunk=chunks[name], **how)
        found[called] = TableTrials(measured, sizes, performance)
    return found


def _affordable_k(rows: Sequence[int], chunk: npt.NDArray[np.int64] | None) -> int:
    """Return the k that the trials of a domain afford."""
    return affordable_k(len(rows), 1 if chunk is None else int(np.bincount(chunk).max()))


def _chunks(table: Table, rows: Sequence[int]) -> npt.NDArray[np.int64] | None:
    """Return the chunks of some trials, None where the table has none, so that every trial is one of its own."""
    return _codes(table, "chunk", rows) if "chunk" in table.columns else None


# ---- cells ---------------------------------------------------------------------------------------


def _floats(table: Table, column: str, rows: Sequence[int] | None = None) -> Floats:
    values = np.array(table.column(column), dtype=np.float64)
    return values if rows is None else values[list(rows)]


def _codes(table: Table, column: str, rows: Sequence[int]) -> npt.NDArray[np.int64]:
    cells = table.column(column)
    return np.unique([str(cells[row]) for row in rows], return_inverse=True)[1].astype(np.int64)


def _check_performances(path: Source, table: Table) -> None:
    for row, value in enumerate(_floats(table, "performance")):
        if not 0 <= value <= 1:
            raise InputError(f"{storage.place(path, table, row)}: performance is {value:g}, it must lie in [0, 1]")


def _check_largest(largest: float, sizes: Floats, size: str) -> None:
    """Refuse a largest policy that is smaller than one of the table, or too large to calculate with."""
    if not sizes.max() <= largest < np.inf:
        raise InputError(
            f"the largest policy that could be drawn is given as {largest:g}, but the table has one of "
            f"{sizes.max():g}; give a finite size at least as large"
        )
    if size == "linear" and largest > LINEAR:
        raise InputError(f"the largest policy that could be drawn is given as {largest:g}{_TOO_LARGE}")


def _check_sizes(path: Source, table: Table, size: str) -> None:
    """Refuse sizes below 1, and those too large to calculate with."""
    for row, value in enumerate(_floats(table, "size")):
        if value < 1:
            where = f"{storage.place(path, table, row)}"
            raise InputError(f"{where}: size is {value:g}, a policy has at least 1 parameter")
        if size == "linear" and value > LINEAR:
            raise InputError(f"{storage.place(path, table, row)}: size is {value:g}{_TOO_LARGE}")
