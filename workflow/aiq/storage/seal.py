"""The 512 bytes before the HDF5 part of a file: its length and checksum, verified before HDF5 reads a byte.

The HDF5 library trusts what it parses: a flipped bit can crash the process, hang it, or go unnoticed. So
a damaged file must never reach it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from aiq.errors import StorageError

SIZE = 512  # the smallest user block that HDF5 allows
MAGIC = b"aiq file, container 1\n"
HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"


def seal(body: bytes | bytearray | memoryview) -> bytes:
    """Return the block that stands before ``body``: magic line, length, SHA-256, then NUL bytes."""
    text = MAGIC + f"bytes {len(body)}\nsha256 {hashlib.sha256(body).hexdigest()}\n".encode()
    return text.ljust(SIZE, b"\0")


def verify(path: str | Path, redo: str) -> None:
    """Check that a file is whole and unchanged.

    Args:
        path: the file.
        redo: the command that makes it again, named in every refusal.

    Raises:
        StorageError: the file is missing, unreadable, empty, foreign, truncated or changed.
    """
    file = Path(path)
    try:
        with file.open("rb") as stream:
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
    promised = _number(block, b"bytes ")
    if promised is not None and size < promised:
        raise StorageError(f"{path} is incomplete: {max(size, 0)} of {promised} bytes; redo it: {redo}")
    expected = MAGIC + f"bytes {size}\nsha256 {digest}\n".encode()
    if block != expected.ljust(SIZE, b"\0"):
        raise StorageError(f"{path} is corrupt: its checksum does not match; redo it: {redo}")


def holds_one(path: str | Path) -> bool:
    """Whether a file begins as one of aiq; an HDF5 file whose beginning is lost counts as one."""
    with Path(path).open("rb") as stream:
        begin = stream.read(SIZE)
    return begin.startswith((MAGIC, HDF5_MAGIC)) or not begin


def _number(block: bytes, key: bytes) -> int | None:
    """Return the number on the line that starts with ``key``, or None where there is none."""
    for line in block.split(b"\n"):
        if line.startswith(key) and line.removeprefix(key).isdigit():
            return int(line.removeprefix(key))
    return None
