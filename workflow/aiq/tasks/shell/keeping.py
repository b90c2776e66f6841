"""What a job of the workflow keeps while it works: a checkpoint of its own, and finished units in a shared store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiq.config.jobs import Keeping
from aiq.plans.run import Run
from aiq.storage import shards
from aiq.tasks.shell.interruption import PATIENCE, listening
from aiq.tasks.shell.resumable import Checkpoint
from aiq.tasks.shell.sharing import Shared, store_of
from aiq.training.checkpoints import Memory

AnyRun = Run[Any, Any, Any]


class Kept:
    """The keeper of one shard."""

    def __init__(self, checkpoint: Checkpoint, shared: Shared) -> None:
        self._checkpoint, self._shared = checkpoint, shared

    def reads(self, sources: Mapping[str, str | Path], of: Callable[[str], Sequence[str]] | None = None) -> None:
        """Take in which prepared domains the job reads, and which of them a unit hangs on (None: on all)."""
        self._shared.reads(sources, of)

    def finished(self, wanted: Mapping[str, str]) -> dict[str, shards.Unit]:
        """Return the finished units among the wanted ones (name -> fingerprint)."""
        found = self._checkpoint.finished(wanted)
        return found | self._shared.find({name: what for name, what in wanted.items() if name not in found})

    def keep(self, name: str, unit: shards.Unit) -> None:
        """Take in a finished unit."""
        self._shared.put(name, unit)
        self._checkpoint.keep(name, unit)

    def memory(self, name: str, unit_fingerprint: str) -> Memory:
        """Return the memory of a unit's training."""
        return self._checkpoint.memory(name, unit_fingerprint)


@contextmanager
def keeping(
    run: AnyRun,
    kind: str,
    shard: str | Path,
    fingerprint: str,
    every: float | None = None,
    patience: float = PATIENCE,
) -> Iterator[Kept]:
    """Keep what a job reaches of a shard while it works, and remove the checkpoint when the shard is complete.

    Args:
        run: the run.
        kind: of the shard: trials, mixtures, ...
        shard: path of the shard about to be written.
        fingerprint: of the shard.
        every: seconds between two checkpoints at least; None: as the configuration says.
        patience: see ``interruption.listening``.
    """
    settings: Keeping = run.configuration.jobs
    path = checkpoint_path(run, shard)
    seconds = settings.checkpoint_seconds if every is None else every
    with listening(patience, settings.requeue_seconds, 10 * seconds) as heard:
        checkpoint = Checkpoint(path, fingerprint, run.configuration.seed, seconds, heard)
        yield Kept(checkpoint, Shared(store_of(run.configuration), kind, run.configuration.seed))
        checkpoint.remove()


def checkpoint_path(run: AnyRun, shard: str | Path) -> Path:
    """Return where the checkpoint of a shard lies: below the results, or below the folder of the configuration.

    In a folder of their own the checkpoints of runs are told apart by the runs' names.
    """
    folder = run.configuration.jobs.checkpoints
    if folder is None:
        try:
            return Path(run.layout.checkpoint(str(shard)))
        except ValueError:  # the job works on a copy of its files elsewhere
            folder = run.layout.path("checkpoints")
            return Path(folder, *Path(shard).parts[-3:])
    below = Path(shard)
    if below.is_relative_to(run.layout.root):
        below = below.relative_to(run.layout.root)
    return Path(folder).expanduser() / run.configuration.name / Path(*below.parts[-3:])
