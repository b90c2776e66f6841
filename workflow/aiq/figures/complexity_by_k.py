"""Complexity against the number of policies of which the smallest counts."""

from __future__ import annotations

from collections.abc import Mapping

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
from aiq.records.table import Table, bounds, counted


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
    made, grid = style.panels(len(drawn), "policies (k)", room=1.0)
    for axes, (name, curve) in zip(grid, drawn.items(), strict=True):
        _draw(axes, curve)
        axes.set_title(name, fontsize=style.SMALL)
    grid[0].set_ylim(bottom=0)
    made.supylabel(style.complexity_label(unit), fontsize=style.NORMAL)
    confidence = next(iter(curves.values())).estimates[0].confidence
    _legend(made, list(drawn.values()), confidence)
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
    return finish(made, Table.of(columns, rows), caption, f"Complexity against k: {_values(drawn)}.")


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


def _legend(made: Figure, curves: list[KCurve], confidence: float) -> None:
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
    made.legend(handles=handles, loc="outside lower center", ncols=min(len(curves), 2))


def _values(curves: Mapping[str, KCurve]) -> str:
    """Return the chosen values in words, or those of the whole pool."""
    words = []
    for name, curve in curves.items():
        at = curve.ks.index(curve.chosen) if curve.chosen in curve.ks else -1
        words.append(f"{name} {style.number(curve.estimates[at].value)} at k = {curve.ks[at]}")
    return "; ".join(words)
