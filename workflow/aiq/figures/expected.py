"""The expected smallest of k policies in a complexity curve: bins, lines and words of MCCP@k."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from aiq.figures import style
from aiq.records.best_of_k import BestOfK
from aiq.records.complexity import Complexity, ComplexityCurve

_FOUND = (style.SKY, "")
_FILLED = (style.ORANGE, "/////")


def asked_for(complexity: Complexity) -> BestOfK | None:
    """Return MCCP@k where it is the complexity, None where the paper's minimum is."""
    return complexity.best_of_k if complexity.estimator == "best_of_k" else None


def draw_bins(axes: Axes, curve: ComplexityCurve, expected: BestOfK) -> None:
    """Draw each bin's expected size: the policies' part, the filled part above it, the base, the minimum as steps."""
    left, width = curve.edges[:-1], np.diff(curve.edges)
    found = expected.size - expected.filled
    for bottom, height, (colour, hatch) in ((np.zeros_like(found), found, _FOUND), (found, expected.filled, _FILLED)):
        if (height > 0).any():
            axes.bar(
                left, height, width, bottom=bottom, align="edge", color=colour, alpha=0.45, hatch=hatch,
                edgecolor=style.GREY if hatch else colour, linewidth=0, zorder=1,
            )  # fmt: skip
    axes.stairs(expected.size, curve.edges, baseline=None, color=style.BLUE, linewidth=1.3, zorder=4)
    axes.stairs(curve.size, curve.edges, baseline=None, color=style.BLACK, linewidth=0.9, linestyle="--", zorder=3)
    base = expected.base.value / (curve.edges[-1] - curve.edges[0])
    axes.plot(curve.edges[[0, -1]], [base, base], color=style.VERMILION, linewidth=0.9, linestyle=":", zorder=3)


def handles(expected: BestOfK) -> list[Line2D | Patch]:
    """Return what the legend says of a curve of MCCP@k."""
    fill = "the largest network" if expected.fill == "largest" else "a straight line"
    (colour, _), (filled, hatch) = _FOUND, _FILLED
    return [
        Line2D([], [], color=style.BLUE, label=f"expected smallest of {expected.k} (area below: MCCP@{expected.k})"),
        Patch(facecolor=colour, alpha=0.45, linewidth=0, label="of which policies that reach it"),
        Patch(
            facecolor=filled, alpha=0.45, hatch=hatch, edgecolor=style.GREY, linewidth=0,
            label=f"of which {fill}, as none of {expected.k} does",
        ),
        Line2D([], [], color=style.VERMILION, linestyle=":", label="base (all policies reach everything)"),
        Line2D([], [], color=style.BLACK, linestyle="--", label="smallest of all (the paper's minimum)"),
    ]  # fmt: skip


def caption(complexity: Complexity, expected: BestOfK) -> str:
    """Return what the curve shows, in sentences."""
    counted = f", {complexity.n_failed} more failed and reach nothing" if complexity.n_failed else ""
    stand_in = "the largest network of the pool's design" if expected.fill == "largest" else "a straight line"
    return (
        f"from {complexity.n_trials} trials (dots){counted}. Blue steps: expected size of the smallest of k = "
        f"{expected.k} policies; the area below is MCCP@{expected.k}, {style.estimate_words(expected.estimate)}. Where "
        f"none of {expected.k} reaches a performance, {stand_in} stands in (hatched): "
        f"{expected.filled_share:.0%} of the value{_warning(complexity)}. Dotted: base, "
        f"{style.estimate_words(expected.base)}; excess {style.estimate_words(expected.excess)}, relative excess "
        f"{style.estimate_words(expected.relative_excess)}. Dashed: the smallest of all policies, which falls as the "
        f"pool grows; its area, the paper's minimum, is {style.number(complexity.minimum)}."
    )


def _warning(complexity: Complexity) -> str:
    """Return the warning of a value that is mostly filled."""
    return " (warning: more than half is filled)" if complexity.mostly_extrapolated else ""
