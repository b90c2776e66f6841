"""What a run of a measure will cost: small parts of its work, timed, for all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from aiq.tasks.shell.costing import (
    JOB_BYTES,
    Cost,
    Report,
    Request,
    StageCost,
    outputs,
    process_start,
    products,
    shard_bytes,
    timed,
)
from aiq.tasks.units.jobs import AnyRun


@dataclass(frozen=True, slots=True)
class Sample:
    """A small part of the work of a run's first step.

    Attributes:
        about: what is told while it is timed.
        work: does it, and returns the tree of a unit.
        times: as often does the whole run do it.
        units: such units are stored in the whole run,
        files: in so many files.
        trainings: that it stands for.
        modelled: seconds of the whole run by the cost model; 0 where there is none.
        seconds: of the whole run, where they are known without timing.
    """

    about: str
    work: Callable[[], Any]
    times: float
    units: float
    files: float
    trainings: int = 0
    modelled: float = 0.0
    seconds: float | None = None


def estimate(run: AnyRun, progress: Report) -> Cost:
    """Time the samples of a measure; all of them are of the first step."""
    plan = run.plan
    start = process_start(plan.steps[0].does.partition(":")[0])
    seconds, modelled, size, trainings = 0.0, 0.0, 0.0, 0
    for sample in plan.measure.part("samples")(run):
        progress(f"timing {sample.about}")
        gave: list[Any] = []
        taken = timed(lambda sample=sample, gave=gave: gave.append(sample.work()))  # type: ignore[misc]
        seconds += taken * sample.times if sample.seconds is None else sample.seconds
        modelled += sample.modelled
        size += shard_bytes(plan.steps[0].kind, [gave[-1]], sample.units, sample.files)
        trainings += sample.trainings
    jobs = len(plan.shards())
    name = plan.steps[0].path.partition("/")[0]
    stage = StageCost(name, jobs, trainings or jobs, seconds + jobs * start, seconds, size + jobs * JOB_BYTES)
    return cost_of(run, start, [stage], factors={name: seconds / modelled} if modelled else {})


def cost_of(run: AnyRun, start: float, stages: Iterable[StageCost], **more: Any) -> Cost:
    """Return the cost of some stages with that of reducing and showing what they found.

    Args:
        run: the run.
        start: seconds that a job takes to begin.
        stages: all that is done before.
        more: further fields of the cost.
    """
    plan = run.plan
    made = plan.products()
    jobs, figures = len(plan.results()) + len(made), sum(len(one.figure_names(plan)) for one in made)
    asked = more.pop("asked", None) or Request.of(plan.requests())
    last = products(jobs, figures, start, jobs * JOB_BYTES)
    return Cost((*stages, last), start, asked=asked, outputs=outputs(plan), **more)
