"""Complexity against the number of policies of which the smallest counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator

from aiq.errors import InputError
from aiq.figures import many, style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.best_of_k import KCurve
from aiq.records.table import Table

_LABELS = 5


@style.styled
@written("policies of which the smallest counts", "bits: log₂ parameters × performance", "base")
def complexity_by_k(curves: Mapping[str, KCurve], *, unit: str = "log2") -> Drawing:
    """Draw MCCP@k of each domain against k with its interval, the base below it and the chosen k marked.

    Of more than 24 domains 24 are drawn, evenly spread from the least to the most complex; the table has all.

    Args:
        curves: by domain.
        unit: what counts as size, as in :func:`aiq.figures.complexity.complexity_curve`.

    Raises:
        InputError: there is no curve.
    """
    if not curves:
        raise InputError("there is no complexity against the number of policies to be drawn; measure at least one")
    everything, names = curves, list(curves)
    last = [curve.estimates[-1].value for curve in curves.values()]
    curves = {names[k]: curves[names[k]] for k in many.evenly(last, many.PICTURES)}
    columns = style.columns_for(len(curves))
    rows = -(-len(curves) // columns)
    figure = style.new_figure(style.SINGLE if columns == 1 else style.DOUBLE, 1.75 * rows + 1.0)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for index, axes in enumerate(grid.flat):
        if index >= len(curves):
            axes.set_visible(False)
            continue
        name = list(curves)[index]
        _draw(axes, curves[name])
        axes.set_title(name, fontsize=style.SMALL)
        lowest = index + columns >= len(curves)
        axes.tick_params(labelbottom=lowest)
        axes.set_xlabel("policies (k)" if lowest else "")
    grid.flat[0].set_ylim(bottom=0)
    figure.supylabel(style.complexity_label(unit), fontsize=style.NORMAL)
    first = next(iter(curves.values()))
    _legend(figure, list(curves.values()), first.estimates[0].confidence, columns)
    caption = _caption(everything, unit) + many.left_out(len(curves), len(everything), "domains")
    return finish(figure, _table(everything), caption, f"Complexity against k: {_values(curves)}.")


def _draw(axes: Axes, curve: KCurve) -> None:
    """Draw one curve with its band and base; hollow marks where more than half of the value is filled."""
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
    axes.xaxis.set_major_locator(LogLocator(base=2, numticks=_LABELS))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.minorticks_off()


def _legend(figure: style.Figure, curves: list[KCurve], confidence: float, columns: int) -> None:
    """Put a legend of what occurs under the figure."""
    chosen = {curve.chosen for curve in curves} - {None}
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=style.BLUE, marker="o", label="MCCP@k (k: policies of which the smallest counts)"),
        Patch(facecolor=style.BLUE, alpha=0.2, label=f"{confidence:.0%} interval"),
        Line2D([], [], color=style.GREY, linestyle="--", label="base (all policies reach everything)"),
    ]
    if chosen:
        words = f"k = {', '.join(str(k) for k in sorted(k for k in chosen if k))}, the complexity"
        handles.append(Line2D([], [], color=style.VERMILION, linestyle=":", label=words))
    if any((curve.filled_share > 0.5).any() for curve in curves):
        handles.append(Line2D([], [], ls="", marker="o", mfc="white", color=style.BLUE, label="more than half filled"))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(columns, 2))


def _caption(curves: Mapping[str, KCurve], unit: str) -> str:
    """Return what is shown, and what it cannot tell."""
    chosen = next((curve.chosen for curve in curves.values() if curve.chosen), None)
    marked = f" Dotted: k = {chosen}, at which the complexity is measured." if chosen else ""
    return (
        f"Complexity ({style.complexity_units(unit)}) of {len(curves)} domain{'s' * (len(curves) > 1)} against k: the "
        "expected smallest of k policies drawn from the pool that reach a performance. It falls with k for every "
        "domain, so values are comparable at one k alone. Dashed: base, what it would be if every policy reached "
        f"every performance. Shaded: {next(iter(curves.values())).estimates[0].confidence:.0%} intervals; there is "
        "none where the pool without one chunk has fewer than k policies, and they widen as k nears the pool's size. "
        f"Hollow marks: more than half is filled.{marked}"
    )


def _values(curves: Mapping[str, KCurve]) -> str:
    """Return the chosen values in words, or those of the whole pool."""
    words = []
    for name, curve in curves.items():
        at = curve.ks.index(curve.chosen) if curve.chosen in curve.ks else -1
        words.append(f"{name} {style.number(curve.estimates[at].value)} at k = {curve.ks[at]}")
    return "; ".join(words)


def _table(curves: Mapping[str, KCurve]) -> Table:
    """Return one row per domain and k."""
    return Table.of(
        ("k", "domain", "mccp_k", "mccp_k_low", "mccp_k_high", "base", "filled_share", "chosen"),
        [
            (k, name, *style.interval_cells(estimate), float(base), float(share), k == curve.chosen)
            for name, curve in curves.items()
            for k, estimate, base, share in zip(curve.ks, curve.estimates, curve.base, curve.filled_share, strict=True)
        ],
    )
