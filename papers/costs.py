"""What the whole paper costs by the cost model, figure by figure, and the page that says so.

A GPU that nobody has timed has constants from a data sheet and from assumptions that are named. They say in which order
of magnitude GPU-hours lie, and no more; ``aiq estimate --save`` on a GPU gives measured ones.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from aiq.config.base import BUILT_IN, Calibration, render_calibration
from aiq.config.load import read
from aiq.plans import workflow
from aiq.plans.run import Run, SuiteRun
from aiq.records.table import Display, words
from aiq.run.costing import THREADED, StageCost
from aiq.run.expected import expected
from aiq.storage.files import replacing
from papers import planned as experiments

# ---- the modelled GPU ----------------------------------------------------------------------------

GPU = "NVIDIA A100, 40 GB"
PEAK = 19.5e12  # floating-point operations a second in single precision without tensor cores, by the maker's data sheet
MEMORY = 1.555e12  # bytes a second of its memory, by the same data sheet
SHARE = 0.1  # share of the peak that small networks are assumed to reach
KERNEL = 2.5e-6
"""Seconds that a small operation of a recorded CUDA graph is assumed to take, however little it computes."""
KERNELS = 40  # operations of a step of a population, see ``training.launching``
UPDATED = 28
"""Bytes that a step of Adam reads and writes for every parameter: weight, gradient and two moments, three written."""
CHUNK = 16  # convolutional networks that share the operations of a step, of two depths


def modelled(share: float = SHARE) -> Calibration:
    """Return the constants of the modelled GPU, at a share of its peak in (0, 1]."""
    return BUILT_IN.model_copy(
        update={
            "machine": f"{GPU}, modelled at {share:.0%} of its peak",
            "step": KERNELS * KERNEL,
            "layer": 0.0,
            "parameter": 2 * UPDATED / MEMORY,  # half of the memory's speed
            "operation": 1 / (share * PEAK),
            "convolution_step": 2 * KERNELS * KERNEL / CHUNK,
            "convolution_operation": 1 / (share * PEAK),
        }
    )


# ---- costs of figures ----------------------------------------------------------------------------

PAPER_HOURS = 950_000  # compute hours that the paper reports in its acknowledgments
FURTHER = ("domains", "reduction")
NEEDED = {
    "complexity": ("trials", *FURTHER),
    "entropy": ("baseline", *FURTHER),
    "dissimilarity": ("mixtures", "alone", *FURTHER),
    "all": ("trials", "agents", "mixtures", "alone", "baseline", "outside", *FURTHER),
}
"""What a figure asks of its run -> the stages that this takes."""
SENTENCES = (
    "new: what no figure above has trained; figures of one pool, and figures of one suite, share their trainings",
    "at most: deep Q-learning stops at convergence, which is counted at its full number of steps",
    "core-hours are modelled for one core of the calibration (x86-64, torch with one thread), not timed",
    f"GPU-hours are modelled, not timed: {GPU}, {PEAK / 1e12:g} TFLOP/s in single precision and "
    f"{MEMORY / 1e9:,.0f} GB/s by its data sheet, {SHARE:.0%} of that peak assumed, and {KERNELS} "
    f"operations a step of {KERNEL * 1e6:g} microseconds each; played worlds are simulated on the processor (–); timed "
    "were pools of 96 on five sets of pictures, on an H100 that 10 to 20 processes shared: .23 hours, here .26",
)


@dataclass(frozen=True, slots=True)
class FigureCost:
    """What a figure costs if nothing was trained before, and what of it is added by what no figure above has trained.

    ``added_gpu_hours``: on the modelled GPU; None where worlds are simulated on the processor. ``at_most``: a rule of
    convergence may stop trainings earlier.
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

    @property
    def cells(self) -> tuple[object, ...]:
        """Its row, rounded so that a page does not change with the last digit."""
        bound = "at most " if self.at_most else ""

        def hours(value: float) -> str:
            return f"{bound if value >= 0.05 else ''}{value:,.1f}" if value < 100 else f"{bound}{value:,.0f}"

        on_gpu = None if self.added_gpu_hours is None else f"{self.added_gpu_hours:,.1f}"
        return (self.name, self.title, self.domains, f"{self.trainings:,}", hours(self.core_hours),
                f"{self.added_trainings:,}", hours(self.added_core_hours), on_gpu)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PaperCost:
    """What all figures cost, in the paper's order, and the AIQ benchmark by itself."""

    figures: tuple[FigureCost, ...]
    benchmark: FigureCost

    @property
    def core_hours(self) -> float:
        """Hours of cores of all figures, what they share counted once."""
        return sum(figure.added_core_hours for figure in self.figures)

    @property
    def gpu_hours(self) -> float:
        """Hours of the modelled GPU of all figures that can be trained on one."""
        return sum(figure.added_gpu_hours or 0.0 for figure in self.figures)

    @property
    def simulated(self) -> float:
        """Core-hours of the figures whose worlds are simulated on the processor."""
        return sum(figure.added_core_hours for figure in self.figures if figure.added_gpu_hours is None)

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
        sums = {"core_hours": self.core_hours, "gpu_hours": self.gpu_hours}
        return {"scale": "paper", **asdict(self), **sums, "gpu": modelled().machine, "paper_hours": PAPER_HOURS}

    def display(self) -> Display:
        """Return the table for the screen and the page."""
        columns = ("figure", "what", "domains", "trainings alone", "core-hours alone", "new trainings",
                   "new core-hours", "new GPU-hours")  # fmt: skip
        rows = tuple(figure.cells for figure in (*self.figures, self.benchmark))
        return Display("what the paper costs by the cost model", columns, rows, (self.sentence, *SENTENCES))


