"""The tables of a run as inputs of the verbs: they hold more columns than the verbs ask for."""

from __future__ import annotations

from pathlib import Path

from aiq.errors import InputError
from aiq.records.table import Table
from aiq.storage.tables import OWN, read_table

_NUMBERS = ("dissimilarity", "se")


def pairs(path: str | Path, by_transfer: bool = False) -> Table:
    """Return a table ``a,b,dissimilarity[,se]`` from the table of pairs that a run writes.

    A run's column ``dissimilarity`` is the plain area and ``se`` the error of the signed one, so that where every
    error is known the signed areas are taken with it; else the plain areas without.

    Raises:
        InputError: transfer areas are asked for, whose standard errors the table does not hold.
    """
    if by_transfer:
        raise InputError(f"{path} is a run's table, without standard errors of transfer; give columns a,b,transfer,se")
    table = read_table(path, ("a", "b", "dissimilarity"), ("se",), _NUMBERS[:1], blank=("se",))
    kept = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    if all(row["signed"] and (row["se"] or row["a"] == row["b"]) for row in kept):
        rows = [(row["a"], row["b"], float(row["signed"] or 0), float(row["se"] or 0)) for row in kept]
        return Table.of(("a", "b", *_NUMBERS), rows, table.lines)
    return Table.of(("a", "b", "dissimilarity"), [(r["a"], r["b"], r["dissimilarity"]) for r in kept], table.lines)


def is_own(path: str | Path) -> bool:
    """Say whether a file is the table of pairs of a run, by its header."""
    if not isinstance(path, str | Path) or not Path(path).is_file():
        return False
    with Path(path).open(encoding="utf-8-sig", errors="replace") as stream:
        return {cell.strip() for cell in stream.readline().split(",")} >= OWN["dissimilarity"]
