"""Put files in place whole or not at all."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aiq.errors import StorageError

TEMPORARY = ".part"  # how names of unfinished files end


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; rename it over ``path`` once the block has succeeded.

    The temporary name is unique, so that two jobs that write the same file never mix. The file and its
    folder are synced before and after the rename. If the block fails, the temporary file is removed
    and ``path`` stays as it was.

    Raises:
        StorageError: the folder cannot be written or the disk is full.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{uuid.uuid4().hex[:12]}{TEMPORARY}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        _sync(temporary)
        os.replace(temporary, target)
        _sync(target.parent)
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split())
        raise StorageError(f"{target} cannot be written: {reason}; free space or choose another folder") from error
    finally:
        with suppress(OSError):  # where the folder itself is none, the reason above is the one to tell
            temporary.unlink(missing_ok=True)


def clock(folder: str | Path) -> float:
    """Return the time by the file system of a folder, which on a cluster may differ from this machine's."""
    handle, name = tempfile.mkstemp(dir=folder, prefix=".aiq-clock-")
    try:
        os.close(handle)
        return Path(name).stat().st_mtime
    finally:
        Path(name).unlink()


def _sync(path: Path) -> None:
    """Flush a file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
