"""Unfinished files of killed jobs: which are surely not being written any more, and their removal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aiq.errors import StorageError
from aiq.storage.files import clock

OLD_MINUTES = 60.0


@dataclass(frozen=True)
class Swept:
    """What was removed, and what was left because it may still be written."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]


def sweep(paths: Sequence[str], *, minutes: float = OLD_MINUTES) -> Swept:
    """Remove unfinished files that nobody writes any more.

    A file is written in one go from memory, then synced and renamed: seconds, minutes on a slow file system. So one
    whose last change is ``minutes`` ago is the remains of a killed job. The age is measured by the clock of the file
    system that holds it, not by this machine's, which on a cluster may differ.

    Raises:
        StorageError: a file cannot be removed, or its folder not be written.
    """
    now: dict[Path, float] = {}
    removed, kept = [], []
    for path in map(Path, paths):
        try:
            if path.parent not in now:
                now[path.parent] = clock(path.parent)
            if now[path.parent] - path.stat().st_mtime >= minutes * 60:
                path.unlink()
                removed.append(str(path))
            else:
                kept.append(str(path))
        except FileNotFoundError:
            continue  # its job has just finished
        except OSError as error:
            raise StorageError(f"{path} cannot be removed: {error.strerror}; remove it by hand") from error
    return Swept(tuple(removed), tuple(kept))
