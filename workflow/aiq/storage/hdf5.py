"""Files of results: a sealed HDF5 part, written whole, read whole, validated; or looked at in a glance.

Format: ``docs/reference/file-format.md``. The 512 bytes before the HDF5 part of a file are its seal: its length and
checksum, verified before HDF5 reads a byte. The HDF5 library trusts what it parses: a flipped bit can crash the
process, hang it, or go unnoticed, so a damaged file must never reach it.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from aiq.errors import AiqError, StorageError, redo_command
from aiq.storage.files import provenance, replacing
from aiq.storage.tree import Tree, are_columns, content_hash, read_group, write_group

# ---- The 512 bytes before the HDF5 part of a file ------------------------------------------------


SIZE = 512  # the smallest user block that HDF5 allows
MAGIC = b"aiq file, container 1\n"
HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"


def seal(body: bytes | bytearray | memoryview) -> bytes:
    """Return the block that stands before ``body``: magic line, length, SHA-256, then NUL bytes."""
    text = MAGIC + f"bytes {len(body)}\nsha256 {hashlib.sha256(body).hexdigest()}\n".encode()
    return text.ljust(SIZE, b"\0")


def verify(path: str | Path) -> None:
    """Refuse with StorageError a file that is missing, unreadable, empty, foreign, truncated or changed."""
    redo = redo_command()
    try:
        with Path(path).open("rb") as stream:
            block = stream.read(SIZE)
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = stream.tell() - SIZE
    except FileNotFoundError:
        raise StorageError(f"{path} does not exist; make it: {redo}") from None
    except OSError as error:
        raise StorageError(
            f"{path} cannot be read: {error.strerror}; mend its permissions, or redo it: {redo}"
        ) from error
    if not block:
        raise StorageError(f"{path} is empty; redo it: {redo}")
    if not block.startswith(MAGIC):
        what = "an HDF5 file of another program" if block.startswith(HDF5_MAGIC) else "foreign or damaged"
        raise StorageError(f"{path} is not a file of aiq ({what}); if a run should have made it, redo it: {redo}")
    promised = re.search(rb"^bytes (\d+)$", block, re.MULTILINE)
    if promised is not None and size < int(promised[1]):
        raise StorageError(f"{path} is incomplete: {max(size, 0)} of {int(promised[1])} bytes; redo it: {redo}")
    expected = MAGIC + f"bytes {size}\nsha256 {digest}\n".encode()
    if block != expected.ljust(SIZE, b"\0"):
        raise StorageError(f"{path} is corrupt: its checksum does not match; redo it: {redo}")


def holds_one(path: str | Path) -> bool:
    """Whether a file begins as one of aiq; an HDF5 file whose beginning is lost counts as one."""
    with Path(path).open("rb") as stream:
        begin = stream.read(SIZE)
    return begin.startswith((MAGIC, HDF5_MAGIC)) or not begin


# ---- Files of results ----------------------------------------------------------------------------


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
        TypeError, ValueError: the tree holds something, or a name, that the format cannot.
    """
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", userblock_size=SIZE) as file:
        write_group(file.create_group("content"), tree, compress)
        file.attrs["aiq_kind"] = header.kind
        file.attrs["schema_version"] = _version(tree)
        file.attrs["configuration_hash"] = str(header.fingerprint)
        file.attrs["seed"] = np.uint64(header.seed)
        file.attrs["software"] = json.dumps(dict(header.provenance) or provenance(header.fingerprint), sort_keys=True)
        file.attrs["content_hash"] = content_hash(file)
        file.attrs["complete"] = True
    with buffer.getbuffer() as whole, replacing(path) as temporary:
        whole[:SIZE] = seal(whole[SIZE:])
        temporary.write_bytes(whole)


def _version(tree: Tree) -> int:
    """Return the oldest version of the format that describes a tree, so that older code reads what it can."""
    inner = (value for value in tree.values() if isinstance(value, Mapping))
    return max((WITH_COLUMNS if are_columns(value) else _version(value) for value in inner), default=OLDEST_READABLE)


