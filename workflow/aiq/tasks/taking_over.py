"""Units of a shard: taken over where a neighbouring shard holds them, made where none does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from aiq.storage import shards
from aiq.tasks.job import LOGGER, Progress

Make = Callable[[str], shards.Unit]


def take_over(target: str | Path, kind: str, wanted: Mapping[str, str], make: Make) -> dict[str, shards.Unit]:
    """Return every wanted unit: finished ones from neighbouring shards, the others made now.

    Args:
        target: the shard about to be written.
        kind: kind of shard.
        wanted: unit name -> fingerprint.
        make: makes the unit of a name.
    """
    found, unreadable = shards.finished(target, kind, wanted)
    for sentence in unreadable:
        LOGGER.warning("%s", sentence)
    if found:
        LOGGER.info("%d of %d units taken over from neighbouring shards", len(found), len(wanted))
    progress = Progress(f"{kind} of {Path(target).parent.name}", len(wanted))
    units = {}
    for done, name in enumerate(wanted, start=1):
        units[name] = found[name] if name in found else make(name)
        progress(done)
    return units
