"""What a job keeps while it works: a checkpoint of its own, and finished units in a shared store.

One sealed file per shard, written whole or not at all, bound to what the shard is bound to and to the version of
torch, holds its finished units and the trainings that were under way. It is a means, never a result: whatever is wrong
with it, the work starts anew. It is written from time to time, and at once where the job is told that it has to end
(``interruption``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from aiq import __version__
from aiq.config.base import Keeping, fingerprint
from aiq.errors import NotKeptError, StorageError
from aiq.plans.base import Job
from aiq.plans.run import AnyRun
from aiq.run.interruption import DEAF, PATIENCE, Interruption, listening
from aiq.run.job import LOGGER
from aiq.run.units import FORGETFUL, Keeper, Shared, do_job, store_of
from aiq.storage import hdf5
from aiq.storage.shards import Unit
from aiq.training.checkpoints import Memory, State

KIND = "checkpoint"
SHARE = 0.01  # of the time that may go into keeping


class Checkpoint:
    """A shard's checkpoint file.

    ``every``: seconds between two writings, at least; more where writing takes more than a hundredth of the time.
    """

    def __init__(
        self, path: str | Path, shard: str, seed: int, every: float = 30.0, interruption: Interruption = DEAF
    ) -> None:
        self._path, self._seed, self._every, self._interruption = Path(path), seed, every, interruption
        self._bound = fingerprint("checkpoint", shard, __version__, metadata.version("torch"))
        self._units: dict[str, Unit] = {}
        self._trainings: dict[str, Mapping[str, Any]] = {}
        self._pause, self._last = every, time.monotonic()
        self._last_of: dict[str, float] = {}
        self._said = False
        self._read()

    def finished(self, wanted: Mapping[str, str]) -> dict[str, Unit]:
        """Return the finished units among the wanted ones."""
        units = {name: unit for name, unit in self._units.items() if wanted.get(name) == unit.fingerprint}
        if units:
            LOGGER.info("%d of %d units taken over from the checkpoint", len(units), len(wanted))
        return units

    def keep(self, name: str, unit: Unit) -> None:
        """Take in a finished unit."""
        self._units[name] = unit
        self._trainings.pop(name, None)
        self._last_of.pop(name, None)
        self._write(dict)

    def memory(self, name: str, unit_fingerprint: str) -> Memory:
        """Return the memory of a unit's training, with its state if it was interrupted."""
        states: Mapping[str, State] = {}
        reached = self._trainings.get(name, {})
        if reached.get("fingerprint") == unit_fingerprint:
            states = reached["populations"]
            LOGGER.info("the training of %s goes on where it was interrupted", name)
        self._last_of[name] = self._last

        def save(make: Callable[[], Mapping[str, State]], finished: bool) -> None:
            self._write(lambda: {"fingerprint": unit_fingerprint, "populations": make()}, name)

        return Memory(states, save)

    def remove(self) -> None:
        """Remove the file: the shard is complete."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> None:
        """Read the file; one that cannot be used is said and left aside."""
        if not self._path.exists():
            return
        try:
            _, tree = hdf5.read(self._path, KIND, self._bound)
            with hdf5.fitting("a checkpoint", self._path):
                units, trainings = tree["units"], tree["training"]
                self._units = {name: Unit(str(unit.pop("fingerprint")), unit) for name, unit in units.items()}
                self._trainings = {
                    name: training
                    for name, training in trainings.items()
                    if isinstance(training, Mapping) and "fingerprint" in training
                }
        except StorageError as error:
            LOGGER.warning("a checkpoint is left aside, its work starts anew: %s", str(error).split("; redo it")[0])

    def _write(self, training: Callable[[], Mapping[str, Any]], name: str = "") -> None:
        """Write the file if it is time to, and end if the job is told to.

        Of trainings side by side each is kept in its own time, at the end of an epoch of its own; all that are kept
        are written together.
        """
        began = time.monotonic()
        due = began >= self._last_of.get(name, self._last) + self._pause
        self._interruption.look(due)
        if not due and self._interruption.asked is None:
            return
        kept = self._kept(training, name)
        self._last = time.monotonic()
        if name:
            self._last_of[name] = self._last
        several = max(1, len(self._trainings))
        self._pause = max(self._every, several * (self._last - began) / SHARE) if self._every else 0.0
        if self._interruption.asked is not None:
            self._interruption.end(self._path if kept else None)

    def _kept(self, training: Callable[[], Mapping[str, Any]], name: str) -> bool:
        """Write the file and return whether that went well; where it cannot be written the work goes on without."""
        units = {name: {"fingerprint": unit.fingerprint, **unit.tree} for name, unit in self._units.items()}
        header = hdf5.Header(KIND, self._bound, self._seed)
        try:
            if name:
                self._trainings[name] = training()
            hdf5.write(self._path, header, {"units": units, "training": self._trainings}, compress=False)
        except NotKeptError as reason:
            if not self._said:
                LOGGER.info("a training under way is not kept, finished ones are: %s", reason)
            self._said = True
            return False
        except StorageError as error:
            LOGGER.warning("no checkpoint: %s", error)
            return False
        return True


class Kept(Keeper):
    """The keeper of one shard."""

    def __init__(self, checkpoint: Checkpoint, shared: Shared) -> None:
        self._checkpoint, self._shared = checkpoint, shared

    def reads(self, sources: Mapping[str, str | Path], of: Callable[[str], Sequence[str]] | None = None) -> None:
        """Take in which prepared domains the job reads, and which of them a unit hangs on (None: on all)."""
        self._shared.reads(sources, of)

    def finished(self, wanted: Mapping[str, str]) -> dict[str, Unit]:
        """Return the finished units among the wanted ones (name -> fingerprint)."""
        units = self._checkpoint.finished(wanted)
        return units | self._shared.find({name: what for name, what in wanted.items() if name not in units})

    def keep(self, name: str, unit: Unit) -> None:
        """Take in a finished unit."""
        self._shared.put(name, unit)
        self._checkpoint.keep(name, unit)

    def memory(self, name: str, unit_fingerprint: str) -> Memory:
        """Return the memory of a unit's training."""
        return self._checkpoint.memory(name, unit_fingerprint)


@contextmanager
def keeping(
    run: AnyRun, kind: str, shard: str | Path, fingerprint: str, every: float | None = None, patience: float = PATIENCE
) -> Iterator[Kept]:
    """Keep what a job reaches of a shard while it works, and remove the checkpoint when the shard is complete."""
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
    folder, below = run.configuration.jobs.checkpoints, Path(shard)
    inside = below.is_relative_to(run.layout.root)  # or the job works on a copy of its files elsewhere
    parts = below.relative_to(run.layout.root).parts if inside else below.parts[-3:]
    if folder is None:
        return Path(run.layout.path("checkpoints", *parts))
    return Path(folder).expanduser() / run.configuration.name / Path(*parts[-3:])


def do(run: AnyRun, makes: Sequence[str], fingerprint: str) -> None:
    """Do the job that makes some files."""
    step, job = run.plan.maker(makes[0])
    needs = step.reads(run.plan, job)
    if not step.keeps:
        do_job(run, step, job, Job(needs, makes, FORGETFUL))
        return
    with keeping(run, step.keeps, makes[0], fingerprint) as keeper:
        do_job(run, step, job, Job(needs, makes, keeper))