def paper_cost() -> PaperCost:
    """Return what the figures of the paper cost at its scale; no data are read and nothing is timed."""
    seen: set[tuple[str, str]] = set()
    suite_of = cache(lambda owner: _suite(experiments.planned(owner, "paper").raw))
    figures = []
    for name in [name for name in experiments.names() if "-" not in name]:
        experiment = experiments.experiment(name)
        owner = experiment.like or name
        stages = dict.fromkeys(stage for what in experiment.makes for stage in NEEDED[what])
        parts = list(suite_of(owner).parts(stages, owner))
        figures.append(_cost(name, experiment.title, suite_of(owner), parts, seen))
    whole = _suite(dict(read(Path(workflow.examples()) / "benchmark.yaml")))
    title, parts = "the AIQ benchmark by itself, with 20 agents", list(whole.parts(NEEDED["all"], "benchmark"))
    return PaperCost(tuple(figures), _cost("benchmark", title, whole, parts, set()))


_Part = tuple[tuple[str, str], int, float, float]
"""A pool on one domain, or another stage: what tells it from all others, trainings, core-hours and GPU-hours."""


@dataclass(frozen=True, slots=True)
class _Suite:
    """A run's cost by stage, the seconds of the GPU, and the shares of its domains in its trials."""

    run: SuiteRun
    stages: dict[str, StageCost]
    on_gpu: dict[str, float]
    shares: dict[str, float]
    at_most: bool

    def parts(self, names: Iterable[str], owner: str) -> Iterator[_Part]:
        """Yield the parts of stages."""
        for stage in [self.stages[name] for name in names if name in self.stages]:
            of_all = {owner: 1.0}
            if stage.stage == "trials":
                of_all = {str(self.run.plan.trials(name)): share for name, share in self.shares.items()}
            for which, share in of_all.items():
                hours = share * stage.core_seconds / 3600
                on_gpu = share * self.on_gpu.get(stage.stage, 0.0) / 3600
                yield (stage.stage, which), stage.trainings // len(of_all), hours, on_gpu


def _suite(raw: dict[str, Any]) -> _Suite:
    run = Run.of(raw, measure="aiq")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gpu.json"
        path.write_text(render_calibration(modelled()), encoding="utf-8")
        jobs = raw.get("jobs", {}) | {"calibration": str(path)}
        cost, faster = expected(run), expected(Run.of(raw | {"jobs": jobs}, measure="aiq"))
    each = {name: run.plan.sizing.costs.chunk(name).seconds for name in run.configuration.domains}
    return _Suite(
        run,
        {stage.stage: stage for stage in cost.stages},
        {stage.stage: stage.training_seconds for stage in faster.stages if stage.stage in THREADED},
        {name: seconds / sum(each.values()) for name, seconds in each.items()},
        cost.upper_bound,
    )


def _cost(name: str, title: str, suite: _Suite, parts: list[_Part], seen: set[tuple[str, str]]) -> FigureCost:
    """Return the sums over the parts of a figure, all of them and those not seen yet, and add these to the seen."""
    new = [part for part in parts if part[0] not in seen]
    seen.update(key for key, *_ in new)
    _, trainings, hours, _ = zip(*parts, strict=True)
    _, added, added_hours, on_gpu = zip(*new, strict=True) if new else [()] * 4
    c = suite.run.configuration
    sums = (sum(trainings), sum(hours), sum(added), sum(added_hours), None if c.control else sum(on_gpu))
    return FigureCost(name, title, len(c.domains), *sums, suite.at_most)


# ---- the page ------------------------------------------------------------------------------------

START = """# What the whole paper costs

Written by `aiq experiment --costs -o docs/runs/full-paper.md`, from the settings in `papers/experiments/` at the scale
`paper` and in `config/benchmark.yaml`, by the cost model that `aiq estimate` uses. None of this was run as it
stands. What was run, in small and with all pictures: [experiments](experiments.md); how to run one of these on a
cluster: [cluster](../how-to/cluster.md); how this page comes about:
[claims](../methods/claims.md#what-the-whole-paper-costs).
"""
END = """Why the sum is so much smaller than the number in print cannot be told from the paper: it does not say what an
hour is, how many policies a pool had, how often an experiment was repeated, or what was tried before. Three things make
ours small: networks of a pool train together; ends of a domain are trained once; pictures are 32 × 32 and grey. Where
the paper leaves a number open, hours grow in proportion to the one that we took.

On another machine: `aiq estimate CONFIG --save FILE` measures a calibration; on a GPU with `device: cuda`.
"""


def write_costs(cost: PaperCost, path: str | Path) -> None:
    """Write the page of what the paper costs."""
    with replacing(path) as temporary:
        temporary.write_text(cost_page(cost), encoding="utf-8")


def cost_page(cost: PaperCost) -> str:
    """Return the page of what the paper costs as Markdown."""
    display = cost.display()
    first, *others = (f"{sentence[0].upper()}{sentence[1:]}." for sentence in display.sentences)
    lines = [START, f"**{first}**", ""]
    lines += ["| " + " | ".join(display.columns) + " |", "|---|---|---:|---:|---:|---:|---:|---:|"]
    lines += ["| " + " | ".join(map(words, row)) + " |" for row in display.rows]
    lines += ["", "Words:", "", *(f"- {sentence}" for sentence in others)]
    return "\n".join([*lines, "", END])
