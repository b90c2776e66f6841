"""Results of measures: one record a file."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from aiq.storage import hdf5
from aiq.storage.records import pack, unpack

T = TypeVar("T")


def write_result(path: str | Path, kind: str, record: object, fingerprint: str, seed: int) -> None:
    """Write a frozen dataclass of results atomically."""
    hdf5.write(path, hdf5.Header(kind, fingerprint, seed), pack(record))


def read_result(path: str | Path, kind: str, record: type[T], fingerprint: str | None = None) -> T:
    """Read and validate a record of results.

    Raises:
        StorageError: see ``hdf5.read``.
    """
    _, tree = hdf5.read(path, kind, fingerprint)
    with hdf5.fitting(kind, path):
        return unpack(record, tree)
