"""The figure of an experiment, from whatever of its results is there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from aiq import figures
from aiq.errors import InputError
from aiq.figures import Drawing
from aiq.plans.run import SuiteRun
from aiq.records.estimate import Estimate
from aiq.run.reducing.dissimilarity import without_controls
from papers.claims import CLAIMS
from papers.claims.evidence import Evidence, LackingError, pair_name
from papers.claims.numbers import Measured
from papers.claims.played import CONVERGED
from papers.claims.shapes import Places
from papers.figures import Points, Variants, complexity_apart, normalised, variants
from papers.planned import Planned
from papers.reading import of_suite
from papers.stored import Stored, paper_stored, stored_of

SuiteFigure = Callable[[SuiteRun, Evidence, Stored], Drawing]
BITS = "complexity (bits)"
PAPER_READING = (
    "By the paper's own reading of the same trainings: minima, plain areas, all dimensions, volumes; noise counts as "
    "difference."
)


def draw_experiment(planned: Planned, reading: str = "default") -> Drawing:
    """Draw the figure of an experiment from its results; ``reading``: a suite by the defaults or as the paper does."""
    name, root = planned.experiment.experiment, Path(str(planned.run.layout.root))
    e = of_suite(root, planned.raw, name, planned.scale, tuple(planned.experiment.claims), beside=False)
    if name in SERIES:
        if reading == "paper":
            raise InputError(f"{name} is drawn by the defaults; aiq claims has its numbers by the paper's reading")
        return variants(SERIES[name](e))
    kept = stored_of(planned.run, exact=True)
    try:
        drawn = SUITES[name](planned.run, e, paper_stored(planned.run, kept) if reading == "paper" else kept)
    except LackingError as error:
        raise InputError(f"{error}; finish the experiment first") from error
    paper = "; ".join(dict.fromkeys(CLAIMS[claim].paper for claim in planned.experiment.claims))
    read = f" {PAPER_READING}" if reading == "paper" else ""
    return replace(drawn, caption=f"{drawn.caption}{read} The paper: {paper}.")


# ---- figures of variants -------------------------------------------------------------------------


def _points(numbers: Measured | None, places: Places) -> Points:
    """Return the numbers at their places, those that were measured, each with its interval."""
    if numbers is None:
        return ()
    method = "as in the tables of the run"
    return tuple(
        (x, Estimate(numbers[name], numbers.margin({name: 1.0}).bounds(), len(numbers.parts), method))
        for x, name in places
        if name in numbers
    )


def _made(
    setting: str, quantity: str, numbers: Measured | None, places: Places, degree: int, paper: str,
    entropy: Points = (), label: str = "",
) -> Variants:  # fmt: skip
    """Return a series: every number with its interval, and that of its difference from the first."""
    points = _points(numbers, places)
    if numbers is None or len(points) < 2:
        raise InputError(f"{len(points)} variants were measured; finish the experiment first")
    first, *later = (name for _, name in places if name in numbers)
    apart = (None, *(numbers.margin({name: 1.0, first: -1.0}).bounds() for name in later))
    return Variants(setting, quantity, points, degree, entropy, label if entropy else "", paper, apart)


def _variants(
    claim: str, setting: str, degree: int, along: tuple[str, str, float] | None, label: str = "", of: str = "entropy"
) -> Callable[[Evidence], Variants]:
    """Return what makes the series of complexities along a setting, or classes; with a label also of entropies."""

    def made(e: Evidence) -> Variants:
        at = e.along(*along) if along else e.classes("cifar100", 100) or e.classes("cifar10", 10)
        entropy = _points(getattr(e, of), at) if label else ()
        return _made(setting, BITS, e.complexity, at, degree, CLAIMS[claim].paper, entropy, label)

    return made


def _f13(e: Evidence) -> Variants:
    places = e.classes("cifar10", 10)
    if not places or places[-1][0] != 10:
        raise InputError("CIFAR10 is not in the run; finish the experiment first")
    pairs = [(n, pair_name(name, places[-1][1])) for n, name in places]
    quantity = "signed area of CIFAR10 with its first N classes"
    return _made("classes", quantity, e.dissimilarity, pairs, 1, CLAIMS["F13"].paper)


def _f15(e: Evidence) -> Variants:
    """Return the complexities of CIFAR10's first N classes against the areas walked to them, step by step."""
    names = [name for _, name in e.classes("cifar10", 10)]
    steps = [pair_name(a, b) for a, b in pairwise(names)]
    c, d = e.numbers("complexity"), e.numbers("dissimilarity")
    if any(name not in c for name in names) or any(step not in d for step in steps):
        raise InputError(
            "complexities or areas of neighbouring subsets are not in the run; finish the experiment first"
        )
    walked = np.cumsum([0.0, *(d[step] for step in steps)])
    if not (np.diff(walked) > 0).all():
        raise InputError(
            "a step's area is not above 0, so that the subsets do not lie in a row; there is nothing to draw"
        )
    label = f"sum of the signed areas from step to step, {', '.join(names)} (their errors are not shown)"
    places = list(zip(walked.tolist(), names, strict=True))
    return _made(label, BITS, c, places, 1, f"{CLAIMS['F15'].paper} of both")


