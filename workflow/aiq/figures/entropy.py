"""Complexity against Shannon entropy (Fig. 5 of the 2025 paper), and both over the largest of their kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from aiq.errors import InputError, choice
from aiq.figures import style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.figures.labels import place_labels, unnamed
from aiq.records.complexity import Complexity
from aiq.records.domains import Entropy
from aiq.records.estimate import Estimate
from aiq.records.table import Table, bounds, counted

_QUANTITIES = {
    "mean": "Shannon entropy of one sample (bits)",
    "total": "Shannon entropy, summed over the samples (bits)",
    "observations": "Shannon entropy of a trained agent's observations (bits)",
}
_LOGARITHMIC = 30.0  # factor between values from which on an axis is logarithmic
_APART = 0.14  # rows between the two numbers of a domain


@figure("normalised", "over the largest of its kind", "complexity", "entropy")
def normalised(complexities: Mapping[str, Estimate], entropies: Mapping[str, Estimate]) -> Drawing:
    """Draw complexity and entropy of each domain that has both, side by side, over the largest of those drawn.

    Raises:
        InputError: no domain has both, or none has a complexity or an entropy above 0.
    """
    names = [name for name in complexities if name in entropies]
    if not names:
        raise InputError("no domain has both a complexity and an entropy; measure both of at least one")
    drawn = {"complexity": _over_largest(complexities, names), "entropy": _over_largest(entropies, names)}
    made = style.new_figure(1.3 * style.SINGLE, 0.34 * len(names) + 1.2)
    axes = made.subplots()
    style.grid(axes, "x")
    rows = style.name_rows(axes, names)
    looks = ((style.BLUE, "o", -_APART), (style.VERMILION, "s", _APART))
    for (label, estimates), (ink, mark, aside) in zip(drawn.items(), looks, strict=True):
        style.interval_bars(axes, "x", estimates, rows + aside, ink)
        axes.plot([e.value for e in estimates], rows + aside, mark, color=ink, label=label, zorder=3)
    axes.set_xlim(left=0)
    axes.set_xlabel("over the largest of its kind")
    style.legend_below(made, axes, columns=2)
    caption = (
        f"MCCP complexity (circles) and Shannon entropy of a sample (squares) of {counted(len(names), 'domain')}, each "
        f"divided by the largest of its kind as if that were known exactly. "
        f"{style.interval_sentence(drawn['complexity'])}"
    )
    both = list(zip(names, *drawn.values(), strict=True))
    table = Table.of(("domain", *bounds(*drawn)), [(name, *c.cells(), *h.cells()) for name, c, h in both])
    words = "; ".join(f"{n} {style.number(c.value)} and {style.number(h.value)}" for n, c, h in both)
    return finish(made, table, caption, f"Complexity and entropy over their largest: {words}.")


def _over_largest(values: Mapping[str, Estimate], names: list[str]) -> list[Estimate]:
    largest = max(values[name].value for name in names)
    if not largest > 0:
        raise InputError("complexities and entropies must be above 0 to be divided by the largest")
    return [
        replace(
            values[name],
            value=values[name].value / largest,
            interval=None if (ends := values[name].interval) is None else (ends[0] / largest, ends[1] / largest),
        )
        for name in names
    ]


@figure("complexity-entropy", "(bits)", "bits: log₂ parameters × performance")
def complexity_entropy(
    complexities: Mapping[str, Complexity],
    entropies: Mapping[str, Entropy],
    *,
    unit: str = "log2",
    quantity: str = "mean",
) -> Drawing:
    """Draw the complexity of each domain against its entropy, both with their intervals, one picture per kind of data.

    Entropies of images, of tables and of observations are computed in different ways: they never share an axis.

    Domains without an entropy are left out and named in the caption. An axis is logarithmic where the values span more
    than a factor of 30.

    Args:
        complexities: by domain.
        entropies: by domain.
        unit: what counts as size, as in :func:`aiq.figures.complexity.complexity_curve`.
        quantity: ``mean`` (of one sample), ``total`` (summed over images), or ``observations`` (control domains, where
            the entropies of the variables are summed, Fig. 8).

    Raises:
        InputError: no domain has both, or an option is unknown.
    """
    if quantity not in _QUANTITIES:
        raise InputError(choice("the quantity of entropy", quantity, _QUANTITIES))
    names = [name for name in complexities if name in entropies]
    if not names:
        raise InputError("no domain has both a complexity and an entropy; measure both for at least one")
    kind = {name: _kind_of(entropies[name]) for name in names}
    across = {name: entropies[name].total if quantity == "total" else entropies[name].mean for name in names}
    groups = {word: [name for name in names if kind[name] == word] for word in dict.fromkeys(kind.values())}
    made = style.new_figure(min(style.DOUBLE, (0.35 + 0.9 * len(groups)) * style.SINGLE), 3.3)
    grid = made.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for axes, (word, group) in zip(grid, groups.items(), strict=True):
        _draw(axes, group, complexities, across)
        axes.set_title(word if len(groups) > 1 else "")
        axes.set_xlabel(_QUANTITIES[quantity].replace(" (", "\n("))
    grid[0].set_ylabel(style.complexity_label(unit))
    grid[0].set_ylim(bottom=max(0.0, grid[0].get_ylim()[0]))
    _key(made, [complexities[name].mostly_extrapolated for name in names])
    made.draw_without_rendering()
    for axes, group in zip(grid, groups.values(), strict=True):
        points = np.array([[across[n].value, complexities[n].value] for n in group])
        bars = []
        for name, (x, y) in zip(group, points, strict=True):
            (left, right), (low, high) = across[name].interval or (x, x), complexities[name].estimate.interval or (y, y)
            bars += [np.array([[left, y], [right, y]]), np.array([[x, low], [x, high]])]
        place_labels(axes, points, group, lines=bars)
    left_out = [name for name in complexities if name not in across]
    rest = f" Without an entropy: {', '.join(left_out)}." if left_out else ""
    apart = " Kinds of data have pictures of their own: their entropies are computed in different ways."
    caption = (
        f"Complexity ({style.complexity_units(unit)}) of {counted(len(names), 'domain')} against their "
        f"{_QUANTITIES[quantity]}{'' if quantity == 'observations' else ', labels included'}."
        f"{apart if len(groups) > 1 else ''} "
        f"{style.interval_sentence([*across.values(), *(complexities[name].estimate for name in names)])}{rest}"
        f"{unnamed(max(map(len, groups.values())))}"
    )
    columns = ("domain", "kind", *bounds("entropy", "mccp"), "mostly_extrapolated")
    rows = [
        (n, kind[n], *across[n].cells(), *complexities[n].estimate.cells(), complexities[n].mostly_extrapolated)
        for n in names
    ]
    values = "; ".join(
        f"{n} {style.number(across[n].value)} bits, MCCP {style.number(complexities[n].value)}" for n in names
    )
    return finish(made, Table.of(columns, rows), caption, f"Complexity against entropy: {values}.")


def _kind_of(entropy: Entropy) -> str:
    return "tables" if entropy.total.value == entropy.mean.value and entropy.parts.size != 1 else "images"


def _draw(axes: Axes, group: list[str], complexities: Mapping[str, Complexity], across: Mapping[str, Estimate]) -> None:
    at, up = [across[name] for name in group], [complexities[name].estimate for name in group]
    x, y = (np.array([estimate.value for estimate in estimates]) for estimates in (at, up))
    flagged = np.array([complexities[name].mostly_extrapolated for name in group])
    style.grid(axes)
    style.interval_bars(axes, "x", at, y)
    style.interval_bars(axes, "y", up, x)
    axes.plot(x[~flagged], y[~flagged], "o", color=style.BLUE, zorder=3)
    axes.plot(x[flagged], y[flagged], "s", color=style.VERMILION, mfc="white", zorder=3)
    if x.min() > 0 and x.max() / x.min() > _LOGARITHMIC:
        axes.set_xscale("log")
    axes.margins(0.3, 0.16)
    axes.set_xlim(left=None if axes.get_xscale() == "log" else max(0.0, axes.get_xlim()[0]))


def _key(made: Figure, flags: list[bool]) -> None:
    if any(flags):
        plain = Line2D([], [], color=style.BLUE, marker="o", ls="", label="domain")
        hollow = Line2D([], [], color=style.VERMILION, marker="s", mfc="white", ls="")
        hollow.set_label("domain, complexity more than half extrapolated")
        handles = [hollow] if all(flags) else [plain, hollow]
        made.legend(handles=handles, loc="outside lower center", ncols=1)
