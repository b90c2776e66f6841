"""Variants of one domain: complexity or dissimilarity against a setting, entropy beside it (Figs. 6 to 10 and 13)."""

from __future__ import annotations

import numpy as np
from matplotlib.lines import Line2D

from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.estimate import Estimate
from aiq.records.table import Table
from aiq.records.variants import Variants

_ASIDE = 0.012  # of the range of the setting, so that intervals of the entropy do not cover the others
TREND = {1: "straight line", 2: "parabola"}


@style.styled
@written("trend")
def variants(found: Variants) -> Drawing:
    """Draw a number with its intervals as crosses, its trend dashed, and the entropy as a red line on the right.

    Args:
        found: the numbers along a setting.
    """
    figure = style.new_figure(style.DOUBLE, 3.2)
    axes = figure.subplots()
    style.grid(axes)
    x = np.array([value for value, _ in found.points])
    estimates = [estimate for _, estimate in found.points]
    y = np.array([estimate.value for estimate in estimates])
    style.interval_bars(axes, "y", estimates, x)
    axes.plot(x, y, linestyle="", marker="x", color=style.BLUE, markersize=6, zorder=4)
    for at, ends in zip(x, found.apart, strict=False):
        if ends is not None:
            axes.vlines(at, y[0] + ends[0], y[0] + ends[1], color=style.SKY, linewidth=4.5, alpha=0.8, zorder=3)
    degree = min(found.degree, len(x) - 1)
    fine = np.linspace(x[0], x[-1], 100)
    axes.plot(fine, np.polyval(np.polyfit(x, y, degree), fine), color=style.BLUE, linestyle="--", linewidth=1.0)
    axes.set_xlabel(found.setting)
    axes.set_ylabel(found.quantity)
    handles = [
        Line2D([], [], color=style.BLUE, marker="x", linestyle="", label=found.quantity),
        Line2D([], [], color=style.BLUE, linestyle="--", label=f"trend: {TREND[degree]}"),
    ]
    if any(found.apart):
        label = "difference from the first"
        handles.insert(1, Line2D([], [], color=style.SKY, alpha=0.8, linewidth=4.5, label=label))
    if found.entropy:
        right = axes.twinx()
        aside = _ASIDE * float(x[-1] - x[0])
        at, beside = _line(found)
        right.plot(np.array(at) + aside, beside, color=style.VERMILION, linewidth=1.3)
        style.interval_bars(right, "y", [e for _, e in found.entropy], np.array(at) + aside, style.VERMILION)
        right.set_ylabel(found.entropy_label)
        handles.append(Line2D([], [], color=style.VERMILION, label=found.entropy_label))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    return finish(figure, _table(found), _caption(found, estimates), _alt(found))


def _line(found: Variants) -> tuple[list[float], list[float]]:
    """Return the entropy's places and values."""
    return [x for x, _ in found.entropy], [estimate.value for _, estimate in found.entropy]


def _table(found: Variants) -> Table:
    entropy = {x: style.interval_cells(estimate) for x, estimate in found.entropy}
    apart = [ends or (None, None) for ends in found.apart] or [(None, None)] * len(found.points)
    rows = [
        (x, *style.interval_cells(estimate), *ends, *entropy.get(x, (None, None, None)))
        for (x, estimate), ends in zip(found.points, apart, strict=True)
    ]
    columns = ("setting", "value", "low", "high", "from_first_low", "from_first_high")
    return Table.of((*columns, "entropy", "entropy_low", "entropy_high"), rows)


def _caption(found: Variants, estimates: list[Estimate]) -> str:
    beside = (
        f" Red line: {found.entropy_label}, with its intervals, drawn a little to the right." if found.entropy else ""
    )
    paper = f" The paper: {found.paper}." if found.paper else ""
    common = (
        " Variants were measured by the same policies, whose luck is in all of them: broad bars are the intervals of "
        "differences from the first variant, placed at its value."
        if any(found.apart)
        else ""
    )
    return (
        f"{found.quantity[0].upper()}{found.quantity[1:]} against {found.setting}, {len(estimates)} variants of one "
        f"domain (crosses), with the least-squares trend (dashed). {style.interval_sentence(estimates)}{common}"
        f"{beside}{paper}"
    )


def _alt(found: Variants) -> str:
    """Return the numbers in words."""
    numbers = "; ".join(f"{style.number(x)}: {style.estimate_words(estimate)}" for x, estimate in found.points)
    return f"{found.quantity} against {found.setting}: {numbers}."