OBSERVATION, PICTURE = "entropy (bits per observation)", "entropy (bits per picture)"
PICTURES = "entropy of all pictures (bits)"
SERIES: Mapping[str, Callable[[Evidence], Variants]] = {
    "f06": _variants("F6", "classes", 2, None),
    "f07": _variants("F7", "force of a push (N)", 1, ("cartpole", "force", 10.0)),
    "f08": _variants("F8", "gravity (m/s²)", 1, ("cartpole", "gravity", 9.8), OBSERVATION),
    "f09": _variants("F9", "share of pixels replaced by noise", 2, ("mnist", "noise", 0.0), PICTURE),
    "f10": _variants("F10", "copies of the data set", 1, ("mnist", "duplicate", 1), PICTURES, "entropy_total"),
    "f13": _f13,
    "f15": _f15,
}
"""Experiment -> what makes its series."""


# ---- figures of a suite --------------------------------------------------------------------------


LACKING = {
    "suite": "no dissimilarity was measured", "space": "the domains were not placed in a space",
    "scores": "no agent was scored", "apti": "no agent was compared with a baseline",
}  # fmt: skip


def _need(kept: Stored, what: str) -> Any:
    """Return a result that is there; raises InputError where it is not."""
    result = getattr(kept, what)
    if result is None:
        raise InputError(f"{LACKING[what]}; finish the experiment first")
    return result


def _normalised(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    complexity = {name: record.complexity.estimate for name, record in kept.complexity.items()}
    return normalised(complexity, {name: entropy.mean for name, entropy in kept.entropy.items()})


def _complexities(draw: Callable[..., Drawing]) -> SuiteFigure:
    def drawn(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
        records = {name: record.complexity for name, record in kept.complexity.items()}
        return draw(records, unit=run.configuration.complexity.size)

    return drawn


def _curve(a: str, b: str) -> SuiteFigure:
    def drawn(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
        own = _need(kept, "suite").pair(e.need(a), e.need(b))
        pair = figures.MixturePair.of(own.a, own.b, own.measured, own.curves)
        return figures.mixture_curve(pair, note=without_controls(run.configuration))

    return drawn


def _matrix(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    suite = _need(kept, "suite")
    records = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    note = without_controls(run.configuration)
    return figures.dissimilarity_matrix(
        records, domains=suite.domains, floor=suite.floor, completion=suite.completion, note=note
    )


def _placed(run: SuiteRun, e: Evidence, kept: Stored, hull: bool = False) -> Drawing:
    """Draw the space, and with it the hull of the best agent where it is asked for."""
    space, agents = _need(kept, "space"), {}
    if hull:
        scored = _need(kept, "scores")
        best = scored.scores.agents[0].agent
        agents[best] = [float(scored.repetitions(best, name).mean()) for name in space.domains]
    draw = figures.space_solid if space.dimensions > 2 else figures.space_plane
    return draw(space, agents=agents)


def _handicap(most: float = math.inf) -> SuiteFigure:
    """Return what draws networks of known size, up to a number of nodes per layer."""

    def drawn(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
        sizes = {a.name: (a.layers, a.width) for a in run.configuration.agents.networks if a.width <= most}
        return figures.handicap(_need(kept, "scores").scores, sizes, even=True)

    return drawn


def _apti(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    return figures.agent_scores(_need(kept, "apti").scores, scaled_by="APTI")


SUITES: Mapping[str, SuiteFigure] = {
    "f05": _normalised,
    "f11": _curve("mnist", "mnist"),
    "f12": _curve("mnist", "cifar10"),
    "f18": _complexities(complexity_apart),
    "f20": _handicap(),
    "f21": _handicap(CONVERGED),
    "f26": _placed,
    "f27": partial(_placed, hull=True),
    "f28": _handicap(),
    "f29": _apti,
    **dict.fromkeys(("f14", "f17", "f17-classes", "f24"), _matrix),
    **dict.fromkeys(("f16", "f23", "f23-view", "f23-balls"), _complexities(figures.complexity_values)),
    **dict.fromkeys(("f19", "f25"), lambda run, e, kept: figures.contributions(_need(kept, "space"))),
}
"""Experiment -> what draws its figure."""
