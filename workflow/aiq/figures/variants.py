"""Variants of one domain: complexity or dissimilarity against a setting, entropy beside it (Figs. 6 to 10 and 13)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.lines import Line2D

from aiq.figures import style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.records.estimate import Estimate, cells
from aiq.records.table import Table

Points = tuple[tuple[float, Estimate], ...]


@dataclass(frozen=True, slots=True)
class Variants:
    """A number of several variants of one domain, against the setting in which they differ.

    Attributes:
        setting: the setting, as an axis is labelled.
        quantity: the number, as an axis is labelled, with its unit.
        points: (value of the setting, number), at least two, values rising.
        degree: of the trend line: 1 straight, 2 a parabola.
        entropy: the same of the entropy, with its own label; empty where there is none.
        entropy_label: label of its axis.
        paper: what the paper reports, in words.
        apart: ends of the interval of each number's difference from the first, None where not known; empty: of none.
    """

    setting: str
    quantity: str
    points: Points
    degree: int = 1
    entropy: Points = ()
    entropy_label: str = ""
    paper: str = ""
    apart: tuple[tuple[float, float] | None, ...] = ()

    def __post_init__(self) -> None:
        for points in (self.points, self.entropy):
            values = [x for x, _ in points]
            if any(low >= high for low, high in pairwise(values)):
                raise ValueError(f"settings {values} do not rise")
        if self.apart and len(self.apart) != len(self.points):
            raise ValueError(f"{len(self.points)} variants have as many differences from the first")
        if len(self.points) < 2:
            raise ValueError(f"{len(self.points)} variants are no series; there must be at least two")


_ASIDE = 0.012  # of the range of the setting, so that intervals of the entropy do not cover the others
TREND = {1: "straight line", 2: "parabola"}


@figure("variants", "trend")
def variants(series: Variants) -> Drawing:
    """Draw a number with its intervals as crosses, its trend dashed, and the entropy as a red line on the right."""
    made = style.new_figure(style.DOUBLE, 3.2)
    axes = made.subplots()
    style.grid(axes)
    x = np.array([value for value, _ in series.points])
    estimates = [estimate for _, estimate in series.points]
    y = np.array([estimate.value for estimate in estimates])
    style.interval_bars(axes, "y", estimates, x)
    axes.plot(x, y, linestyle="", marker="x", color=style.BLUE, markersize=6, zorder=4)
    for at, ends in zip(x, series.apart, strict=False):
        if ends is not None:
            axes.vlines(at, y[0] + ends[0], y[0] + ends[1], color=style.SKY, linewidth=4.5, alpha=0.8, zorder=3)
    degree = min(series.degree, len(x) - 1)
    fine = np.linspace(x[0], x[-1], 100)
    axes.plot(fine, np.polyval(np.polyfit(x, y, degree), fine), color=style.BLUE, linestyle="--", linewidth=1.0)
    axes.set_xlabel(series.setting)
    axes.set_ylabel(series.quantity)
    handles = [
        Line2D([], [], color=style.BLUE, marker="x", linestyle="", label=series.quantity),
        Line2D([], [], color=style.BLUE, linestyle="--", label=f"trend: {TREND[degree]}"),
    ]
    if any(series.apart):
        label = "difference from the first"
        handles.insert(1, Line2D([], [], color=style.SKY, alpha=0.8, linewidth=4.5, label=label))
    if series.entropy:
        right = axes.twinx()
        at = np.array([value for value, _ in series.entropy]) + _ASIDE * float(x[-1] - x[0])
        entropies = [estimate for _, estimate in series.entropy]
        right.plot(at, [estimate.value for estimate in entropies], color=style.VERMILION, linewidth=1.3)
        style.interval_bars(right, "y", entropies, at, style.VERMILION)
        right.set_ylabel(series.entropy_label)
        handles.append(Line2D([], [], color=style.VERMILION, label=series.entropy_label))
    made.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    numbers = "; ".join(f"{style.number(value)}: {style.estimate_words(one)}" for value, one in series.points)
    return finish(made, _table(series), _caption(series), f"{series.quantity} against {series.setting}: {numbers}.")


def _table(series: Variants) -> Table:
    entropy = dict(series.entropy)
    apart = [ends or (None, None) for ends in series.apart] or [(None, None)] * len(series.points)
    rows = [
        (x, *estimate.cells(), *ends, *cells(entropy.get(x)))
        for (x, estimate), ends in zip(series.points, apart, strict=True)
    ]
    columns = ("setting", "value", "low", "high", "from_first_low", "from_first_high")
    return Table.of((*columns, "entropy", "entropy_low", "entropy_high"), rows)


def _caption(series: Variants) -> str:
    words = (
        f"{series.quantity[0].upper()}{series.quantity[1:]} against {series.setting}, {len(series.points)} variants of "
        "one domain (crosses), with the least-squares trend (dashed). "
        f"{style.interval_sentence([estimate for _, estimate in series.points])}"
    )
    if any(series.apart):
        words += " Variants were measured by the same policies, whose luck is in all of them: broad bars are the "
        words += "intervals of differences from the first variant, placed at its value."
    if series.entropy:
        words += f" Red line: {series.entropy_label}, with its intervals, drawn a little to the right."
    return words + (f" The paper: {series.paper}." if series.paper else "")
