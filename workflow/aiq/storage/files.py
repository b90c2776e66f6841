"""Put files in place whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
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
    and ``path`` stays as it was. A link stays, and the file that it leads to is replaced. A pipe or a character device
    stays, too: what the block wrote is then written into it.

    Raises:
        StorageError: the path names no file, or something that holds none; the folder cannot be written; the disk is
            full.
    """
    try:
        with _into(Path(path)) if check_writable(path) else _beside(_followed(path)) as temporary:
            yield temporary
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split())
        raise StorageError(f"{path} cannot be written: {reason}; free space or choose another folder") from error


def check_writable(path: str | Path) -> bool:
    """Return whether a path is a pipe or a character device, which is written into and never replaced.

    Raises:
        StorageError: it is empty or a folder, a block device or a socket; or no file can be made there.
    """
    if not Path(path).name or str(path).endswith("/") or Path(path).is_dir():
        why = "it is a folder" if Path(path).name and Path(path).is_dir() else "it names no file"
        raise StorageError(f"{str(path)!r} cannot be written: {why}; give the name of a file")
    mode = stat.S_IFREG
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}; choose another name") from error
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        kind = "block device" if stat.S_ISBLK(mode) else "socket"
        raise StorageError(f"{path} cannot be written: it is a {kind}; give a file, a pipe or a character device")
    if not stat.S_ISREG(mode):
        return True
    folder = _followed(path).parent
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise StorageError(f"{path} cannot be written: {folder} is not a folder; choose another folder")
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        raise StorageError(f"{path} cannot be written: Permission denied in {folder}; choose another folder")
    return False


def _followed(path: str | Path) -> Path:
    """Return the file that a link leads to, or the path itself."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of a file; rename it over the file once the block has succeeded."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{uuid.uuid4().hex[:12]}{TEMPORARY}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        _sync(temporary)
        os.replace(temporary, target)
        _sync(target.parent)
    finally:
        with suppress(OSError):  # where the folder itself is none, the reason that is raised is the one to tell
            temporary.unlink(missing_ok=True)


@contextmanager
def _into(stream: Path) -> Iterator[Path]:
    """Yield a temporary path; write its content into a pipe or a device once the block has succeeded."""
    with tempfile.TemporaryDirectory(prefix="aiq-") as folder:
        temporary = Path(folder) / "whole"
        yield temporary
        with stream.open("wb", buffering=0) as file, temporary.open("rb") as whole:
            shutil.copyfileobj(whole, file)


def clock(folder: str | Path) -> float:
    """Return the time by the file system of a folder, which on a cluster may differ from this machine's."""
    handle, name = tempfile.mkstemp(dir=folder, prefix=".aiq-clock-")
    try:
        os.close(handle)
        return Path(name).stat().st_mtime
    finally:
        Path(name).unlink()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
