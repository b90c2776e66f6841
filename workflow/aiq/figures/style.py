"""One look for all figures: sizes, fonts, colours, marks, words for units.

Colours are those of Okabe and Ito (2008), told apart with any common colour blindness; every series has a
marker, a line style or a hatching of its own besides, so that nothing rests on colour alone. Fonts are
those that ship with matplotlib, so a figure looks the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from aiq.errors import InputError, choice
from aiq.records.estimate import Estimate, Floats

SINGLE = 3.5
DOUBLE = 7.0
SMALL = 7.0
NORMAL = 8.0

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, YELLOW = "#E69F00", "#56B4E9", "#000000", "#F0E442"
GREY, PALE = "#6E6E6E", "#D9D9D9"
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, BLACK, YELLOW)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\")
SEQUENTIAL = "cividis"

PICTURES = 24  # small pictures that one figure holds
ROWS = 60  # rows of a figure with one row per domain

_SIZES = {
    "log2": "log₂ parameters", "linear": "size as given", "parameters": "parameters", "bytes": "bytes",
    "compressed": "compressed bytes",
}  # fmt: skip

_RC: dict[str, object] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": NORMAL,
    "axes.titlesize": NORMAL,
    "axes.titlelocation": "left",
    "axes.labelsize": NORMAL,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.5,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "hatch.linewidth": 0.5,
    "figure.dpi": 200,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "pdf.compression": 9,
    "svg.hashsalt": "aiq",
    "path.simplify": True,
}
_MACHINE = ("backend", "interactive", "toolbar", "timezone", "tk.", "webagg.", "keymap.", "date.", "docstring.")


@contextmanager
def look() -> Iterator[None]:
    """Within this context matplotlib's own defaults and the settings of this module hold, whatever a user set."""
    defaults = {key: value for key, value in matplotlib.rcParamsDefault.items() if not key.startswith(_MACHINE)}
    with matplotlib.rc_context():
        matplotlib.rcParams.update(defaults)
        matplotlib.rcParams.update(_RC)  # type: ignore[arg-type]
        yield


def new_figure(width: float, height: float, *, square: bool = False) -> Figure:
    """Return an empty figure of that many inches, with a canvas of its own and automatic layout.

    ``square``: it will hold a panel with sides of fixed proportion, for which long labels need another layout.
    """
    figure = Figure(figsize=(width, height), layout="compressed" if square else "constrained")
    FigureCanvasAgg(figure)
    return figure


def size_label(unit: str) -> str:
    """Return the axis label of a policy's size; ``unit`` as in the configuration (``log2``, ...)."""
    return f"policy size ({_size_words(unit)})"


def complexity_units(unit: str) -> str:
    """Return the units of a complexity in words."""
    return f"{'bits: ' if unit == 'log2' else ''}{_size_words(unit)} × performance"


def complexity_label(unit: str) -> str:
    """Return the axis label of a complexity, on two lines."""
    return f"MCCP complexity\n({complexity_units(unit)})"


def _size_words(unit: str) -> str:
    if unit not in _SIZES:
        raise InputError(choice("the unit of the policies' sizes", unit, _SIZES))
    return _SIZES[unit]


def colour(index: int) -> str:
    """Return the colour of series number ``index`` (cycles after 8)."""
    return COLOURS[index % len(COLOURS)]


def marker(index: int) -> str:
    """Return the marker of series number ``index``; with the colour unique up to 40 series."""
    return MARKERS[index % len(MARKERS)]