def read(
    path: str | Path, kind: str, fingerprint: str | None = None, without: Collection[str] = ()
) -> tuple[Header, dict[str, Any]]:
    """Read and validate a file of a ``kind``, from a configuration of that fingerprint (None: of any).

    ``without``: names of arrays that stay in the file (see ``tree.read_group``). The seal vouches for such a file; its
    content hash, which needs all arrays, is not computed.

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
    """Validate a file whole, checksum included, and return its header without its content; raises as ``read``."""
    with _opened(path) as file:
        return _check(file, path, kind, fingerprint)


@contextmanager
def fitting(what: str, path: str | Path | None = None) -> Iterator[None]:
    """Turn whatever goes wrong while stored content becomes records into one sentence, a StorageError."""
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
    verify(path)
    try:
        with h5py.File(path, "r", locking=False) as file:
            yield file
    except (AiqError, MemoryError):
        raise
    except Exception as error:  # whatever h5py raises on content that another program sealed
        raise StorageError(f"{path} holds no content of aiq ({_reason(error)}); redo it: {redo_command()}") from error


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _check_kind(path: str | Path, holds: object, kind: str) -> None:
    if str(holds) != kind:
        raise StorageError(f"{path} holds {holds}, not {kind}; give a file that does, or redo it: {redo_command()}")


def _check(file: h5py.File, path: str | Path, kind: str, fingerprint: str | None) -> Header:
    redo = f"redo it: {redo_command()}"
    if "aiq_kind" not in file.attrs or not bool(file.attrs.get("complete", False)):
        raise StorageError(f"{path} is incomplete or not a file of aiq; {redo}")
    _check_kind(path, file.attrs["aiq_kind"], kind)
    version = int(file.attrs["schema_version"])
    if not OLDEST_READABLE <= version <= SCHEMA_VERSION:
        remedy = "install a newer aiq, or " if version > SCHEMA_VERSION else ""
        raise StorageError(
            f"{path} has schema version {version}, this aiq reads {OLDEST_READABLE} to {SCHEMA_VERSION}; {remedy}{redo}"
        )
    actual = str(file.attrs["configuration_hash"])
    if fingerprint is not None and actual != fingerprint:
        hashes = f"its hash is {actual}, this configuration's {fingerprint}"
        raise StorageError(f"{path} was made by another configuration ({hashes}); {redo}")
    return Header(kind, actual, int(file.attrs["seed"]), json.loads(str(file.attrs["software"])))


# ---- What a file says about itself, without reading all of it ------------------------------------


def glance(path: str | Path, kind: str) -> str:
    """Return the fingerprint of a file whose length is what its first line promises; its bytes are not verified.

    A flipped bit is not noticed. StorageError where it is missing, foreign, cut off, or of another kind.
    """
    try:
        with Path(path).open("rb") as stream:
            block = stream.read(SIZE)
            size = stream.seek(0, 2) - SIZE
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}; redo it: {redo_command()}") from error
    if not block.startswith(MAGIC + f"bytes {size}\n".encode()):
        raise StorageError(f"{path} is foreign or incomplete ({max(size, 0)} bytes); redo it: {redo_command()}")
    _check_kind(path, _attribute(path, "aiq_kind"), kind)
    return str(_attribute(path, "configuration_hash"))


def _attribute(path: str | Path, name: str) -> Any:
    """Return what a file says about itself; its bytes are not verified."""
    try:
        with h5py.File(path, "r", locking=False) as file:
            return file.attrs[name]
    except (OSError, KeyError, RuntimeError) as error:
        raise StorageError(f"{path} holds no content of aiq ({error}); redo it: {redo_command()}") from error


def names(path: str | Path) -> frozenset[str] | None:
    """Return the names of the entries that a whole and unchanged file holds; None where that cannot be told."""
    try:
        with _opened(path) as file:
            return frozenset(file["content"])
    except StorageError:
        return None


def content(path: str | Path) -> str:
    """Return the hash of a file's content and of what identifies it, as the file says; its bytes are not verified.

    Raises:
        StorageError: it cannot be read.
    """
    return str(_attribute(path, "content_hash"))


def seed(path: str | Path) -> int | None:
    """Return the root seed that a file was made with, unverified; None where that cannot be told."""
    try:
        return int(_attribute(path, "seed"))
    except (StorageError, TypeError, ValueError):
        return None
