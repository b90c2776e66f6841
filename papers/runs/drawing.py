"""The figure of an experiment, from whatever of its results is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from aiq.errors import InputError, choice
from aiq.figures.variants import Points, Variants
from aiq.plans.run import SuiteRun
from aiq.records.estimate import Estimate
from aiq.run.reducing.dissimilarity import without_controls
from papers.claims.evidence import Evidence, LackingError, pair_name
from papers.claims.numbers import Measured
from papers.claims.played import CONVERGED
from papers.claims.registry import CLAIMS
from papers.claims.shapes import Places
from papers.planned import Planned
from papers.runs.paper_reading import paper_stored
from papers.runs.reading import of_suite
from papers.runs.stored import Stored, stored_of

if TYPE_CHECKING:
    from aiq.figures import Drawing

Result = TypeVar("Result")
SuiteFigure = Callable[[SuiteRun, Evidence, Stored], "Drawing"]
BITS = "complexity (bits)"
PAPER_READING = (
    "By the paper's own reading of the same trainings: minima, plain areas, all dimensions, volumes; noise counts as "
    "difference."
)


def draw_experiment(planned: Planned, reading: str = "default") -> Drawing:
    """Draw the figure of an experiment from its results, with what the paper reports in the caption.

    Args:
        planned: the experiment.
        reading: ``paper`` draws the numbers of a suite as the paper takes them, from the same trainings, without
            intervals.

    Raises:
        InputError: what it shows was not measured yet, or is drawn by the defaults alone.
    """
    from aiq.figures import variants

    name, root = planned.experiment.experiment, Path(str(planned.run.layout.root))
    e = of_suite(root, planned.raw, name, planned.scale, tuple(planned.experiment.claims), beside=False)
    if name in SERIES:
        if reading == "paper":
            raise InputError(f"{name} is drawn by the defaults; aiq claims has its numbers by the paper's reading")
        return variants(series(e, name))
    kept = stored_of(planned.run, exact=True)
    try:
        drawn = SUITES[name](planned.run, e, paper_stored(planned.run, kept) if reading == "paper" else kept)
    except LackingError as error:
        raise InputError(f"{error}; finish the experiment first") from error
    paper = "; ".join(dict.fromkeys(CLAIMS[claim].paper for claim in planned.experiment.claims))
    read = f" {PAPER_READING}" if reading == "paper" else ""
    return replace(drawn, caption=f"{drawn.caption}{read} The paper: {paper}.")


# ---- figures of variants -------------------------------------------------------------------------


def series(e: Evidence, figure: str) -> Variants:
    """Return what a figure of variants shows.

    Args:
        e: the numbers of the run.
        figure: such as ``f10``.

    Raises:
        InputError: the figure is of another kind, or fewer than two variants were measured.
    """
    if figure not in SERIES:
        raise InputError(choice("the figure of variants", figure, SERIES))
    return SERIES[figure](e)


def points(numbers: Measured | None, places: Places) -> Points:
    """Return the numbers at their places, those that were measured, each with its interval."""
    if numbers is None:
        return ()
    method = "as in the tables of the run"
    return tuple(
        (x, Estimate(numbers[name], numbers.margin({name: 1.0}).bounds(), len(numbers.parts), method))
        for x, name in places
        if name in numbers
    )


def differences(numbers: Measured | None, places: Places) -> tuple[tuple[float, float] | None, ...]:
    """Return the ends of the interval of each number's difference from the first, in the order of ``points``."""
    names = [] if numbers is None else [name for _, name in places if name in numbers]
    if numbers is None or not names:
        return ()
    later = [numbers.margin({name: 1.0, names[0]: -1.0}).bounds() for name in names[1:]]
    return (None, *later)


def _made(
    setting: str, quantity: str, numbers: Measured | None, places: Places, degree: int, paper: str,
    entropy: Points = (), label: str = "",
) -> Variants:  # fmt: skip
    """Return a series.

    Raises:
        InputError: it has fewer than two points.
    """
    at = points(numbers, places)
    if len(at) < 2:
        raise InputError(f"{len(at)} variants were measured; finish the experiment first")
    label = label if entropy else ""
    return Variants(setting, quantity, at, degree, entropy, label, paper, apart=differences(numbers, places))


def _variants(
    claim: str, setting: str, degree: int, places: Callable[[Evidence], Places], label: str = "", total: bool = False
) -> Callable[[Evidence], Variants]:
    """Return what makes the series of complexities of a figure, with entropies where a label is given."""

    def of(e: Evidence) -> Variants:
        at = places(e)
        entropy = points(e.entropy_total if total else e.entropy, at) if label else ()
        return _made(setting, BITS, e.complexity, at, degree, CLAIMS[claim].paper, entropy, label)

    return of


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
    walked = np.concatenate([[0.0], np.cumsum([d[step] for step in steps])])
    if not (np.diff(walked) > 0).all():
        raise InputError(
            "a step's area is not above 0, so that the subsets do not lie in a row; there is nothing to draw"
        )
    label = f"sum of the signed areas from step to step, {', '.join(names)} (their errors are not shown)"
    places = list(zip(walked.tolist(), names, strict=True))
    return _made(label, BITS, c, places, 1, f"{CLAIMS['F15'].paper} of both")


