"""What the whole paper costs by the cost model, figure by figure, and the page that says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from aiq.config.jobs import Calibration
from aiq.config.load import read
from aiq.plans import workflow
from aiq.plans.run import Run, SuiteRun
from aiq.records.table import Shown
from aiq.run.costing import THREADED
from aiq.run.costs.expected import expected
from papers import gpu_cost as gpu
from papers import planned as experiments

PAPER_HOURS = 950_000
"""Compute hours that the paper reports in its acknowledgments."""
FURTHER = ("domains", "reduction")
NEEDED = {
    "complexity": ("trials", *FURTHER),
    "entropy": ("baseline", *FURTHER),
    "dissimilarity": ("mixtures", "alone", *FURTHER),
    "all": ("trials", "agents", "mixtures", "alone", "baseline", "outside", *FURTHER),
}
"""What a figure asks of its run -> the stages that this takes."""


@dataclass(frozen=True, slots=True)
class FigureCost:
    """What a figure costs.

    Attributes:
        name: of its experiment.
        title: what it shows.
        domains: of its suite.
        trainings: that it takes if nothing was trained before.
        core_hours: likewise.
        added_trainings: those that no figure above has trained.
        added_core_hours: of these.
        added_gpu_hours: of these, trained on the modelled GPU; None where worlds are simulated on the processor.
        at_most: a rule of convergence may stop trainings earlier.
    """

    name: str
    title: str
    domains: int
    trainings: int
    core_hours: float
    added_trainings: int
    added_core_hours: float
    added_gpu_hours: float | None
    at_most: bool

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {key: getattr(self, key) for key in FigureCost.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class PaperCost:
    """What all figures cost, in the paper's order, and the AIQ benchmark by itself."""

    figures: tuple[FigureCost, ...]
    benchmark: FigureCost

    @property
    def core_hours(self) -> float:
        """Hours of cores of all figures, what they share counted once."""
        return sum(one.added_core_hours for one in self.figures)

    @property
    def gpu_hours(self) -> float:
        """Hours of the modelled GPU of all figures that can be trained on one."""
        return sum(one.added_gpu_hours or 0.0 for one in self.figures)

    @property
    def simulated(self) -> float:
        """Core-hours of the figures whose worlds are simulated on the processor."""
        return sum(one.added_core_hours for one in self.figures if one.added_gpu_hours is None)

    @property
    def sentence(self) -> str:
        """The sums against the paper's number."""
        pictures = self.core_hours - self.simulated
        return (
            f"together at most {self.core_hours:,.0f} core-hours ({pictures:,.0f} of pictures, {self.simulated:,.0f} "
            f"of played worlds); the paper reports about {PAPER_HOURS:,} hours, "
            f"{PAPER_HOURS / self.core_hours:,.0f} times as many; on the modelled GPU the pictures take "
            f"{self.gpu_hours:,.1f} hours"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq experiment --costs --json`` prints."""
        return {
            "scale": "paper",
            "figures": [one.as_dict() for one in self.figures],
            "benchmark": self.benchmark.as_dict(),
            "core_hours": self.core_hours,
            "gpu_hours": self.gpu_hours,
            "gpu": gpu.modelled().machine,
            "paper_hours": PAPER_HOURS,
        }

    def shown(self) -> Shown:
        """Return the table for the screen and the page."""
        columns = ("figure", "what", "domains", "trainings alone", "core-hours alone", "new trainings",
                   "new core-hours", "new GPU-hours")  # fmt: skip
        rows = tuple(_row(one) for one in (*self.figures, self.benchmark))
        return Shown("what the paper costs by the cost model", columns, rows, (self.sentence, *SENTENCES))


SENTENCES = (
    "new: what no figure above has trained; figures of one pool, and figures of one suite, share their trainings",
    "at most: deep Q-learning stops at convergence, which is counted at its full number of steps",
    "core-hours are modelled for one core of the calibration (x86-64, torch with one thread), not timed",
    f"GPU-hours are modelled, for no GPU was timed: {gpu.NAME}, {gpu.PEAK / 1e12:g} TFLOP/s in single precision and "
    f"{gpu.MEMORY / 1e9:,.0f} GB/s by its data sheet, {gpu.SHARE:.0%} of that peak assumed, and {gpu.KERNELS} "
    f"operations a step of {gpu.KERNEL * 1e6:g} microseconds each; played worlds are simulated on the processor (–)",
)


def paper_cost() -> PaperCost:
    """Return what the figures of the paper cost at its scale; no data are read and nothing is timed."""
    seen: set[tuple[str, str]] = set()
    whole = cache(_whole)
    figures = tuple(_figure(name, whole, seen) for name in experiments.names() if "-" not in name)
    return PaperCost(figures, _benchmark())


@dataclass(frozen=True, slots=True)
class _Part:
    """A pool on one domain, or another stage of a suite: what tells it from all others, and what it costs."""

    key: tuple[str, str]
    trainings: int
    core_hours: float
    gpu_hours: float


@dataclass(frozen=True, slots=True)
class _Suite:
    """A run's seconds and trainings by stage, and those of the GPU, and the shares of its domains in its trials."""

    run: SuiteRun
    seconds: dict[str, float]
    trainings: dict[str, int]
    on_gpu: dict[str, float]
    shares: dict[str, float]
    at_most: bool

    def parts(self, stages: tuple[str, ...], owner: str) -> Iterator[_Part]:
        """Yield the parts of stages."""
        for stage in stages:
            if stage == "trials":
                for name, share in self.shares.items():
                    count = self.trainings[stage] // len(self.shares)
                    yield self._part(stage, str(self.run.plan.trials(name)), share, count)
            elif stage in self.seconds:
                yield self._part(stage, owner, 1.0, self.trainings[stage])

    def _part(self, stage: str, which: str, share: float, trainings: int) -> _Part:
        """Return a share of a stage."""
        on_gpu = share * self.on_gpu.get(stage, 0.0) / 3600
        return _Part((stage, which), trainings, share * self.seconds[stage] / 3600, on_gpu)


def _whole(owner: str) -> _Suite:
    """Return what the suite of an experiment costs at the paper's scale."""
    return _suite(experiments.planned(owner, "paper").raw)


def _suite(raw: dict[str, Any]) -> _Suite:
    """Return what a suite costs, on cores and on the modelled GPU."""
    run = _run(raw, None)
    cost, faster = expected(run), expected(_run(raw, gpu.modelled()))
    costs = run.plan.sizing.costs
    each = {name: costs.chunk(name).seconds for name in run.configuration.domains}
    return _Suite(
        run,
        {one.stage: one.core_seconds for one in cost.stages},
        {one.stage: one.trainings for one in cost.stages},
        {one.stage: one.training_seconds for one in faster.stages if one.stage in THREADED},
        {name: seconds / sum(each.values()) for name, seconds in each.items()},
        cost.upper_bound,
    )


def _run(raw: dict[str, Any], calibration: Calibration | None) -> SuiteRun:
    """Return a run whose costs are those of a machine; None is the built-in one."""
    jobs = raw.get("jobs", {}) | ({} if calibration is None else {"calibration": calibration})
    run: SuiteRun = Run.of(raw | {"jobs": jobs}, measure="aiq")
    return run


def _figure(name: str, whole: Callable[[str], _Suite], seen: set[tuple[str, str]]) -> FigureCost:
    """Return what a figure costs, and add its parts to those that were seen."""
    found = experiments.experiment(name)
    owner = found.like or name
    stages = tuple(dict.fromkeys(stage for what in found.makes for stage in NEEDED[what]))
    return _cost(name, found.title, whole(owner), stages, owner, seen)


def _benchmark() -> FigureCost:
    """Return what the AIQ benchmark costs by itself."""
    raw = dict(read(Path(workflow.examples()) / "benchmark.yaml"))
    title = "the AIQ benchmark by itself, with 20 agents"
    return _cost("benchmark", title, _suite(raw), NEEDED["all"], "benchmark", set())


def _cost(
    name: str, title: str, suite: _Suite, stages: tuple[str, ...], owner: str, seen: set[tuple[str, str]]
) -> FigureCost:
    """Return the sums over the parts of a figure: all of them, and those that were not seen yet."""
    parts = list(suite.parts(stages, owner))
    new = [part for part in parts if part.key not in seen]
    seen.update(part.key for part in new)
    c = suite.run.configuration
    return FigureCost(
        name,
        title,
        len(c.domains),
        sum(part.trainings for part in parts),
        sum(part.core_hours for part in parts),
        sum(part.trainings for part in new),
        sum(part.core_hours for part in new),
        None if c.control else sum(part.gpu_hours for part in new),
        suite.at_most,
    )


def _row(one: FigureCost) -> tuple[object, ...]:
    """Return the cells of a figure, rounded so that a page does not change with the last digit."""
    bound = "at most " if one.at_most else ""

    def hours(value: float) -> str:
        return f"{bound if value >= 0.05 else ''}{value:,.1f}" if value < 100 else f"{bound}{value:,.0f}"

    gpu_hours = None if one.added_gpu_hours is None else f"{one.added_gpu_hours:,.1f}"
    return (one.name, one.title, one.domains, f"{one.trainings:,}", hours(one.core_hours),
            f"{one.added_trainings:,}", hours(one.added_core_hours), gpu_hours)  # fmt: skip
