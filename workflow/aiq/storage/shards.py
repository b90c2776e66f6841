"""Shards: what one job wrote, as units that stand for themselves.

A unit is a chunk of policies on a domain, a chunk of repetitions of a pair, or an agent on a domain. It
carries its own fingerprint, so that a job whose block of units has grown takes over the finished ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiq.errors import StorageError
from aiq.storage import hdf5


@dataclass(frozen=True)
class Unit:
    """The content of one unit and the fingerprint of everything that determined it."""

    fingerprint: str
    tree: Mapping[str, Any]


def write(path: str | Path, kind: str, fingerprint: str, seed: int, units: Mapping[str, Unit]) -> None:
    """Write a shard of units atomically."""
    tree = {name: {"fingerprint": unit.fingerprint, **unit.tree} for name, unit in units.items()}
    hdf5.write(path, hdf5.Header(kind, fingerprint, seed), tree)


def read(path: str | Path, kind: str, fingerprint: str | None = None) -> dict[str, Unit]:
    """Read and validate a shard.

    Raises:
        StorageError: see ``hdf5.read``.
    """
    _, tree = hdf5.read(path, kind, fingerprint)
    with hdf5.fitting(kind, path):
        return {name: Unit(str(content.pop("fingerprint")), content) for name, content in tree.items()}


def finished(target: str | Path, kind: str, wanted: Mapping[str, str]) -> tuple[dict[str, Unit], list[str]]:
    """Find wanted units in the other shards of the target's folder; those that hold none of them are not read.

    ``wanted``: unit name -> fingerprint. With them one sentence for each neighbouring file that could not be read.
    """
    done: dict[str, Unit] = {}
    unreadable = []
    for units in _beside(target, kind, lambda name: name in wanted):
        if isinstance(units, StorageError):
            unreadable.append(str(units))
            continue
        for name, unit in units.items():
            if wanted.get(name) == unit.fingerprint:
                done.setdefault(name, unit)
        if len(done) == len(wanted):
            break
    return done, unreadable


def beside(target: str | Path, kind: str, start: str) -> Iterator[tuple[str, Unit]]:
    """Yield name and content of the units in the other shards of the target's folder whose names begin so.

    Files that cannot be read are passed over: ``finished`` names them.
    """
    for units in _beside(target, kind, lambda name: name.startswith(start)):
        if not isinstance(units, StorageError):
            yield from ((name, unit) for name, unit in units.items() if name.startswith(start))


def _beside(target: str | Path, kind: str, wanted: Callable[[str], bool]) -> Iterator[dict[str, Unit] | StorageError]:
    """Yield the units of every other shard of a folder that holds one with a wanted name, or why it cannot be read."""
    for path in sorted(Path(target).parent.glob("*.h5")):
        if path == Path(target):
            continue
        held = hdf5.names(path)
        if held is not None and not any(map(wanted, held)):
            continue
        try:
            yield read(path, kind)
        except StorageError as error:
            yield error
