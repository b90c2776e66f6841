"""Tables and captions that a run has published, read back as they are."""

from __future__ import annotations

import csv
from pathlib import Path

from aiq.errors import StorageError
from aiq.records.table import Cell, Table


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
