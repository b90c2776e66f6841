"""Results of measures: one record a file."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TypeVar

from aiq.storage import hdf5
from aiq.storage.records import pack, unpack

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
