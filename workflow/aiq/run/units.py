"""Units of a shard: taken over where a neighbouring shard or the store holds them, made where none does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aiq import storage
from aiq.config.base import STORE_VARIABLE
from aiq.errors import StorageError
from aiq.plans.base import Job
from aiq.plans.run import AnyRun
from aiq.plans.units import Step
from aiq.run.job import LOGGER, Progress
from aiq.storage import hdf5, shards
from aiq.storage.hdf5 import content
from aiq.storage.records import pack
from aiq.storage.shards import Unit
from aiq.storage.store import Named, Store

if TYPE_CHECKING:
    from aiq.training.checkpoints import Memory


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
        self._data, self._of = {name: content(path) for name, path in sources.items()}, of

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


Make = Callable[[str], Any]
"""From a unit's name to the unit; with ``together``, to what that function can do (trainings in turns)."""

Together = Callable[[Mapping[str, Callable[[], Any]]], Iterator[tuple[str, Unit]]]
"""From what makes each unit, by name, to names and units in the order in which they are finished."""


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
    """Return every wanted unit: finished ones from neighbouring shards or kept ones, the others made now.

    Args:
        target: the shard about to be written.
        kind: kind of shard.
        wanted: unit name -> fingerprint.
        make: makes the unit of a name.
        keeper: keeps what an interruption must not undo.
        together: makes units side by side; None: one after the other.
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


T = TypeVar("T")


def do_job(run: AnyRun, step: Step, job: Any, at: Job) -> None:
    """Do a job and store what it gives; see ``Step.does``."""
    plan, seed, target = run.plan, run.configuration.seed, at.makes[0]
    module, _, name = step.does.partition(":")
    gave = getattr(import_module(module), name)(run, *step.arguments(job, at))
    fingerprint = step.follows(plan, job)
    if step.units is not None:
        wanted = step.units(plan, job)

        def make(name: str) -> Unit:
            return Unit(wanted[name], gave(name))

        units = take_over(target, step.kind, wanted, make, at.keeper)
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
    """Make one file of a run in this process.

    Args:
        run: the run.
        path: of the file, as the plan tells it.
        keeper: keeps what an interruption must not undo.
        places: path -> where the file lies that the plan has there.
        needs: the files that are read, by word; None: those that the plan tells.
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
    """Yield job, name and what is made of the tree of every unit, in the order of the plan.

    Args:
        run: the run.
        rule: of the step.
        made: from a unit's tree to what it is.
        jobs: whose units; None: of all jobs of the step.

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
