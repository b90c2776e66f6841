"""Finished units of training that runs share: one sealed file per unit, named by all that determined its numbers.

A unit is found by its kind, its name, its fingerprint (seed, domain, training, versions of stages, class of device) and
the content of the prepared domains that it was trained on. A file is put in place whole and never changed, so readers
and writers need no lock: who puts the same unit a second time finds it there. Nothing hangs on the store: what cannot
be read is told and trained.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aiq.errors import StorageError
from aiq.storage import hdf5
from aiq.storage.files import TEMPORARY, clock
from aiq.storage.shards import Unit

KIND = "unit"
UNITS = "units"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the store: kind of its shards (trials, ...), bytes, and seconds since it was put or last taken."""

    path: Path
    kind: str
    size: int
    age: float


@dataclass(frozen=True, slots=True)
class Named:
    """What a unit says about itself: its kind, its name in a shard and its fingerprint."""

    kind: str
    name: str
    fingerprint: str

    @classmethod
    def of(cls, kind: str, name: str, fingerprint: str) -> Named:
        """Return it with plain words: a fingerprint of a plan knows more."""
        return cls(kind, name, str(fingerprint))


class Store:
    """A folder of units, made when the first one is put.

    New folders get the rights of the one above, so that a store whose folder its group may write stays one that it may
    write.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()

    def find(self, what: Named, data: Sequence[str]) -> Unit | None:
        """Return a unit, or None where it is not here; StorageError where its file is damaged.

        ``data``: content of every prepared domain that it hangs on (``hdf5.content``).
        """
        path = self._path(what, data)
        if not path.exists():
            return None
        _, tree = hdf5.read(path, KIND, path.stem)
        with hdf5.fitting("a unit", path):
            if _named(tree) != what:
                raise StorageError(f"{path} holds another unit than its name says")
            unit = Unit(what.fingerprint, dict(tree["content"]))
        with suppress(OSError):  # where this user may not note that the unit was taken
            os.utime(path)
        return unit

    def put(self, what: Named, data: Sequence[str], unit: Unit, seed: int) -> bool:
        """Put a unit whole, unless it is here; return whether it was put. StorageError where nothing can be written."""
        path = self._path(what, data)
        with suppress(StorageError):
            verify(path)
            return False
        self._make(path.parent)
        words = {"kind": what.kind, "name": what.name, "fingerprint": str(what.fingerprint)}
        hdf5.write(path, hdf5.Header(KIND, path.stem, seed), {**words, "content": unit.tree})
        return True

    def entries(self) -> Iterator[Entry]:
        """Yield every unit, by kind and name of its file; StorageError where there is no such folder."""
        if not self.folder.is_dir():
            raise StorageError(f"there is no store {self.folder}; correct the folder, or run a suite that names it")
        if not (self.folder / UNITS).is_dir():
            return
        now = clock(self.folder) if os.access(self.folder, os.W_OK) else None
        for path in sorted((self.folder / UNITS).glob("*/*/*.h5")):
            try:
                state = path.stat()
            except FileNotFoundError:  # cleared by somebody else
                continue
            age = 0.0 if now is None else max(0.0, now - state.st_mtime)
            yield Entry(path, path.parts[-3], state.st_size, age)

    def unfinished(self) -> list[Path]:
        """Return files that a killed process left half written, or that are being written."""
        return sorted((self.folder / UNITS).rglob(f".*{TEMPORARY}"))

    def _path(self, what: Named, data: Sequence[str]) -> Path:
        words = json.dumps([what.kind, what.name, str(what.fingerprint), *data])
        key = hashlib.sha256(words.encode()).hexdigest()[:32]
        return self.folder / UNITS / what.kind / key[:2] / f"{key}.h5"

    def _make(self, folder: Path) -> None:
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for new in reversed(missing):
            try:
                new.mkdir()
                if new.is_relative_to(self.folder) and new != self.folder:
                    new.chmod(new.parent.stat().st_mode & 0o7777)
            except FileExistsError:
                continue
            except OSError as error:
                raise StorageError(f"{new} cannot be made: {error.strerror}; choose another folder") from error


def verify(path: Path) -> None:
    """Read a file of the store whole; StorageError where it cannot be read or is damaged."""
    hdf5.read_header(path, KIND, path.stem)


def named(path: str | Path) -> Named:
    """Return what a file of the store says about itself; StorageError where it is damaged."""
    _, tree = hdf5.read(path, KIND, Path(path).stem)
    with hdf5.fitting("a unit", path):
        return _named(tree)


def _named(tree: hdf5.Tree) -> Named:
    return Named(str(tree["kind"]), str(tree["name"]), str(tree["fingerprint"]))