def line(index: int) -> object:
    """Return the line style of series number ``index``; with the colour unique up to 40 series."""
    return LINES[(index + index // len(COLOURS)) % len(LINES)]


def hatch(index: int) -> str:
    """Return the hatching of series number ``index``: changes when the colours begin anew."""
    return HATCHES[(index // len(COLOURS)) % len(HATCHES)]


def grid(axes: Axes, axis: str = "both") -> None:
    """Draw faint grid lines behind the data."""
    axes.grid(visible=True, axis=axis)  # type: ignore[arg-type]


def legend_below(figure: Figure, axes: Axes, columns: int) -> None:
    """Put the legend of ``axes`` under the figure, where it covers no data."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=max(1, min(columns, len(labels))))


def panels(count: int, label: str, room: float) -> tuple[Figure, list[Axes]]:
    """Return a figure of ``count`` small pictures on common axes, and their axes.

    ``label`` stands below the lowest picture of each column; ``room`` inches are for it and the legend.
    """
    columns = min(count, 2) if count <= 4 else 3 if count in (5, 6, 9) else 4
    rows = -(-count // columns)
    figure = new_figure(SINGLE if columns == 1 else DOUBLE, 1.75 * rows + room)
    grid = list(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
    for index, axes in enumerate(grid):
        axes.set_visible(index < count)
        lowest = index + columns >= count
        axes.tick_params(labelbottom=lowest)
        axes.set_xlabel(label if lowest else "")
    return figure, grid[:count]


def evenly(values: Sequence[float], most: int) -> list[int]:
    """Return at most ``most`` places of some values, evenly spread over their ranks, the ends among them; in order."""
    if len(values) <= most:
        return list(range(len(values)))
    ranked = np.argsort(np.nan_to_num(np.asarray(values, dtype=np.float64)), kind="stable")
    return sorted(int(ranked[at]) for at in np.linspace(0, len(values) - 1, most).round().astype(int))


def left_out(drawn: int, count: int) -> str:
    """Return the sentence on the domains that ``evenly`` leaves out of a figure, or nothing."""
    if drawn == count:
        return ""
    return f" Shown are {drawn} of {count} domains, evenly spread from the smallest to the largest; the table has all."


def name_rows(axes: Axes, names: Sequence[str], margin: float = 0.5) -> Floats:
    """Give each domain or agent a row with its name, top to bottom; return the places of the rows, (n,)."""
    rows = np.arange(len(names), dtype=np.float64)
    axes.set_yticks(rows, list(names))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 1 + margin, -margin)
    return rows


def number(value: float) -> str:
    """Return a number with three significant digits, without an exponent where it can be read without."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def estimate_words(estimate: Estimate) -> str:
    """Return ``value [low, high]`` with as many decimals as the interval's width calls for."""
    if estimate.interval is None:
        return number(estimate.value)
    low, high = estimate.interval
    width = max(high - low, 1e-3 * abs(estimate.value), 1e-12)
    decimals = min(8, max(0, 1 - math.floor(math.log10(width))))
    return f"{estimate.value:,.{decimals}f} [{low:,.{decimals}f}, {high:,.{decimals}f}]"


def bounds(estimates: Sequence[Estimate]) -> Floats:
    """Return the intervals as (2, n): low ends, high ends; NaN where there is no interval."""
    missing = (math.nan, math.nan)
    return np.array([estimate.interval or missing for estimate in estimates], dtype=np.float64).reshape(-1, 2).T


def interval_bars(axes: Axes, axis: str, estimates: Sequence[Estimate], across: Floats, ink: str = GREY) -> None:
    """Draw the intervals along ``axis`` (``x`` or ``y``) at the places ``across`` of the other axis.

    Each bar runs from the low to the high end as they are: a percentile interval need not hold the value.
    """
    low, high = bounds(estimates)
    middle, half = (low + high) / 2, (high - low) / 2
    places = (middle, across) if axis == "x" else (across, middle)
    look: dict[str, Any] = {"ecolor": ink, "elinewidth": 1.0, "capsize": 2.0, "zorder": 2, f"{axis}err": half}
    axes.errorbar(*places, fmt="none", **look)


def series(axes: Axes, estimates: Sequence[Estimate], rows: Floats, index: int, label: str | None = None) -> None:
    """Draw one quantity of all rows as points with intervals along x; hollow for all but the first quantity."""
    ink = (BLUE, VERMILION, GREEN)[index]
    interval_bars(axes, "x", estimates, rows, ink)
    axes.plot(
        [estimate.value for estimate in estimates], rows, linestyle="", marker=marker(index), color=ink,
        mfc=ink if index == 0 else "white", markersize=5, label=label, zorder=3,
    )  # fmt: skip


def interval_sentence(estimates: Sequence[Estimate], where: str = "Bars and brackets are") -> str:
    """Return the sentence that says ``where`` the intervals are and of which kind, or that there are none."""
    with_interval = [estimate for estimate in estimates if estimate.interval is not None]
    if not with_interval:
        return "No intervals: the measurements hold no repetition."
    lacking = len(estimates) - len(with_interval)
    rest = f" ({lacking} without repetition have none)" if lacking else ""
    return f"{where} {with_interval[0].confidence:.0%} intervals{rest}."
