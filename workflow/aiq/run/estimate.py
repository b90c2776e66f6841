"""Estimate what a configuration will cost before anything runs: jobs, trials, core-hours, disk.

Every kind of work is timed on a small part of itself by what the jobs call, at two sizes; the line through both, at
full size, is the estimate. Process starts are timed too. With a convergence rule it is an upper bound: it counts
all epochs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiq.config.base import read_calibration, render_calibration
from aiq.errors import InputError
from aiq.plans.run import AnyRun, Run, measure_of
from aiq.run.costing import (
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
from aiq.storage.files import replacing


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


def by_samples(run: AnyRun, progress: Report) -> Cost:
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
    """Return the cost of some stages with that of reducing and showing what they found."""
    plan = run.plan
    made = plan.products()
    jobs, figures = len(plan.results()) + len(made), sum(len(product.figure_names(plan)) for product in made)
    asked = more.pop("asked", None) or Request.of(plan.requests())
    last = products(jobs, figures, start, jobs * JOB_BYTES)
    return Cost((*stages, last), start, asked=asked, outputs=outputs(plan), **more)


def _silent(what: str) -> None:
    """Say nothing."""


def estimate(config: Mapping[str, Any], progress: Report = _silent, origin: str = "configuration") -> Cost:
    """Time small parts of a configuration's work and return the cost of all of it, whatever it measures.

    Raises:
        AiqError: the configuration is wrong, or a data set or an agent's file is missing or unreadable.
    """
    run: AnyRun = Run.of(config, origin=origin)
    its = measure_of(run.configuration.measure)
    with _without_gymnasium_deprecations():
        cost: Cost = its.part("estimate")(run, progress)
    return cost


@contextmanager
def _without_gymnasium_deprecations() -> Iterator[None]:
    """Keep quiet what Gymnasium says about old environments, which published tests use on purpose."""
    import gymnasium.logger  # noqa: F401  # it sets a filter of its own when it is imported

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"gymnasium\.")
        yield


def expected(config: Mapping[str, Any], sheet: str | Path | None = None, origin: str = "configuration") -> Cost:
    """Return the cost of a configuration by the cost model alone: seconds for hundreds of domains, no data needed.

    Of measures without domains a short part of their own work is timed; what their jobs ask for is modelled.

    ``sheet``: sizes of domains whose source does not tell them (see ``run.costs.expected``).

    Raises:
        AiqError: the configuration or the sheet is wrong.
    """
    run: AnyRun = Run.of(config, origin=origin)
    measure = run.configuration.measure
    its = measure_of(measure)
    if its.expected:
        with _without_gymnasium_deprecations():
            cost: Cost = its.part("expected")(run, sheet)
        return cost
    if sheet is not None:
        raise InputError(f"the measure {measure} has no domains; leave the sheet of sizes out")
    return estimate(config, origin=origin)


def save_calibration(config: Mapping[str, Any], cost: Cost, path: str | Path) -> None:
    """Write the calibration of this machine; factors are on top of those that the configuration has already.

    Raises:
        StorageError: the file cannot be written.
    """
    run: AnyRun = Run.of(config)
    base = read_calibration(getattr(run.configuration.jobs, "calibration", None))
    with replacing(path) as temporary:
        temporary.write_text(render_calibration(cost.calibration(base)), encoding="utf-8")
