"""Audit the shards of a configuration: which are complete, missing, stale or corrupt, and how to redo them."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aiq.config.layout import every_shard
from aiq.errors import StorageError
from aiq.storage import hdf5
from aiq.storage.files import TEMPORARY
from aiq.tasks.job import Run

STATES = ("complete", "missing", "stale", "corrupt")


@dataclass(frozen=True)
class Audit:
    """State of every shard that a configuration asks for, and of what lies beside them.

    ``shards`` maps each path to its state; ``reasons`` says for a bad one why. ``superseded`` are shards
    of an earlier cut or size (their units have been or will be taken over), ``temporary`` unfinished
    files of killed jobs.
    """

    shards: dict[str, str]
    kinds: dict[str, str]
    reasons: dict[str, str]
    superseded: tuple[str, ...]
    temporary: tuple[str, ...]

    @property
    def bad(self) -> tuple[str, ...]:
        """Paths that have to be made or made again."""
        return tuple(path for path, state in self.shards.items() if state != "complete")

    def count(self, state: str, kind: str | None = None) -> int:
        """Number of shards in a state."""
        return sum(s == state and kind in (None, self.kinds[path]) for path, s in self.shards.items())


def audit(run: Run, *, deep: bool = True, progress: Callable[[int, int], None] | None = None) -> Audit:
    """Look at every shard of a configuration.

    Args:
        run: the configuration.
        deep: verify the content hash too, not the header alone.
        progress: told how many of how many shards are done.
    """
    planned = every_shard(run.plan, run.layout)
    states, kinds, reasons = {}, {}, {}
    for done, (path, (kind, fingerprint)) in enumerate(planned.items(), start=1):
        kinds[path] = kind
        states[path], reason = _state(path, kind, fingerprint, deep)
        if reason:
            reasons[path] = reason
        if progress is not None:
            progress(done, len(planned))
    folders = [Path(run.configuration.results) / name for name in ("domains", "trials", "mixtures", "agents")]
    beside = sorted(str(p) for folder in folders if folder.is_dir() for p in folder.rglob("*.h5"))
    temporary = sorted(str(p) for p in Path(run.configuration.results).rglob(f".*{TEMPORARY}"))
    superseded = tuple(path for path in beside if path not in planned)
    return Audit(states, kinds, reasons, superseded, tuple(temporary))


def _state(path: str, kind: str, fingerprint: str, deep: bool) -> tuple[str, str]:
    """Return a shard's state and, if it is bad, the reason."""
    if not Path(path).exists():
        return "missing", ""
    try:
        header = hdf5.read(path, kind)[0] if deep else hdf5.read_header(path, kind)
    except StorageError as error:
        return "corrupt", str(error)
    if header.fingerprint != fingerprint:
        return "stale", f"made by another configuration ({header.fingerprint}, now {fingerprint})"
    return "complete", ""


def redo(config: str | Path, paths: tuple[str, ...]) -> str:
    """Return the command that makes exactly these files again."""
    command = ["snakemake", "--cores", "all", "--configfile", str(config), "--force", *paths]
    return shlex.join(command)