SERIES: Mapping[str, Callable[[Evidence], Variants]] = {
    "f06": _variants("F6", "classes", 2, lambda e: e.classes("cifar100", 100) or e.classes("cifar10", 10)),
    "f07": _variants("F7", "force of a push (N)", 1, lambda e: e.along("cartpole", "force", 10.0)),
    "f08": _variants(
        "F8", "gravity (m/s²)", 1, lambda e: e.along("cartpole", "gravity", 9.8), "entropy (bits per observation)"
    ),
    "f09": _variants(
        "F9",
        "share of pixels replaced by noise",
        2,
        lambda e: e.along("mnist", "noise", 0.0),
        "entropy (bits per picture)",
    ),
    "f10": _variants(
        "F10",
        "copies of the data set",
        1,
        lambda e: e.along("mnist", "duplicate", 1),
        "entropy of all pictures (bits)",
        total=True,
    ),
    "f13": _f13,
    "f15": _f15,
}
"""Experiment -> what makes its series."""


# ---- figures of a suite --------------------------------------------------------------------------


def _normalised(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    complexity = {name: one.complexity.estimate for name, one in kept.complexity.items()}
    entropy: dict[str, Estimate] = {name: one.mean for name, one in kept.entropy.items()}
    return figures.normalised(complexity, entropy)


def _complexities(figure: str) -> SuiteFigure:
    def drawn(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
        from aiq import figures

        records = {name: one.complexity for name, one in kept.complexity.items()}
        made: Drawing = getattr(figures, figure)(records, unit=run.configuration.complexity.size)
        return made

    return drawn


def _curve(a: str, b: str) -> SuiteFigure:
    def drawn(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
        from aiq import figures

        own = _there(kept.suite, UNMIXED).pair(e.need(a), e.need(b))
        pair = figures.MixturePair.of(own.a, own.b, own.measured, own.curves)
        return figures.mixture_curve(pair, note=without_controls(run.configuration))

    return drawn


def _matrix(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    suite = _there(kept.suite, UNMIXED)
    records = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    note = without_controls(run.configuration)
    return figures.dissimilarity_matrix(
        records, domains=suite.domains, floor=suite.floor, completion=suite.completion, note=note
    )


def _contributions(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    return figures.contributions(_there(kept.space, UNPLACED))


def _solid(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    space = _there(kept.space, UNPLACED)
    return figures.space_solid(space) if space.dimensions > 2 else figures.space_plane(space)


def _hulls(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    space, scored = _there(kept.space, UNPLACED), _there(kept.scores, UNSCORED)
    best = scored.scores.agents[0].agent
    means = [float(scored.repetitions(best, name).mean()) for name in space.domains]
    if space.dimensions > 2:
        return figures.space_solid(space, agents={best: means})
    return figures.space_plane(space, agents={best: np.array(means)})


def _handicap(most: int | None) -> SuiteFigure:
    """Return what draws networks of known size, up to a number of nodes per layer."""

    def drawn(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
        from aiq import figures

        networks = run.configuration.agents.networks
        sizes = {one.name: (one.layers, one.width) for one in networks if most is None or one.width <= most}
        return figures.handicap(_there(kept.scores, UNSCORED).scores, sizes, even=True)

    return drawn


def _apti(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    return figures.agent_scores(_there(kept.apti, "no agent was compared with a baseline").scores, scaled_by="APTI")


UNMIXED = "no dissimilarity was measured"
UNPLACED = "the domains were not placed in a space"
UNSCORED = "no agent was scored"


def _there(result: Result | None, lacking: str) -> Result:
    """Return a result that is there.

    Raises:
        InputError: it is not.
    """
    if result is None:
        raise InputError(f"{lacking}; finish the experiment first")
    return result


SUITES: Mapping[str, SuiteFigure] = {
    "f05": _normalised,
    "f11": _curve("mnist", "mnist"),
    "f12": _curve("mnist", "cifar10"),
    "f18": _complexities("complexity_apart"),
    "f20": _handicap(None),
    "f21": _handicap(CONVERGED),
    "f26": _solid,
    "f27": _hulls,
    "f28": _handicap(None),
    "f29": _apti,
    **dict.fromkeys(("f14", "f17", "f17-classes", "f24"), _matrix),
    **dict.fromkeys(("f16", "f23", "f23-view", "f23-balls"), _complexities("complexity_values")),
    **dict.fromkeys(("f19", "f25"), _contributions),
}
"""Experiment -> what draws its figure."""
