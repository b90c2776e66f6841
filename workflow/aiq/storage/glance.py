"""Look at many files quickly: what each says about itself, without reading all of it."""

from __future__ import annotations

from pathlib import Path

import h5py

from aiq.errors import StorageError, redo_command
from aiq.storage import hdf5


def glance(path: str | Path, kind: str) -> str:
    """Return the fingerprint of a file whose length is what its first line promises; its bytes are not verified.

    A flipped bit is not noticed, a file that was cut off is.

    Raises:
        StorageError: missing, unreadable, foreign, of another length, or of another kind.
    """
    try:
        with Path(path).open("rb") as stream:
            block = stream.read(hdf5.SIZE)
            size = stream.seek(0, 2) - hdf5.SIZE
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}; redo it: {redo_command()}") from error
    if not block.startswith(hdf5.MAGIC + f"bytes {size}\n".encode()):
        raise StorageError(f"{path} is foreign or incomplete ({max(size, 0)} bytes); redo it: {redo_command()}")
    try:
        with h5py.File(path, "r", locking=False) as file:
            found, fingerprint = str(file.attrs["aiq_kind"]), str(file.attrs["configuration_hash"])
    except (OSError, KeyError, RuntimeError) as error:
        raise StorageError(f"{path} holds no content of aiq ({error}); redo it: {redo_command()}") from error
    if found != kind:
        raise StorageError(f"{path} holds {found}, not {kind}; redo it: {redo_command()}")
    return fingerprint


def names(path: str | Path) -> frozenset[str] | None:
    """Return the names of the entries that a whole and unchanged file holds; None where that cannot be told."""
    try:
        hdf5.verify(path, redo_command())
        with h5py.File(path, "r", locking=False) as file:
            return frozenset(file["content"])
    except (StorageError, OSError, KeyError, RuntimeError, TypeError):
        return None


def content(path: str | Path) -> str:
    """Return the hash of a file's content and of what identifies it, as the file says; its bytes are not verified.

    Raises:
        StorageError: it cannot be read.
    """
    try:
        with h5py.File(path, "r", locking=False) as file:
            return str(file.attrs["content_hash"])
    except (OSError, KeyError, RuntimeError) as error:
        raise StorageError(f"{path} holds no content of aiq ({error}); redo it: {redo_command()}") from error


def seed(path: str | Path) -> int | None:
    """Return the root seed that a file was made with, unverified; None where that cannot be told."""
    try:
        with h5py.File(path, "r", locking=False) as file:
            return int(file.attrs["seed"])
    except (OSError, KeyError, RuntimeError, TypeError, ValueError):
        return None
