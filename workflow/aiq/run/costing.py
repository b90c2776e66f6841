"""What a run will cost before it is run: jobs, trials, core-hours, disk.

Every kind of work is timed on a small part of itself by what the jobs call, at two sizes; the line through both, at
full size, is the estimate. Process starts are timed too. With a convergence rule it is an upper bound: it counts
all epochs. Suites are also told by the cost model alone (``expected``).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aiq.config.base import BUILT_IN, Calibration, read_calibration, render_calibration
from aiq.errors import InputError
from aiq.plans.base import Plan
from aiq.plans.run import AnyRun, Run, measure_of
from aiq.records.table import Table
from aiq.storage import shards
from aiq.storage.files import replacing

THREADED = ("trials", "agents", "mixtures", "alone", "baseline")
"""Stages whose jobs hold the configured number of cores."""


Report = Callable[[str], None]
FIGURE_BYTES = 420_000  # of a figure in all its formats
FIGURE_SECONDS = 0.4  # to draw it
JOB_BYTES = 4_000  # log and benchmark of a job
PAGE_BYTES = 2_500_000  # the page of a run
LONGEST = 3.0  # seconds that one timing of a descendant should take at most, by the cost model
SHORTEST = 20  # cycles or interactions of a timing


@dataclass(frozen=True, slots=True)
class StageCost:
    """What one stage will cost: jobs, trainings in them, core-seconds of which in training, bytes written."""

    stage: str
    jobs: int
    trainings: int
    core_seconds: float
    training_seconds: float
    disk_bytes: float


@dataclass(frozen=True, slots=True)
class Request:
    """The largest memory in megabytes and the longest run time in minutes that jobs ask for first, with their rules."""

    megabytes: int = 1000
    minutes: int = 10
    largest: str = ""
    longest: str = ""

    @classmethod
    def of(cls, asked: Iterable[tuple[str, int, int]]) -> Request:
        """Return the largest of what jobs ask for: rule, megabytes, minutes of each."""
        request = cls()
        for rule, megabytes, minutes in asked:
            if megabytes > request.megabytes or not request.largest:
                request = replace(request, megabytes=megabytes, largest=rule)
            if minutes > request.minutes or not request.longest:
                request = replace(request, minutes=minutes, longest=rule)
        return request


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimate for a run, stage by stage, and how it was made.

    ``factors`` are measured seconds over those of the cost model, by kind of work, for a site's calibration.
    ``megabytes`` is what a training process was measured to hold besides its data; 0 where it was not.
    ``asked`` is what the largest and the longest job ask for at their first attempt, ``outputs`` counts the files that
    rules make, ``files_by`` how many files of a whole run each ``domain`` and each ``pair`` adds (empty for measures
    without pairs), ``assumed`` names domains whose sizes are assumptions. ``modelled`` says that nothing was timed.
    """

    stages: tuple[StageCost, ...]
    seconds_per_job: float
    upper_bound: bool = False
    device: str = "cpu"
    left_out: tuple[str, ...] = ()
    factors: Mapping[str, float] = field(default_factory=dict)
    asked: Request = field(default_factory=Request)
    outputs: int = 0
    threads: int = 1
    assumed: tuple[str, ...] = ()
    modelled: bool = False
    megabytes: float = 0.0
    files_by: Mapping[str, float] = field(default_factory=dict)

    @property
    def core_hours(self) -> float:
        """Hours of cores of all jobs together: a training job holds ``threads`` of them."""
        held = (s.core_seconds * (self.threads if s.stage in THREADED else 1) for s in self.stages)
        return sum(held) / 3600

    @property
    def gpu_hours(self) -> float:
        """Hours of GPUs of all jobs that train; 0 on a CPU."""
        if self.device == "cpu":
            return 0.0
        return sum(stage.core_seconds for stage in self.stages if stage.stage in THREADED) / 3600

    @property
    def inodes(self) -> int:
        """Files of a whole run: what rules make, a record of Snakemake for each, and three logs for every job."""
        return 2 * self.outputs + 3 * self.jobs

    @property
    def jobs(self) -> int:
        """Jobs of all stages."""
        return sum(stage.jobs for stage in self.stages)

    @property
    def trials(self) -> int:
        """Trainings (pairs of trials, tests, episodes) of all stages."""
        return sum(stage.trainings for stage in self.stages)

    @property
    def disk_bytes(self) -> float:
        """Bytes of all files."""
        return sum(stage.disk_bytes for stage in self.stages)

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return {
            "jobs": self.jobs,
            "trials": self.trials,
            "core_hours": self.core_hours,
            "gpu_hours": self.gpu_hours,
            "disk_bytes": self.disk_bytes,
            "inodes": self.inodes,
            **{f"inodes_per_{what}": count for what, count in self.files_by.items()},
            "largest_memory_mb": self.asked.megabytes,
            "longest_job_minutes": self.asked.minutes,
            "largest_job": self.asked.largest,
            "longest_job": self.asked.longest,
            "modelled": self.modelled,
            "assumed": list(self.assumed),
            "seconds_per_job": self.seconds_per_job,
            "upper_bound": self.upper_bound,
            "left_out": list(self.left_out),
            "stages": [dict(zip(self.table().columns, row, strict=True)) for row in self.table().rows],
        }

    def table(self) -> Table:
        """Return one row a stage."""
        columns = ("stage", "jobs", "trainings", "core_seconds", "training_seconds", "disk_bytes")
        return Table.of(columns, [[getattr(stage, name) for name in columns] for stage in self.stages])

    def calibration(self, base: Calibration = BUILT_IN) -> Calibration:
        """Return the constants of a cost model that would have said what was measured here."""
        base_factors = base.factors.model_dump()
        factors = {name: base_factors[name] * ratio for name, ratio in self.factors.items() if ratio > 0}
        on_cpu, megabytes = self.device == "cpu", self.megabytes
        held = {"megabytes": megabytes} if on_cpu else {"cuda_megabytes": max(0.0, megabytes - base.megabytes)}
        return base.model_copy(
            update={
                "machine": f"{os.uname().nodename}, {self.device}",
                "start": max(0.1, 2 * self.seconds_per_job),  # on a cluster Snakemake starts in every job, too
                "factors": base.factors.model_copy(update=factors),
                **(held if megabytes else {}),
            }
        )


