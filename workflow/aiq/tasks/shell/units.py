"""Units of a shard: taken over where a neighbouring shard holds them, made where none does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from aiq.config.base import STORE_VARIABLE
from aiq.errors import StorageError
from aiq.storage import shards
from aiq.storage.shards import Unit
from aiq.storage.store import Named, Store, content
from aiq.tasks.shell.job import LOGGER, Progress

if TYPE_CHECKING:
    from aiq.training.checkpoints import Memory


# ---- The store that a run shares with others -----------------------------------------------------


def store_of(configuration: Any) -> Store | None:
    """Return the store that a configuration or the environment names, or None."""
    folder = getattr(configuration, "store", None) or os.environ.get(STORE_VARIABLE)
    return Store(folder) if folder else None


class Shared:
    """What one job shares.

    Args:
        store: the store; None where there is none.
        kind: of the shard that the job makes.
        seed: the root seed.
    """

    def __init__(self, store: Store | None, kind: str, seed: int) -> None:
        self._store, self._kind, self._seed = store, kind, seed
        self._data: dict[str, str] | None = None
        self._of: Callable[[str], Sequence[str]] | None = None

    def reads(self, sources: Mapping[str, str | Path], of: Callable[[str], Sequence[str]] | None) -> None:
        """Take in which prepared domains the job reads; without them nothing is shared."""
        if self._store is None:
            return
        self._data, self._of = {name: content(path) for name, path in sources.items()}, of

    def find(self, wanted: Mapping[str, str]) -> dict[str, Unit]:
        """Return those of the wanted units that the store has; a damaged one is told and left."""
        if self._store is None or self._data is None:
            return {}
        found = {}
        for name, unit_fingerprint in wanted.items():
            try:
                unit = self._store.find(Named.of(self._kind, name, unit_fingerprint), self._behind(name))
            except StorageError as error:
                LOGGER.warning("a unit of the store is left aside: %s", str(error).split("; redo it")[0])
                continue
            if unit is not None:
                found[name] = unit
        if found:
            LOGGER.info("%d of %d units taken over from the store %s", len(found), len(wanted), self._store.folder)
        return found

    def put(self, name: str, unit: Unit) -> None:
        """Put a unit; where the store cannot be written the work goes on without."""
        if self._store is None or self._data is None:
            return
        try:
            self._store.put(Named.of(self._kind, name, unit.fingerprint), self._behind(name), unit, self._seed)
        except StorageError as error:
            LOGGER.warning("not put into the store: %s", error)
            self._store = None

    def _behind(self, name: str) -> list[str]:
        """Return the content of the domains that a unit hangs on."""
        if self._data is None:
            raise ValueError("a unit was asked for before the domains behind it")
        domains = list(self._data) if self._of is None else self._of(name)
        return [self._data[domain] for domain in domains]


# ---- Units of a shard ----------------------------------------------------------------------------


Make = Callable[[str], Any]
"""From a unit's name to the unit; with ``together``, to what that function can do (trainings in turns)."""

Together = Callable[[Mapping[str, Callable[[], Any]]], Iterator[tuple[str, shards.Unit]]]
"""From what makes each unit, by name, to names and units in the order in which they are finished."""


class Keeper(Protocol):
    """Where a job keeps what it has reached."""

    def reads(self, sources: Mapping[str, str | Path], of: Callable[[str], Sequence[str]] | None = None) -> None:
        """Take in which prepared domains the job reads, and which of them a unit hangs on (None: on all)."""

    def finished(self, wanted: Mapping[str, str]) -> dict[str, shards.Unit]:
        """Return the finished units among the wanted ones (name -> fingerprint)."""

    def keep(self, name: str, unit: shards.Unit) -> None:
        """Take in a finished unit."""

    def memory(self, name: str, unit_fingerprint: str) -> Memory | None:
        """Return the memory of a unit's training."""


class Forgetful:
    """Keeps nothing: for jobs short enough to be redone."""

    def reads(self, sources: Mapping[str, str | Path], of: Callable[[str], Sequence[str]] | None = None) -> None:
        """Take in nothing."""

    def finished(self, wanted: Mapping[str, str]) -> dict[str, shards.Unit]:
        """Return nothing."""
        return {}

    def keep(self, name: str, unit: shards.Unit) -> None:
        """Keep nothing."""

    def memory(self, name: str, unit_fingerprint: str) -> None:
        """Return none."""


FORGETFUL = Forgetful()


def take_over(
    target: str | Path,
    kind: str,
    wanted: Mapping[str, str],
    make: Make,
    keeper: Keeper = FORGETFUL,
    together: Together | None = None,
) -> dict[str, shards.Unit]:
    """Return every wanted unit: finished ones from neighbouring shards or kept ones, the others made now.

    Args:
        target: the shard about to be written.
        kind: kind of shard.
        wanted: unit name -> fingerprint.
        make: makes the unit of a name.
        keeper: keeps what an interruption must not undo.
        together: makes units side by side; None: one after the other.
    """
    found, unreadable = shards.finished(target, kind, wanted)
    for sentence in unreadable:
        LOGGER.warning("%s", sentence)
    if found:
        LOGGER.info("%d of %d units taken over from neighbouring shards", len(found), len(wanted))
    found |= keeper.finished({name: what for name, what in wanted.items() if name not in found})
    progress = Progress(f"{kind} of {Path(target).parent.name}", len(wanted))
    missing = {name: partial(make, name) for name in wanted if name not in found}
    made = together(missing) if together else ((name, start()) for name, start in missing.items())
    done = len(wanted) - len(missing)
    progress(done)
    for name, unit in made:
        found[name] = unit
        keeper.keep(name, unit)
        done += 1
        progress(done)
    return {name: found[name] for name in wanted}
