"""The figure of an experiment, from its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aiq.errors import InputError, choice
from aiq.records.estimate import Estimate
from aiq.records.variants import Points, Variants
from papers.claims.evidence import Evidence, LackingError, pair_name
from papers.claims.numbers import Measured
from papers.claims.registry import CLAIMS
from papers.claims.shapes import Places
from papers.planned import Planned
from papers.runs.paper_reading import paper_stored
from papers.runs.reading import of_suite
from papers.runs.stored import stored_of
from papers.runs.suite_drawing import SUITES

if TYPE_CHECKING:
    from aiq.figures import Drawing

BITS = "complexity (bits)"
PAPER_READING = (
    "By the paper's own reading of the same trainings: minima, plain areas, all dimensions, volumes; noise counts as "
    "difference."
)


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


READINGS = ("default", "paper")


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


def points(found: Measured | None, places: Places) -> Points:
    """Return the numbers at their places, those that were measured, each with its interval."""
    known = [] if found is None else [(x, name) for x, name in places if name in found]
    made = []
    for x, name in known:
        assert found is not None
        ends = found.margin({name: 1.0}).bounds()
        made.append((x, Estimate(found[name], ends, len(found.parts), "as in the tables of the run")))
    return tuple(made)


def differences(found: Measured | None, places: Places) -> tuple[tuple[float, float] | None, ...]:
    """Return the ends of the interval of each number's difference from the first, in the order of ``points``."""
    names = [] if found is None else [name for _, name in places if name in found]
    if found is None or not names:
        return ()
    later = [found.margin({name: 1.0, names[0]: -1.0}).bounds() for name in names[1:]]
    return (None, *later)


def _variants(
    claim: str, setting: str, degree: int, places: Callable[[Evidence], Places], entropy: str = ""
) -> Callable[[Evidence], Variants]:
    """Return what makes the series of complexities of a figure, with entropies where a label is given."""

    def of(e: Evidence) -> Variants:
        at = places(e)
        total = "all pictures" in entropy
        beside = points(e.entropy_total if total else e.entropy, at) if entropy else ()
        found = _made(setting, BITS, points(e.complexity, at), degree, beside, entropy, CLAIMS[claim].paper)
        return replace(found, apart=differences(e.complexity, at))

    return of


def _made(setting: str, quantity: str, found: Points, degree: int, entropy: Points, label: str, paper: str) -> Variants:
    """Return a series.

    Raises:
        InputError: it has fewer than two points.
    """
    if len(found) < 2:
        raise InputError(f"{len(found)} variants were measured; finish the experiment first")
    return Variants(setting, quantity, found, degree, entropy, label if entropy else "", paper)


def _subsets(e: Evidence) -> Places:
    """Return the class subsets of CIFAR100, or of CIFAR10."""
    return e.classes("cifar100", 100) or e.classes("cifar10", 10)


def _f13(e: Evidence) -> Variants:
    """Return the areas of CIFAR10 with its first N classes."""
    places = e.classes("cifar10", 10)
    if not places or places[-1][0] != 10:
        raise InputError("CIFAR10 is not in the run; finish the experiment first")
    pairs = [(n, pair_name(name, places[-1][1])) for n, name in places]
    found = points(e.dissimilarity, pairs)
    made = _made("classes", "signed area of CIFAR10 with its first N classes", found, 1, (), "", CLAIMS["F13"].paper)
    return replace(made, apart=differences(e.dissimilarity, pairs))


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
    places = list(zip(walked.tolist(), names, strict=True))
    label = f"sum of the signed areas from step to step, {', '.join(names)} (their errors are not shown)"
    return replace(
        _made(label, BITS, points(c, places), 1, (), "", f"{CLAIMS['F15'].paper} of both"),
        apart=differences(c, places),
    )


SERIES: Mapping[str, Callable[[Evidence], Variants]] = {
    "f06": _variants("F6", "classes", 2, _subsets),
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
        "F10", "copies of the data set", 1, lambda e: e.along("mnist", "duplicate", 1), "entropy of all pictures (bits)"
    ),
    "f13": _f13,
    "f15": _f15,
}
"""Experiment -> what makes its series."""
