"""The file of a space that a person names."""

from __future__ import annotations

from pathlib import Path

from aiq import storage
from aiq.errors import InputError
from aiq.records.space import Space
from aiq.storage.seal import holds_one


def read_space(source: str | Path) -> Space:
    """Read a space from the file that a person gave; no command of the workflow makes one under any name.

    Raises:
        InputError: there is no such file, or it is of another kind.
        StorageError: the file holds no space, or is damaged.
    """
    if not Path(source).is_file():
        raise InputError(f"there is no file {source}; give a space that aiq space -o or a run made (space.h5)")
    if not holds_one(source):
        raise InputError(f"{source} is no space; give one that aiq space -o or a run made (space.h5)")
    found: Space = storage.read_result(source, "space", Space)
    return found
