"""Figures that only experiments of the 2025 paper have: variants of one domain (Figs. 6 to 10, 13), Figs. 5 and 18."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import matplotlib
import numpy as np
from matplotlib.lines import Line2D

from aiq.errors import InputError
from aiq.figures import matrix, style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.figures.matrix import MANY
from aiq.measures.complexity import differences
from aiq.records.complexity import Complexity
from aiq.records.estimate import Estimate, cells
from aiq.records.table import Cell, Table, bounds, counted

_APART = 0.14  # rows between the two numbers of a domain


@figure("normalised", "over the largest of its kind", "complexity", "entropy")
def normalised(complexities: Mapping[str, Estimate], entropies: Mapping[str, Estimate]) -> Drawing:
    """Draw complexity and entropy of each domain that has both, side by side, over the largest of those drawn."""
    names = [name for name in complexities if name in entropies]
    if not names:
        raise InputError("no domain has both a complexity and an entropy; measure both of at least one")
    drawn = {"complexity": _over_largest(complexities, names), "entropy": _over_largest(entropies, names)}
    figure = style.new_figure(1.3 * style.SINGLE, 0.34 * len(names) + 1.2)
    axes = figure.subplots()
    style.grid(axes, "x")
    rows = style.name_rows(axes, names)
    looks = ((style.BLUE, "o", -_APART), (style.VERMILION, "s", _APART))
    for (label, estimates), (ink, mark, aside) in zip(drawn.items(), looks, strict=True):
        style.interval_bars(axes, "x", estimates, rows + aside, ink)
        axes.plot([e.value for e in estimates], rows + aside, mark, color=ink, label=label, zorder=3)
    axes.set_xlim(left=0)
    axes.set_xlabel("over the largest of its kind")
    style.legend_below(figure, axes, columns=2)
    caption = (
        f"MCCP complexity (circles) and Shannon entropy of a sample (squares) of {counted(len(names), 'domain')}, each "
        f"divided by the largest of its kind as if that were known exactly. "
        f"{style.interval_sentence(drawn['complexity'])}"
    )
    both = list(zip(names, *drawn.values(), strict=True))
    table = Table.of(("domain", *bounds(*drawn)), [(name, *c.cells(), *h.cells()) for name, c, h in both])
    words = "; ".join(f"{n} {style.number(c.value)} and {style.number(h.value)}" for n, c, h in both)
    return finish(figure, table, caption, f"Complexity and entropy over their largest: {words}.")


def _over_largest(values: Mapping[str, Estimate], names: list[str]) -> list[Estimate]:
    largest = max(values[name].value for name in names)
    if not largest > 0:
        raise InputError("complexities and entropies must be above 0 to be divided by the largest")
    estimates = [values[name] for name in names]
    intervals = [None if e.interval is None else (e.interval[0] / largest, e.interval[1] / largest) for e in estimates]
    return [replace(e, value=e.value / largest, interval=i) for e, i in zip(estimates, intervals, strict=True)]


@figure("complexity-apart", "domain a", "domain b", "difference of complexity")
def complexity_apart(complexities: Mapping[str, Complexity], *, unit: str = "log2") -> Drawing:
    """Draw the absolute difference of the complexities of every pair of domains, by one estimator, as a heat map.

    Hatched cells: the interval of the difference, paired where both domains were measured by the same policies, holds
    0. More than 30 domains have no numbers in the cells, and grey in the place of hatching.
    """
    if not complexities:
        raise InputError("there is no domain whose complexity could be drawn; add at least one")
    names, units = list(complexities), style.complexity_units(unit)
    pairs = {(pair.first, pair.second): pair for pair in differences(complexities)}
    values = np.nan_to_num(matrix.filled({pair: abs(gap.complexity.value) for pair, gap in pairs.items()}, names))
    alike = matrix.filled({pair: gap.told_apart() is False for pair, gap in pairs.items()}, names) == 1
    rows: list[tuple[Cell, ...]] = [(name, name, 0.0, None, None) for name in names]
    rows += [(*pair, *gap.complexity.cells()) for pair, gap in pairs.items()]
    top = max(float(values.max()), 1e-12)
    colours = matplotlib.colormaps[style.SEQUENTIAL]
    figure, axes, image = matrix.heat_map(values, names, colours, square=False, vmin=0, vmax=top)
    if len(names) <= MANY:
        matrix.write_numbers(axes, image, values, values < top / 2)
    matrix.colour_bar(figure, axes, image, f"difference of complexity\n({units})")
    matrix.mark(figure, axes, alike, "not told apart")
    apart = counted(int(alike.sum()) // 2, "pair")
    errors = (
        f"{'Grey' if len(names) > MANY else 'Hatched'}: not told apart, the 95% interval of the difference holds 0 "
        f"({apart}); the table beside the figure holds the signed differences and their intervals."
    )
    if all(row[3] is None for row in rows):
        errors = style.interval_sentence([])
    domains = counted(len(names), "domain")
    i, j = divmod(int(values.argmax()), len(names))
    return finish(
        figure,
        Table.of(("a", "b", "difference", "low", "high"), rows),
        f"Absolute differences of the MCCP complexities of {domains} ({units}), lighter is farther apart. {errors}",
        f"Heat map of differences of complexity of {domains}; the farthest apart are {names[i]} and {names[j]} "
        f"({style.number(float(values[i, j]))}).",
    )


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
        apart: ends of the interval of each number's difference from the first, None where not known.
    """

    setting: str
    quantity: str
    points: Points
    degree: int
    entropy: Points
    entropy_label: str
    paper: str
    apart: tuple[tuple[float, float] | None, ...]


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
    for at, ends in zip(x, series.apart, strict=True):
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
    rows = [
        (x, *estimate.cells(), *(ends or (None, None)), *cells(entropy.get(x)))
        for (x, estimate), ends in zip(series.points, series.apart, strict=True)
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
