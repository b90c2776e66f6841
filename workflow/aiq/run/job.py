"""One job: its checked configuration, its log and how it says that it failed; the units of the shard that it makes.

Units are taken over where a neighbouring shard or the store holds them, and made where none does.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aiq import storage
from aiq.config.base import STORE_VARIABLE, Keeping, RunSettings
from aiq.errors import AiqError, StorageError
from aiq.plans.base import Job
from aiq.plans.run import AnyRun, Run
from aiq.plans.units import Step
from aiq.storage import hdf5, shards
from aiq.storage.files import job_time
from aiq.storage.records import pack
from aiq.storage.shards import Named, Store, Unit

if TYPE_CHECKING:
    from aiq.training.checkpoints import Memory

LOGGER = logging.getLogger("aiq")
INTERRUPTED = 130  # exit status of an interrupted process: 128 and the number of the signal
TOLD = "AIQ_TELLS"
"""Variable of the environment: whoever started the run says at its end what jobs refused."""
USER_ERROR = 2  # exit status when a person has to change something

T = TypeVar("T")
Make = Callable[[str], Any]
"""From a unit's name to the unit; with ``together``, to what that function can do (trainings in turns)."""

Together = Callable[[Mapping[str, Callable[[], Any]]], Iterator[tuple[str, Unit]]]
"""From what makes each unit, by name, to names and units in the order in which they are finished."""


def settled(configuration: RunSettings) -> dict[str, Any]:
    """Return the settings without those on which no result hangs and that may differ from user to user."""
    jobs = set(Keeping.model_fields)
    return configuration.model_dump(mode="json", exclude={"store": True, "precision": True, "jobs": jobs})


