"""Results of measures: one record a file."""

from __future__ import annotations

import csv
from collections.abc import Collection
from pathlib import Path
from typing import TypeVar

from aiq.errors import StorageError
from aiq.records.table import Cell, Table
from aiq.storage import hdf5
from aiq.storage.records import pack, unpack

# ---- Tables and captions that a run has published, read back as they are -------------------------


def read_published(path: str | Path) -> Table:
    """Return a table that aiq wrote: empty cells are None, words that are numbers or truth values become these.

    Raises:
        StorageError: it is missing, empty or ragged.
    """
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}; finish the run first") from error
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise StorageError(f"{path} is no whole table; delete it and finish the run again")
    return Table.of(rows[0], [[_cell(cell) for cell in row] for row in rows[1:]])


def _cell(text: str) -> Cell:
    if text in ("", "True", "False"):
        return None if not text else text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_words(path: str | Path) -> str:
    """Return the text of a caption.

    Raises:
        StorageError: it is missing.
    """
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}; finish the run first") from error


# ---- Results of measures -------------------------------------------------------------------------


T = TypeVar("T")


def write_result(path: str | Path, kind: str, record: object, fingerprint: str, seed: int) -> None:
    """Write a frozen dataclass of results atomically."""
    hdf5.write(path, hdf5.Header(kind, fingerprint, seed), pack(record))


def read_result(
    path: str | Path, kind: str, record: type[T], fingerprint: str | None = None, without: Collection[str] = ()
) -> T:
    """Read and validate a record of results.

    Args:
        path: the file.
        kind: what it must hold.
        record: the record that it is.
        fingerprint: the configuration it must come from; None accepts any.
        without: arrays of draws that are not needed, as ``tree.read_group`` names them; the record has none there.

    Raises:
        StorageError: see ``hdf5.read``.
    """
    _, tree = hdf5.read(path, kind, fingerprint, without)
    with hdf5.fitting(kind, path):
        return unpack(record, tree)