def clock(device: str) -> Callable[[], float]:
    """Return what tells the seconds of work: the processor's on a CPU, where others may be at work, else the wall's."""
    return time.process_time if device == "cpu" else time.perf_counter


def timed(work: Callable[[], object]) -> float:
    """Return the processor seconds of the second of two runs: the first compiles."""
    work()
    begun = clock("cpu")()
    work()
    return clock("cpu")() - begun


def fitting(full: int, each: float) -> int:
    """Return how many of some steps of a cost can be timed."""
    return max(min(full, SHORTEST), min(full, int(LONGEST / each)))


def process_start(module: str = "aiq.run.training.trials") -> float:
    """Return the core-seconds that a job's process takes before it works."""
    before = os.times()
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def shard_bytes(kind: str, trees: Sequence[Mapping[str, Any]], units: float, files: float) -> float:
    """Return the bytes of some shards that hold some units in all, from shards of one and of two such units."""
    sizes = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (1, 2):
            path = Path(folder) / f"{count}.h5"
            tree = [trees[k % len(trees)] for k in range(count)]
            shards.write(path, kind, "", 0, {f"unit-{k:06d}": shards.Unit("0" * 16, t) for k, t in enumerate(tree)})
            sizes.append(path.stat().st_size)
    each = max(0, sizes[1] - sizes[0])
    return each * units + (sizes[0] - each) * files


def outputs(plan: Plan[Any, Any]) -> int:
    """Return the files that rules make: shards, results, figures (five each) and tables (two each)."""
    drawn = sum(5 * len(made.figure_names(plan)) + 2 * len(made.table_names(plan)) for made in plan.products())
    return len(plan.shards()) + len(plan.results()) + drawn


def products(jobs: int, figures: int, start: float, more: float = 0.0) -> StageCost:
    """Return what reducing, drawing and tabulating in so many jobs costs, and the job that writes the page."""
    seconds = (jobs + 1) * start + figures * FIGURE_SECONDS
    return StageCost("reduction", jobs + 1, 0, seconds, 0.0, figures * FIGURE_BYTES + PAGE_BYTES + more)


# ---- what is timed, whatever the measure ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sample:
    """A small part of the work of a run's first step, which returns the tree of a unit.

    ``about`` is told while it is timed. The whole run does it ``times`` times, stores so many ``units`` in so many
    ``files``, and takes ``modelled`` seconds by the cost model (0: there is none), or ``seconds`` where they are known.
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


def estimate(config: Mapping[str, Any], progress: Report = lambda what: None, origin: str = "configuration") -> Cost:
    """Time small parts of a configuration's work and return the cost of all of it, whatever it measures.

    Raises:
        AiqError: the configuration is wrong, or a data set or an agent's file is missing or unreadable.
    """
    run: AnyRun = Run.of(config, origin=origin)
    with _without_gymnasium_deprecations():
        cost: Cost = measure_of(run.configuration.measure).part("estimate")(run, progress)
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
    ``sheet``: sizes of domains whose source does not tell them (see ``run.expected``).

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
