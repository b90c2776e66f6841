"""Complexities from tables of trials that a person already has: no training needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import storage
from aiq.errors import InputError, choice
from aiq.measures import complexity
from aiq.measures.complexity import excess
from aiq.records.complexity import Complexity, affordable_k
from aiq.records.estimate import Floats
from aiq.records.table import Table, groups
from aiq.storage import Source
from aiq.tables import columns

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

    Raises:
        InputError: for a table or an option that cannot be used.
    """
    if size not in UNITS:
        raise InputError(choice("how sizes count", size, UNITS))
    table = storage.read_table(path, ("size", "performance"), ("chunk", "domain"), ("size", "performance"))
    columns.check_shares(path, table, "performance")
    _check_sizes(path, table, size)
    domains = {name[0] if name else "": rows for name, rows in groups(table, ["domain"]).items()}
    chunks: dict[str, npt.NDArray[np.int64] | None] = dict.fromkeys(domains)  # None: every trial is one of its own
    if "chunk" in table.columns:
        words = np.array(table.column("chunk"), dtype=str)
        chunks = {name: np.unique(words[rows], return_inverse=True)[1] for name, rows in domains.items()}
    largest_chunks = {name: 1 if chunk is None else int(np.bincount(chunk).max()) for name, chunk in chunks.items()}
    how["k"] = min(affordable_k(len(rows), largest_chunks[name]) for name, rows in domains.items()) if k is None else k
    size_of, performance_of = (columns.floats(table, name) for name in ("size", "performance"))
    if largest is not None:
        _check_largest(largest, float(size_of.max()), size)
        how["largest"] = float(complexity.sizes([largest], None, unit=UNITS[size])[0])
    trials = {}
    for name, rows in domains.items():
        sizes = complexity.sizes(size_of[rows], None, unit=UNITS[size])
        if name:
            excess.check_k(how["k"], len(rows), name)
        measured = complexity.measure(performance_of[rows], sizes, chunk=chunks[name], **how)
        trials[name] = TableTrials(measured, sizes, performance_of[rows])
    return trials


def _check_largest(largest: float, most: float, size: str) -> None:
    """Refuse a largest policy that is smaller than one of the table, or too large to calculate with."""
    if not most <= largest < np.inf:
        raise InputError(
            f"the largest policy that could be drawn is given as {largest:g}, but the table has one of {most:g}; give "
            "a finite size at least as large"
        )
    if size == "linear" and largest > LINEAR:
        raise InputError(f"the largest policy that could be drawn is given as {largest:g}{_TOO_LARGE}")


def _check_sizes(path: Source, table: Table, size: str) -> None:
    """Refuse sizes below 1, and those too large to calculate with."""
    for row, value in enumerate(columns.floats(table, "size")):
        if value < 1:
            raise InputError(f"{storage.place(path, table, row)}: size is {value:g}, a policy has at least 1 parameter")
        if size == "linear" and value > LINEAR:
            raise InputError(f"{storage.place(path, table, row)}: size is {value:g}{_TOO_LARGE}")
