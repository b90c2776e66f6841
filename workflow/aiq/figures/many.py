"""Figures of very many domains: what is ordered, thinned or left out so that they can still be read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from aiq.figures import style
from aiq.records.arrays import Floats

MANY = 30  # domains above which cells of a matrix hold no numbers
NAMES = 40  # names that an axis of a matrix has room for
PICTURES = 24  # small pictures that one figure holds
ROWS = 60  # rows of a figure with one row per domain
SERIES = 20  # series of one figure
_VEIL = 0.7  # how much of a cell's colour the grey over it takes away


def seriation(values: Floats) -> list[int]:
    """Return an order of domains in which alike ones stand side by side.

    The leaves of average linkage in the order that keeps neighbours closest (Bar-Joseph, Gifford and Jaakkola, 2001).

    Args:
        values: symmetric dissimilarities (n, n); what is unknown counts as their median, the diagonal as 0.
    """
    known = values[np.isfinite(values)]
    if len(values) < 3 or not known.size:
        return list(range(len(values)))
    filled = np.where(np.isfinite(values), values, np.median(known))
    apart = np.maximum((filled + filled.T) / 2, 0.0)
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), method="average", optimal_ordering=True)
    return [int(leaf) for leaf in leaves_list(tree)]


def evenly(values: Sequence[float], most: int) -> list[int]:
    """Return at most ``most`` places of some values, evenly spread over their ranks, the ends among them; in order."""
    if len(values) <= most:
        return list(range(len(values)))
    ranked = np.argsort(np.nan_to_num(np.asarray(values, dtype=np.float64)), kind="stable")
    return sorted(int(ranked[at]) for at in np.linspace(0, len(values) - 1, most).round().astype(int))


def name_axes(axes: Axes, names: Sequence[str]) -> None:
    """Write the names of the rows and columns of a matrix, every so many where there is no room for all."""
    step = -(-len(names) // NAMES)
    at, shown = range(0, len(names), step), list(names[::step])
    axes.set_xticks(at, shown, rotation=45 if step == 1 else 90, ha="right", rotation_mode="anchor")
    axes.set_yticks(at, shown)
    if step > 1:
        axes.tick_params(axis="x", rotation=90)
        for label in axes.get_xticklabels():
            label.set(ha="right", va="center", rotation_mode="anchor")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("domain b")
    axes.set_ylabel("domain a")


def veil(axes: Axes, cells: npt.NDArray[np.bool_], words: str) -> Patch:
    """Cover some cells of a matrix (n, n) with a thin grey, in the place of hatching; return their key."""
    colours = np.zeros((*cells.shape, 4))
    colours[cells] = to_rgba(style.PALE, _VEIL)
    axes.imshow(colours, interpolation="nearest", zorder=3)
    return Patch(facecolor=to_rgba(style.PALE, _VEIL), edgecolor="none", label=words)


def thinned(count: int) -> str:
    """Return the sentence on the order of the domains and on their names."""
    step = -(-count // NAMES)
    every = "" if step == 1 else f"; of {step} neighbours one is named"
    return f" Domains stand in an order that puts alike ones side by side (average linkage, optimal leaf order){every}."


def left_out(shown: int, count: int, what: str) -> str:
    """Return the sentence on what a figure leaves out, or nothing."""
    if shown == count:
        return ""
    return f" Shown are {shown} of {count} {what}, evenly spread from the smallest to the largest; the table has all."
