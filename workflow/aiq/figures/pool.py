"""Complexity against the number of trials in the pool."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish
from aiq.records.complexity import PoolSizeCurve
from aiq.records.table import Table

_SEPARATE_FROM = 5


@style.styled
def pool_size(curves: Mapping[str, PoolSizeCurve], *, unit: str = "log2", pool_unit: str = "chunks") -> Drawing:
    """Draw how the complexity of each domain settles as the pool grows.

    Up to four domains share one pair of axes; more have small pictures of their own, side by side.

    Args:
        curves: by domain.
        unit: what counts as size, as in :func:`aiq.figures.complexity.complexity_curve`.
        pool_unit: what the sizes of the pool count, for the axis: ``chunks`` or ``trials``.

    Raises:
        InputError: there is no curve.
    """
    if not curves:
        raise InputError("there is no complexity against pool size to be drawn; measure at least one domain")
    together = len(curves) < _SEPARATE_FROM
    columns = 1 if together else style.columns_for(len(curves))
    rows = 1 if together else -(-len(curves) // columns)
    figure = style.new_figure(style.SINGLE if together else style.DOUBLE, 3.1 if together else 1.55 * rows + 0.7)
    grid = figure.subplots(rows, columns, sharex=True, squeeze=False)
    for index, (name, curve) in enumerate(curves.items()):
        axes = grid.flat[0 if together else index]
        shown = index if together else 0
        _draw(axes, curve, shown, name if together else "mean over subsamples")
        style.grid(axes)
        if not together:
            axes.set_title(name, fontsize=style.SMALL)
            axes.tick_params(labelbottom=index + columns >= len(curves))
        if together or index + columns >= len(curves):
            axes.set_xlabel(f"{pool_unit} in the pool")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in list(grid.flat)[1 if together else len(curves) :]:
        axes.set_visible(False)
    figure.supylabel(style.complexity_label(unit), fontsize=style.NORMAL)
    first = next(iter(curves.values()))
    handles = grid.flat[0].get_legend_handles_labels()[0]
    ink = style.GREY if together else style.colour(0)
    handles.append(Patch(facecolor=ink, alpha=0.2, label=f"central {first.estimates[0].confidence:.0%} interval"))
    if any((curve.extrapolated_share > 0.5).any() for curve in curves.values()):
        handles.append(Line2D([], [], ls="", marker="o", mfc="white", color=ink, label="more than half extrapolated"))
    figure.legend(handles=handles, loc="outside lower center", ncols=2 if together else 3)
    caption = (
        f"Complexity ({style.complexity_units(unit)}) of {len(curves)} domain{'s' * (len(curves) > 1)} against the "
        f"number of {pool_unit} in the pool: mean over {first.subsamples} subsamples with their central "
        f"{first.estimates[0].confidence:.0%} interval (shaded). Hollow marks: more than half extrapolated. "
        "The complexity axes do not start at 0."
    )
    last = "; ".join(
        f"{name} {style.number(curve.estimates[-1].value)} at {curve.units[-1]}" for name, curve in curves.items()
    )
    table = Table.of(
        (pool_unit, "domain", "mccp", "mccp_low", "mccp_high", "extrapolated_share"),
        [
            (units, name, *style.interval_cells(estimate), float(share))
            for name, curve in curves.items()
            for units, estimate, share in zip(curve.units, curve.estimates, curve.extrapolated_share, strict=True)
        ],
    )
    return finish(figure, table, caption, f"Complexity against pool size: {last}.")


def _draw(axes: Axes, curve: PoolSizeCurve, index: int, label: str) -> None:
    """Draw one curve with its band; hollow marks where more than half of the value is extrapolated."""
    mean = np.array([estimate.value for estimate in curve.estimates])
    units = np.array(curve.units)
    ink, mark = style.colour(index), style.marker(index)
    axes.fill_between(units, *style.bounds(curve.estimates), color=ink, alpha=0.2, linewidth=0)
    axes.plot(units, mean, color=ink, marker=mark, linestyle=style.line(index), label=label)
    hollow = curve.extrapolated_share > 0.5
    axes.plot(units[hollow], mean[hollow], linestyle="", marker=mark, mfc="white", color=ink)
