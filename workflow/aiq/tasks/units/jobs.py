"""Do the jobs of a measure's steps, and read what they stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

from aiq import storage
from aiq.plans.rules import Job
from aiq.plans.run import Run
from aiq.plans.units import Step
from aiq.storage import hdf5, shards
from aiq.storage.records import pack
from aiq.tasks.shell.units import FORGETFUL, take_over

AnyRun = Run[Any, Any, Any]
T = TypeVar("T")


def do_step(run: AnyRun, rule: str, at: Job) -> None:
    """Do one job of a step that a plan declares."""
    do_job(run, run.plan.step(rule), run.plan.job(rule, at.words), at)


def do_job(run: AnyRun, step: Step, job: Any, at: Job) -> None:
    """Do a job and store what it gives; see ``Step.does``."""
    plan, seed, target = run.plan, run.configuration.seed, at.makes[0]
    module, _, name = step.does.partition(":")
    gave = getattr(import_module(module), name)(run, job, at)
    fingerprint = step.follows(plan, job)
    if step.units is not None:
        wanted = step.units(plan, job)

        def make(name: str) -> shards.Unit:
            return shards.Unit(wanted[name], gave(name))

        units = take_over(target, step.kind, wanted, make, at.keeper or FORGETFUL)
        shards.write(target, step.kind, fingerprint, seed, units)
    elif gave is not None:
        tree = gave if isinstance(gave, Mapping) else pack(gave)
        hdf5.write(target, hdf5.Header(step.kind, fingerprint, seed), tree)


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
                found = made(units[name].tree)
            yield job, name, found


def read_stored(run: AnyRun, rule: str, record: type[T], job: Any = None) -> T:
    """Return the record that a job of a step has stored.

    Raises:
        StorageError: it is missing, damaged or of another configuration.
    """
    step = run.plan.step(rule)
    return storage.read_result(run.plan.files(rule, [job])[0], step.kind, record, step.follows(run.plan, job))
