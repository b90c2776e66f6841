"""A number against a setting: complexity against k, variants of one domain (2025 paper, Figs. 6 to 10 and 13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.records.complexity import KCurve
from aiq.records.estimate import Estimate, cells
from aiq.records.table import Table, bounds, counted

# ---- Complexity against the number of policies of which the smallest counts ----------------------


@figure("complexity-by-k", "policies of which the smallest counts", "bits: log₂ parameters × performance", "base")
def complexity_by_k(curves: Mapping[str, KCurve], *, unit: str = "log2") -> Drawing:
    """Draw MCCP@k of each domain against k with its interval, the base below it and the chosen k marked.

    Of more than 24 domains 24 are drawn, evenly spread from the least to the most complex; the table has all.
    """
    if not curves:
        raise InputError("there is no complexity against the number of policies to be drawn; measure at least one")
    names = list(curves)
    last = [curve.estimates[-1].value for curve in curves.values()]
    drawn = {names[k]: curves[names[k]] for k in style.evenly(last, style.PICTURES)}
    figure, grid = style.panels(len(drawn), "policies (k)", room=1.0)
    for axes, (name, curve) in zip(grid, drawn.items(), strict=True):
        _draw(axes, curve)
        axes.set_title(name, fontsize=style.SMALL)
    grid[0].set_ylim(bottom=0)
    figure.supylabel(style.complexity_label(unit), fontsize=style.NORMAL)
    confidence = next(iter(curves.values())).estimates[0].confidence
    _legend(figure, list(drawn.values()), confidence)
    chosen = next((curve.chosen for curve in curves.values() if curve.chosen), None)
    marked = f" Dotted: k = {chosen}, at which the complexity is measured." if chosen else ""
    caption = (
        f"Complexity ({style.complexity_units(unit)}) of {counted(len(curves), 'domain')} against k: the "
        "expected smallest of k policies drawn from the pool that reach a performance. It falls with k for every "
        "domain, so values are comparable at one k alone. Dashed: base, what it would be if every policy reached "
        f"every performance. Shaded: {confidence:.0%} intervals; there is none where the pool without one chunk has "
        "fewer than k policies, and they widen as k nears the pool's size. "
        f"Hollow marks: more than half is filled.{marked}{style.left_out(len(drawn), len(curves))}"
    )
    rows = [
        (k, name, *estimate.cells(), float(base), float(share), k == curve.chosen)
        for name, curve in curves.items()
        for k, estimate, base, share in zip(curve.ks, curve.estimates, curve.base, curve.filled_share, strict=True)
    ]
    columns = ("k", "domain", *bounds("mccp_k"), "base", "filled_share", "chosen")
    return finish(figure, Table.of(columns, rows), caption, f"Complexity against k: {_values(drawn)}.")


def _draw(axes: Axes, curve: KCurve) -> None:
    value, k = np.array([estimate.value for estimate in curve.estimates]), np.array(curve.ks)
    style.grid(axes)
    axes.fill_between(k, *style.bounds(curve.estimates), color=style.BLUE, alpha=0.2, linewidth=0)
    axes.plot(k, value, color=style.BLUE, marker="o")
    hollow = curve.filled_share > 0.5
    axes.plot(k[hollow], value[hollow], linestyle="", marker="o", mfc="white", color=style.BLUE)
    axes.plot(k, curve.base, color=style.GREY, linestyle="--")
    if curve.chosen is not None:
        axes.axvline(curve.chosen, color=style.VERMILION, linewidth=0.9, linestyle=":", zorder=1)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(LogLocator(base=2, numticks=5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.minorticks_off()


def _legend(figure: Figure, curves: list[KCurve], confidence: float) -> None:
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=style.BLUE, marker="o", label="MCCP@k (k: policies of which the smallest counts)"),
        Patch(facecolor=style.BLUE, alpha=0.2, label=f"{confidence:.0%} interval"),
        Line2D([], [], color=style.GREY, linestyle="--", label="base (all policies reach everything)"),
    ]
    chosen = sorted({curve.chosen for curve in curves if curve.chosen})
    if chosen:
        words = f"k = {', '.join(map(str, chosen))}, the complexity"
        handles.append(Line2D([], [], color=style.VERMILION, linestyle=":", label=words))
    if any((curve.filled_share > 0.5).any() for curve in curves):
        handles.append(Line2D([], [], ls="", marker="o", mfc="white", color=style.BLUE, label="more than half filled"))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(curves), 2))


def _values(curves: Mapping[str, KCurve]) -> str:
    words = []
    for name, curve in curves.items():
        at = curve.ks.index(curve.chosen) if curve.chosen in curve.ks else -1
        words.append(f"{name} {style.number(curve.estimates[at].value)} at k = {curve.ks[at]}")
    return "; ".join(words)


# ---- Variants of one domain ----------------------------------------------------------------------


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
            if any(low >= high for (low, _), (high, _) in pairwise(points)):
                raise ValueError(f"settings {[x for x, _ in points]} do not rise")
        if self.apart and len(self.apart) != len(self.points):
            raise ValueError(f"{len(self.points)} variants have as many differences from the first")
        if len(self.points) < 2:
            raise ValueError(f"{len(self.points)} variants are no series; there must be at least two")


_ASIDE = 0.012  # of the range of the setting, so that intervals of the entropy do not cover the others
TREND = {1: "straight line", 2: "parabola"}


@figure("variants", "trend")
def variants(series: Variants) -> Drawing:
    """Draw a number with its intervals as crosses, its trend dashed, and the entropy as a red line on the right."""
    figure = style.new_figure(style.DOUBLE, 3.2)
    axes = figure.subplots()
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
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    numbers = "; ".join(f"{style.number(value)}: {style.estimate_words(estimate)}" for value, estimate in series.points)
    return finish(figure, _table(series), _caption(series), f"{series.quantity} against {series.setting}: {numbers}.")


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