class JobLog(logging.FileHandler):
    """A job's log. Where the disk under it is full, lines are lost and one sentence on standard error says so."""

    incomplete = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (the name is logging's)
        """Tell a failed write in one sentence; anything else is a defect, shown as logging shows it."""
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self.tell(error)
        else:
            super().handleError(record)

    def close(self) -> None:
        """Close the file; what could not be flushed is told, not raised: it must not hide why the job failed."""
        try:
            super().close()
        except OSError as error:
            self.tell(error)

    def tell(self, error: OSError) -> None:
        """Say once that the log is incomplete."""
        if not self.incomplete:
            self.incomplete = True
            print(f"aiq: the log {self.baseFilename} is incomplete: {error.strerror}; free space", file=sys.stderr)


@contextmanager
def job(
    config: Mapping[str, Any], log: str | Path, measure: str | None = None, *, append: bool = False
) -> Iterator[AnyRun]:
    """Run a job's body with its log open; a refusal is one sentence in the log and on standard error.

    Where the log lies below another folder than the configuration says, all files of the job do (``Files.follow``).
    ``measure``: the only one that the job serves; ``append``: the log goes on where an interrupted job left it.

    Raises:
        SystemExit: with status 2, for everything that a person can mend (``AiqError``); with status 130, where a
            person interrupts. Other exceptions are defects: their traceback is logged and they are raised again.
    """
    try:
        Path(log).parent.mkdir(parents=True, exist_ok=True)
        handler = JobLog(log, mode="a" if append else "w", encoding="utf-8")
    except OSError as error:
        print(f"aiq: the log {log} cannot be written: {error.strerror}; make its folder writable", file=sys.stderr)
        raise SystemExit(USER_ERROR) from None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    started = time.monotonic()
    try:
        with job_time():
            run: AnyRun = Run.of(config, measure)
            run.layout.follow(Path(log))
            yield run
        LOGGER.info("finished in %.1f s", time.monotonic() - started)
    except AiqError as error:
        LOGGER.error("%s", error)
        if TOLD not in os.environ:
            sys.stderr.write(f"aiq: {error}\n")  # in one piece, for other jobs write there too
        raise SystemExit(USER_ERROR) from None
    except KeyboardInterrupt:
        LOGGER.info("interrupted after %.1f s", time.monotonic() - started)
        raise SystemExit(INTERRUPTED) from None
    except Exception:
        LOGGER.exception("failed after %.1f s", time.monotonic() - started)
        raise
    finally:
        LOGGER.removeHandler(handler)
        handler.close()


class Progress:
    """Plain lines of progress: what, how many of how many, time left; at most one every few seconds."""

    def __init__(self, what: str, total: int, every: float = 5.0) -> None:
        self.what, self.total, self.every = what, total, every
        self.started = self.reported = time.monotonic()

    def __call__(self, done: int) -> None:
        """Report that ``done`` of the total are finished."""
        now = time.monotonic()
        if done < self.total and now - self.reported < self.every:
            return
        self.reported = now
        left = (now - self.started) / max(done, 1) * (self.total - done)
        LOGGER.info("%s: %d of %d, %.0f s left", self.what, done, self.total, left)


# ---- units ---------------------------------------------------------------------------------------


def store_of(configuration: Any) -> Store | None:
    """Return the store that a configuration or the environment names, or None."""
    folder = getattr(configuration, "store", None) or os.environ.get(STORE_VARIABLE)
    return Store(folder) if folder else None


class Shared:
    """What one job shares."""

    def __init__(self, store: Store | None, kind: str, seed: int) -> None:
        self._store, self._kind, self._seed = store, kind, seed
        self._data: dict[str, str] | None = None
        self._of: Callable[[str], Sequence[str]] | None = None

    def reads(self, sources: Mapping[str, str | Path], of: Callable[[str], Sequence[str]] | None) -> None:
        """Take in which prepared domains the job reads; without them nothing is shared."""
        if self._store is None:
            return
        self._data, self._of = {name: hdf5.content(path) for name, path in sources.items()}, of

    def find(self, wanted: Mapping[str, str]) -> dict[str, Unit]:
        """Return those of the wanted units that the store has; a damaged one is told and left."""
        if self._store is None or self._data is None:
            return {}
        units = {}
        for name, unit_fingerprint in wanted.items():
            try:
                unit = self._store.find(Named.of(self._kind, name, unit_fingerprint), self._behind(name))
            except StorageError as error:
                LOGGER.warning("a unit of the store is left aside: %s", str(error).split("; redo it")[0])
                continue
            if unit is not None:
                units[name] = unit
        if units:
            LOGGER.info("%d of %d units taken over from the store %s", len(units), len(wanted), self._store.folder)
        return units

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
        if self._data is None:
            raise ValueError("a unit was asked for before the domains behind it")
        domains = list(self._data) if self._of is None else self._of(name)
        return [self._data[domain] for domain in domains]


class Keeper:
    """Where a job keeps what it has reached; this one keeps nothing, for jobs short enough to be redone."""

    def reads(self, sources: Mapping[str, str | Path], of: Callable[[str], Sequence[str]] | None = None) -> None:
        """Take in which prepared domains the job reads, and which of them a unit hangs on (None: on all)."""

    def finished(self, wanted: Mapping[str, str]) -> dict[str, Unit]:
        """Return the finished units among the wanted ones (name -> fingerprint)."""
        return {}

    def keep(self, name: str, unit: Unit) -> None:
        """Take in a finished unit."""

    def memory(self, name: str, unit_fingerprint: str) -> Memory | None:
        """Return the memory of a unit's training."""
        return None


FORGETFUL = Keeper()


def take_over(
    target: str | Path,
    kind: str,
    wanted: Mapping[str, str],
    make: Make,
    keeper: Keeper = FORGETFUL,
    together: Together | None = None,
) -> dict[str, Unit]:
    """Return every wanted unit (name -> fingerprint): those of shards beside the target, kept ones, others made now.

    ``keeper`` keeps what an interruption must not undo; ``together`` makes units side by side (None: one by one).
    """
    units, unreadable = shards.finished(target, kind, wanted)
    for sentence in unreadable:
        LOGGER.warning("%s", sentence)
    if units:
        LOGGER.info("%d of %d units taken over from neighbouring shards", len(units), len(wanted))
    units |= keeper.finished({name: what for name, what in wanted.items() if name not in units})
    progress = Progress(f"{kind} of {Path(target).parent.name}", len(wanted))
    missing = {name: partial(make, name) for name in wanted if name not in units}
    made = together(missing) if together else ((name, start()) for name, start in missing.items())
    done = len(wanted) - len(missing)
    progress(done)
    for name, unit in made:
        units[name] = unit
        keeper.keep(name, unit)
        done += 1
        progress(done)
    return {name: units[name] for name in wanted}


def do_job(run: AnyRun, step: Step, job: Any, at: Job) -> None:
    """Do a job and store what it gives; see ``Step.does``."""
    plan, seed, target = run.plan, run.configuration.seed, at.makes[0]
    module, _, name = step.does.partition(":")
    gave = getattr(import_module(module), name)(run, *step.arguments(job, at))
    fingerprint = step.follows(plan, job)
    if step.units is not None:
        wanted = step.units(plan, job)

        def unit(name: str) -> Unit:
            return Unit(wanted[name], gave(name))

        units = take_over(target, step.kind, wanted, unit, at.keeper)
        shards.write(target, step.kind, fingerprint, seed, units)
    elif gave is not None:
        tree = gave if isinstance(gave, Mapping) else pack(gave)
        hdf5.write(target, hdf5.Header(step.kind, fingerprint, seed), tree)


def make(
    run: AnyRun,
    path: str,
    keeper: Keeper = FORGETFUL,
    *,
    places: Mapping[str, str] | None = None,
    needs: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Make one file of a run, as the plan tells it, in this process.

    ``places``: path -> where the file lies that the plan has there; ``needs``: the files that are read, by word (None:
    those that the plan tells).
    """
    step, job = run.plan.maker(path)

    def there(paths: Iterable[str]) -> list[str]:
        return [(places or {}).get(path, path) for path in paths]

    read = step.reads(run.plan, job) if needs is None else needs
    at = Job({word: there(paths) for word, paths in read.items()}, there(run.plan.made(step, job)), keeper)
    do_job(run, step, job, at)


def read_units(
    run: AnyRun, rule: str, made: Callable[[Any], T], jobs: Iterable[Any] | None = None
) -> Iterator[tuple[Any, str, T]]:
    """Yield job, name and what is made of the tree of every unit of some jobs (None: of all), as they are planned.

    Raises:
        StorageError: a shard is missing, damaged or of another configuration.
    """
    step = run.plan.step(rule)
    assert step.units is not None
    for job in step.jobs(run.plan) if jobs is None else jobs:
        (path,) = run.plan.files(rule, [job])
        units = shards.read(path, step.kind, step.follows(run.plan, job))
        for name in step.units(run.plan, job):
            with hdf5.fitting(step.kind, path):
                record = made(units[name].tree)
            yield job, name, record


def read_stored(run: AnyRun, rule: str, record: type[T], job: Any = None) -> T:
    """Return the record that a job of a step has stored.

    Raises:
        StorageError: it is missing, damaged or of another configuration.
    """
    step = run.plan.step(rule)
    return storage.read_result(run.plan.files(rule, [job])[0], step.kind, record, step.follows(run.plan, job))
