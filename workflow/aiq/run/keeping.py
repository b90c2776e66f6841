"""What a job keeps while it works, and how it ends when it is told to: once what it has reached is kept.

One sealed file per shard, written whole or not at all, bound to what the shard is bound to and to the version of
torch, holds its finished units and the trainings that were under way. It is a means, never a result: whatever is wrong
with it, the work starts anew. It is written from time to time, and at once where the job is told that it has to end.

A signal may come at any moment, in the midst of a computation. It is noted, and obeyed where there is something whole
to keep: at the end of an epoch, or of a block of steps. What the signals mean:

- SIGTERM: the job has to end (preemption, the end of its time, a person). It ends.
- SIGURG, SIGUSR1: it will soon have to end. On SLURM the job has itself put back into the queue under its own number,
  which is no failure to whoever waits for it; elsewhere it goes on, for the time may still suffice.
- SIGUSR2 is submitit's (``execution``): its own handler is called, which puts the job back into the queue.

SLURM's own warnings reach the first process of a job alone, which is Snakemake. So a job on SLURM looks up its limit
itself, once it has worked for a while, and behaves as if it had been sent SIGURG when little of its time is left.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from aiq import __version__
from aiq.config.base import Keeping, fingerprint
from aiq.errors import NotKeptError, StorageError
from aiq.execution import slurm
from aiq.plans.base import Job
from aiq.plans.run import AnyRun
from aiq.run.job import FORGETFUL, LOGGER, Keeper, Shared, do_job, store_of
from aiq.storage import hdf5
from aiq.storage.shards import Unit
from aiq.training.checkpoints import Memory, State

KIND = "checkpoint"
SHARE = 0.01  # of the time that may go into keeping
SOON = (signal.SIGURG, signal.SIGUSR1)
FREE = (signal.SIG_DFL, signal.SIG_IGN, None)
PATIENCE = 30.0  # seconds after which submitit's handler is called though nothing was kept
GAPS = 3  # times the longest gap between two moments at which something can be kept: no later must a job end,
LAST = 5.0  # nor later than so many seconds before its limit


class Interruption:
    """The signal that a job was sent and has not obeyed yet, ``asked``, or None; and what it does then."""

    def __init__(self, ahead: float = 0.0, least: float = 0.0) -> None:
        """Begin to listen.

        ``ahead``: seconds before the limit of a SLURM job at which it goes back into the queue; 0: never. ``least``:
        seconds that it works before, if its time suffices: who is queued again at once gets nowhere.
        """
        self._least, self._begun = least, time.monotonic()
        self.asked: signal.Signals | None = None
        self.handover: Callable[[], None] | None = None  # another one's handler, which ends the job
        self._ahead, self._limit = ahead, None if ahead and os.environ.get("SLURM_JOB_ID") else math.inf
        self._last, self._gap = time.monotonic(), 0.0

    def look(self, ask: bool) -> None:
        """Take in that something can be kept now, and whether the time of a SLURM job is nearly used up.

        ``ask``: whether SLURM may be asked for the limit, once; a short job need not know it.
        """
        now = time.monotonic()
        self._gap, self._last = max(self._gap, now - self._last), now
        if self._limit is None and ask:
            self._limit = math.inf if self.handover else now + _seconds_left()
        if self._limit is not None and now > self._moment(self._limit):
            self._limit = math.inf
            self.note(signal.SIGURG)

    def _moment(self, limit: float) -> float:
        return min(max(limit - self._ahead, self._begun + self._least), limit - max(GAPS * self._gap, LAST))

    def note(self, number: int, frame: FrameType | None = None) -> None:
        """Note a signal; the first that ends the job counts. A second SIGTERM ends it without waiting."""
        received = signal.Signals(number)
        if received == self.asked == signal.SIGTERM:
            _leave(received)
        if self.asked in (None, *SOON):
            self.asked = received

    def end(self, kept: Path | None) -> None:
        """End the job as if the signal had killed it, or go on where it need not end.

        ``kept``: where what it has reached is kept; None: nowhere.
        """
        asked, self.asked = self.asked, None
        if asked is None:
            return
        LOGGER.info("%s: what was reached is %s", asked.name, f"kept in {kept}" if kept else "not kept")
        if self.handover is not None and asked == signal.SIGUSR2:
            self.handover()
        elif asked not in SOON:
            _leave(asked)
        elif kept is not None and _requeued():
            LOGGER.info("the job goes back into SLURM's queue")
            _leave(asked)


DEAF = Interruption()
"""Hears nothing: where nobody listens."""


def _leave(asked: signal.Signals) -> NoReturn:
    raise SystemExit(128 + asked)


def _seconds_left() -> float:
    """Return how long this job may still run; infinity where SLURM does not tell."""
    well, said = slurm.ask("squeue", "--noheader", "--format=%L", f"--jobs={_number()}")
    try:
        left = slurm.minutes(said) if well else None
    except ValueError:
        left = None
    return math.inf if left is None else 60 * left


def _number() -> str | None:
    """Return the number of this job as SLURM takes it, or None outside of SLURM."""
    job, array, task = (os.environ.get(f"SLURM_{name}") for name in ("JOB_ID", "ARRAY_JOB_ID", "ARRAY_TASK_ID"))
    return f"{array}_{task}" if job and array and task else job


def _requeued() -> bool:
    """Have SLURM put this job back into its queue; return whether it does.

    Jobs are submitted as such that never come back: one that may, and whose start fails, is held in the queue for ever.
    """
    job = _number()
    if job is None:
        return False
    slurm.ask("scontrol", "update", f"JobId={job}", "Requeue=1")
    well, said = slurm.ask("scontrol", "requeue", job)
    if not well:
        LOGGER.warning("SLURM does not put the job back into its queue (%s); it goes on", said)
    return well


@contextmanager
def listening(patience: float = PATIENCE, ahead: float = 0.0, least: float = 0.0) -> Iterator[Interruption]:
    """Note signals instead of ending by them; afterwards everything is as it was.

    Signals for which somebody else has a handler are left alone, but SIGUSR2: that handler is called once what was
    reached is kept, or after ``patience`` seconds. For ``ahead`` and ``least`` see ``Interruption``.
    """
    heard = Interruption(ahead, least)
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, *SOON, signal.SIGUSR2, signal.SIGALRM)}
    theirs = before.pop(signal.SIGUSR2)
    alarm = before.pop(signal.SIGALRM)
    mine = [number for number, handler in before.items() if handler in FREE]
    for number in mine:
        signal.signal(number, heard.note)
    if callable(theirs):
        _defer(heard, theirs, patience)
    try:
        yield heard
    finally:
        for number in mine:
            signal.signal(number, before[number])
        if callable(theirs):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGUSR2, theirs)
            signal.signal(signal.SIGALRM, alarm)


def _defer(heard: Interruption, theirs: Callable[[int, FrameType | None], object], patience: float) -> None:
    """Let another one's handler of SIGUSR2 wait until what was reached is kept."""

    def call(*_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        theirs(signal.SIGUSR2, None)

    def noted(number: int, frame: FrameType | None) -> None:
        heard.note(number)
        signal.setitimer(signal.ITIMER_REAL, patience)

    heard.handover = call
    signal.signal(signal.SIGUSR2, noted)
    signal.signal(signal.SIGALRM, call)


# ---- the checkpoint ------------------------------------------------------------------------------


class Checkpoint(Keeper):
    """A shard's checkpoint file, and what its job shares through a store.

    ``every``: seconds between two writings, at least; more where writing takes more than a hundredth of the time.
    """

    def __init__(
        self,
        path: str | Path,
        shard: str,
        seed: int,
        every: float = 30.0,
        interruption: Interruption = DEAF,
        shared: Shared | None = None,
    ) -> None:
        self._path, self._seed, self._every, self._interruption = Path(path), seed, every, interruption
        self._shared = shared or Shared(None, "", seed)
        self._bound = fingerprint("checkpoint", shard, __version__, metadata.version("torch"))
        self._units: dict[str, Unit] = {}
        self._trainings: dict[str, Mapping[str, Any]] = {}
        self._pause, self._last = every, time.monotonic()
        self._last_of: dict[str, float] = {}
        self._said = False
        self._read()

    def reads(self, sources: Mapping[str, str | Path], of: Callable[[str], Sequence[str]] | None = None) -> None:
        """Take in which prepared domains the job reads, and which of them a unit hangs on (None: on all)."""
        self._shared.reads(sources, of)

    def finished(self, wanted: Mapping[str, str]) -> dict[str, Unit]:
        """Return the finished units among the wanted ones (name -> fingerprint)."""
        units = {name: unit for name, unit in self._units.items() if wanted.get(name) == unit.fingerprint}
        if units:
            LOGGER.info("%d of %d units taken over from the checkpoint", len(units), len(wanted))
        return units | self._shared.find({name: what for name, what in wanted.items() if name not in units})

    def keep(self, name: str, unit: Unit) -> None:
        """Take in a finished unit."""
        self._shared.put(name, unit)
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


@contextmanager
def keeping(
    run: AnyRun, kind: str, shard: str | Path, fingerprint: str, every: float | None = None, patience: float = PATIENCE
) -> Iterator[Keeper]:
    """Keep what a job reaches of a shard while it works, and remove the checkpoint when the shard is complete."""
    settings: Keeping = run.configuration.jobs
    path = checkpoint_path(run, shard)
    seconds = settings.checkpoint_seconds if every is None else every
    with listening(patience, settings.requeue_seconds, 10 * seconds) as heard:
        shared = Shared(store_of(run.configuration), kind, run.configuration.seed)
        checkpoint = Checkpoint(path, fingerprint, run.configuration.seed, seconds, heard, shared)
        yield checkpoint
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
