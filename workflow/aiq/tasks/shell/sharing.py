"""The store that a run shares with others: what a job takes from it and puts there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aiq.config.base import STORE_VARIABLE
from aiq.errors import StorageError
from aiq.storage.shards import Unit
from aiq.storage.store import Named, Store, content
from aiq.tasks.shell.job import LOGGER


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
