"""Files of results: a sealed HDF5 part, written whole, read whole, validated.

Format: ``docs/reference/file-format.md``.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from aiq.errors import AiqError, StorageError, redo_command
from aiq.storage import seal
from aiq.storage.columns import are_columns
from aiq.storage.files import replacing
from aiq.storage.provenance import provenance as provenance
from aiq.storage.tree import Leaf as Leaf
from aiq.storage.tree import Tree, content_hash, read_group, write_group

SCHEMA_VERSION = 2
OLDEST_READABLE = 1
WITH_COLUMNS = 2  # version of files that hold columns; a file without them is as it was in version 1


@dataclass(frozen=True)
class Header:
    """What a file says about itself besides its content."""

    kind: str
    fingerprint: str
    seed: int
    provenance: Mapping[str, str] = field(default_factory=dict)


def write(path: str | Path, header: Header, tree: Tree, *, compress: bool = True) -> None:
    """Write a tree atomically, large arrays compressed unless told otherwise.

    The HDF5 part is made in memory and then written by plain system calls: a full disk must be an error
    that can be told, and the HDF5 library crashes the process instead.

    Raises:
        StorageError: the folder cannot be written or the disk is full.
        TypeError: the tree holds something that the format cannot.
        ValueError: the tree holds a name that the format cannot.
    """
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", userblock_size=seal.SIZE) as file:
        write_group(file.create_group("content"), tree, compress)
        file.attrs["aiq_kind"] = header.kind
        file.attrs["schema_version"] = _version(tree)
        file.attrs["configuration_hash"] = str(header.fingerprint)
        file.attrs["seed"] = np.uint64(header.seed)
        file.attrs["software"] = json.dumps(dict(header.provenance) or provenance(header.fingerprint), sort_keys=True)
        file.attrs["content_hash"] = content_hash(file)
        file.attrs["complete"] = True
    with buffer.getbuffer() as whole, replacing(path) as temporary:
        whole[: seal.SIZE] = seal.seal(whole[seal.SIZE :])
        temporary.write_bytes(whole)


def _version(tree: Tree) -> int:
    """Return the oldest version of the format that describes a tree, so that older code reads what it can."""
    inner = (value for value in tree.values() if isinstance(value, Mapping))
    return max((WITH_COLUMNS if are_columns(value) else _version(value) for value in inner), default=OLDEST_READABLE)


def read(
    path: str | Path, kind: str, fingerprint: str | None = None, without: Collection[str] = ()
) -> tuple[Header, dict[str, Any]]:
    """Read and validate a file.

    Args:
        path: the file.
        kind: what it must hold, for example ``trials``.
        fingerprint: the configuration it must come from; None accepts any.
        without: names of arrays that stay in the file (see ``tree.read_group``). The seal vouches for such a file;
            its content hash, which needs all arrays, is not computed.

    Raises:
        StorageError: missing, unreadable, of another kind, schema or configuration, incomplete or corrupt; the
            sentence names the file and the command that makes it again.
    """
    with _opened(path) as file:
        header = _check(file, path, kind, fingerprint)
        if not without and str(file.attrs["content_hash"]) != content_hash(file):
            raise StorageError(f"{path} is corrupt: its content hash does not match; redo it: {redo_command()}")
        return header, read_group(file["content"], without)


def read_header(path: str | Path, kind: str, fingerprint: str | None = None) -> Header:
    """Validate a file whole, checksum included, and return its header without building the content (for audits).

    Raises:
        StorageError: see ``read``.
    """
    with _opened(path) as file:
        return _check(file, path, kind, fingerprint)


@contextmanager
def fitting(what: str, path: str | Path | None = None) -> Iterator[None]:
    """Turn whatever goes wrong while stored content becomes records into one sentence.

    Raises:
        StorageError: entries are missing, of another type, or break what the record demands.
    """
    try:
        yield
    except StorageError:
        raise
    except (AiqError, LookupError, TypeError, ValueError, AttributeError) as error:
        place = f"; redo it: {redo_command()}" if path is not None else ""
        holder = f"{path} holds" if path is not None else "a shard holds"
        raise StorageError(f"{holder} {what} that this aiq cannot understand ({_reason(error)}){place}") from error


@contextmanager
def _opened(path: str | Path) -> Iterator[h5py.File]:
    """Open a verified file; every way in which its HDF5 part can still fail becomes one sentence."""
    seal.verify(path, redo_command())
    try:
        with h5py.File(path, "r", locking=False) as file:
            yield file
    except (AiqError, MemoryError):
        raise
    except Exception as error:  # whatever h5py raises on content that another program sealed
        raise StorageError(f"{path} holds no content of aiq ({_reason(error)}); redo it: {redo_command()}") from error


def _reason(error: BaseException) -> str:
    """Return an exception as words on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _check(file: h5py.File, path: str | Path, kind: str, fingerprint: str | None) -> Header:
    """Validate kind, completeness, schema and configuration."""
    redo = f"redo it: {redo_command()}"
    if "aiq_kind" not in file.attrs or not bool(file.attrs.get("complete", False)):
        raise StorageError(f"{path} is incomplete or not a file of aiq; {redo}")
    found = str(file.attrs["aiq_kind"])
    if found != kind:
        raise StorageError(f"{path} holds {found}, not {kind}; {redo}")
    version = int(file.attrs["schema_version"])
    if not OLDEST_READABLE <= version <= SCHEMA_VERSION:
        remedy = "install a newer aiq, or " if version > SCHEMA_VERSION else ""
        raise StorageError(
            f"{path} has schema version {version}, this aiq reads {OLDEST_READABLE} to {SCHEMA_VERSION}; {remedy}{redo}"
        )
    actual = str(file.attrs["configuration_hash"])
    if fingerprint is not None and actual != fingerprint:
        raise StorageError(
            f"{path} was made by another configuration "
            f"(its hash is {actual}, this configuration's {fingerprint}); {redo}"
        )
    software = json.loads(str(file.attrs["software"]))
    return Header(found, actual, int(file.attrs["seed"]), software)
