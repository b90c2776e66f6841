"""Complexity against Shannon entropy (Fig. 5 of the 2025 paper).

Complexity and entropy of each domain, each over the largest of its kind (Fig. 5 of the 2025 paper).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from aiq.errors import InputError, choice
from aiq.figures import style
from aiq.figures.domains import counted
from aiq.figures.drawing import Drawing, finish, written
from aiq.figures.labels import place_labels, unnamed
from aiq.records.complexity import Complexity
from aiq.records.entropy import Entropy
from aiq.records.estimate import Estimate
from aiq.records.table import Table

# ---- Complexity and entropy of each domain, each over the largest of its kind (Fig ---------------


_APART = 0.14


@style.styled
@written("over the largest of its kind", "complexity", "entropy")
def normalised(complexities: Mapping[str, Estimate], entropies: Mapping[str, Estimate]) -> Drawing:
    """Draw complexity and entropy of each domain side by side, both over the largest of the domains drawn.

    Args:
        complexities: by domain; a domain without an entropy is left out.
        entropies: by domain, positive.

    Raises:
        InputError: no domain has both, or none has a complexity or an entropy above 0.
    """
    names = [name for name in complexities if name in entropies]
    if not names:
        raise InputError("no domain has both a complexity and an entropy; measure both of at least one")
    shown = {"complexity": _over(complexities, names), "entropy": _over(entropies, names)}
    figure = style.new_figure(1.3 * style.SINGLE, 0.34 * len(names) + 1.2)
    axes = figure.subplots()
    style.grid(axes, "x")
    rows = np.arange(len(names), dtype=np.float64)
    for (label, found), ink, mark, aside in zip(
        shown.items(), (style.BLUE, style.VERMILION), ("o", "s"), (-_APART, _APART), strict=True
    ):
        style.interval_bars(axes, "x", found, rows + aside, ink)
        axes.plot([e.value for e in found], rows + aside, mark, color=ink, label=label, zorder=3)
    axes.set_yticks(rows, names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("over the largest of its kind")
    style.legend_below(figure, axes, columns=2)
    caption = (
        f"MCCP complexity (circles) and Shannon entropy of a sample (squares) of {counted(names)}, each divided by the "
        f"largest of its kind as if that were known exactly. {style.interval_sentence(shown['complexity'])}"
    )
    rows_of = zip(names, *(map(style.interval_cells, found) for found in shown.values()), strict=True)
    table = Table.of(
        ("domain", "complexity", "complexity_low", "complexity_high", "entropy", "entropy_low", "entropy_high"),
        [(name, *c, *h) for name, c, h in rows_of],
    )
    words = "; ".join(
        f"{n} {style.number(c.value)} and {style.number(h.value)}"
        for n, c, h in zip(names, shown["complexity"], shown["entropy"], strict=True)
    )
    return finish(figure, table, caption, f"Complexity and entropy over their largest: {words}.")


def _over(found: Mapping[str, Estimate], names: list[str]) -> list[Estimate]:
    """Return numbers and their intervals over the largest number.

    Raises:
        InputError: the largest is not above 0.
    """
    largest = max(found[name].value for name in names)
    if not largest > 0:
        raise InputError("complexities and entropies must be above 0 to be divided by the largest")
    return [
        replace(
            found[name],
            value=found[name].value / largest,
            interval=None if (ends := found[name].interval) is None else (ends[0] / largest, ends[1] / largest),
        )
        for name in names
    ]


# ---- Complexity against Shannon entropy (Fig -----------------------------------------------------


_QUANTITIES = {
    "mean": "Shannon entropy of one sample (bits)",
    "total": "Shannon entropy, summed over the samples (bits)",
    "observations": "Shannon entropy of a trained agent's observations (bits)",
}
_LOGARITHMIC = 30.0


@style.styled
@written("(bits)", "bits: log₂ parameters × performance")
def complexity_entropy(
    complexities: Mapping[str, Complexity],
    entropies: Mapping[str, Entropy],
    *,
    kinds: Mapping[str, str] | None = None,
    unit: str = "log2",
    quantity: str = "mean",
) -> Drawing:
    """Draw the complexity of each domain against its entropy, both with their intervals, one picture per kind of data.

    Entropies of images, of tables and of observations are computed in different ways: they never share an axis.

    Args:
        complexities: by domain.
        entropies: by domain; domains without an entropy are left out and named in the caption.
        kinds: kind of data by domain, such as ``images`` and ``tables``; None tells them by how the entropy was
            computed: averaged over images, or summed over variables.
        unit: what counts as size, as in :func:`aiq.figures.complexity.complexity_curve`.
        quantity: ``mean`` (of one sample), ``total`` (summed over images), or ``observations`` (control domains, where
            the entropies of the variables are summed, Fig. 8); an axis is logarithmic where the values span more
            than a factor of 30.

    Raises:
        InputError: no domain has both, or an option is unknown.
    """
    if quantity not in _QUANTITIES:
        raise InputError(choice("the quantity of entropy", quantity, _QUANTITIES))
    names = [name for name in complexities if name in entropies]
    if not names:
        raise InputError("no domain has both a complexity and an entropy; measure both for at least one")
    kind = {name: (kinds or {}).get(name) or kind_of(entropies[name]) for name in names}
    across = {name: entropies[name].total if quantity == "total" else entropies[name].mean for name in names}
    groups = [[name for name in names if kind[name] == one] for one in dict.fromkeys(kind.values())]
    figure = style.new_figure(min(style.DOUBLE, (0.35 + 0.9 * len(groups)) * style.SINGLE), 3.3)
    found = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for axes, group in zip(found, groups, strict=True):
        _draw(axes, group, complexities, across)
        axes.set_title(kind[group[0]] if len(groups) > 1 else "")
        axes.set_xlabel(_QUANTITIES[quantity].replace(" (", "\n("))
    found[0].set_ylabel(style.complexity_label(unit))
    found[0].set_ylim(bottom=max(0.0, found[0].get_ylim()[0]))
    flags = [complexities[name].mostly_extrapolated for name in names]
    _key(figure, any(flags), not all(flags))
    figure.draw_without_rendering()
    for axes, group in zip(found, groups, strict=True):
        points = np.array([[across[name].value, complexities[name].value] for name in group])
        place_labels(axes, points, group)
    caption = _caption(complexities, across, kind, unit, quantity)
    values = "; ".join(
        f"{n} {style.number(across[n].value)} bits, MCCP {style.number(complexities[n].value)}" for n in names
    )
    return finish(figure, _table(complexities, across, kind), caption, f"Complexity against entropy: {values}.")


def kind_of(entropy: Entropy) -> str:
    """Return the kind of data by how an entropy was computed: averaged over images, or summed over variables."""
    return "tables" if entropy.total.value == entropy.mean.value and entropy.parts.size != 1 else "images"


def _draw(axes: Axes, group: list[str], complexities: Mapping[str, Complexity], across: Mapping[str, Estimate]) -> None:
    """Draw the domains of one kind."""
    at, up = [across[name] for name in group], [complexities[name].estimate for name in group]
    x, y = (np.array([estimate.value for estimate in which]) for which in (at, up))
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


def _key(figure: style.Figure, flagged: bool, others: bool) -> None:
    """Put a key under the figure where a mark is not the usual one; of marks that are drawn only."""
    if flagged:
        plain = Line2D([], [], color=style.BLUE, marker="o", ls="", label="domain")
        hollow = Line2D([], [], color=style.VERMILION, marker="s", mfc="white", ls="")
        hollow.set_label("domain, complexity more than half extrapolated")
        figure.legend(handles=[plain, hollow] if others else [hollow], loc="outside lower center", ncols=1)


def _caption(
    complexities: Mapping[str, Complexity], across: Mapping[str, Estimate], kind: Mapping[str, str], unit: str,
    quantity: str,
) -> str:  # fmt: skip
    """Return what is shown, with its units."""
    left_out = [name for name in complexities if name not in across]
    rest = f" Without an entropy: {', '.join(left_out)}." if left_out else ""
    apart = " Kinds of data have pictures of their own: their entropies are computed in different ways."
    shown = [*across.values(), *(complexities[name].estimate for name in across)]
    return (
        f"Complexity ({style.complexity_units(unit)}) of {len(across)} domain{'s' * (len(across) > 1)} against their "
        f"{_QUANTITIES[quantity]}{'' if quantity == 'observations' else ', labels included'}."
        f"{apart if len(set(kind.values())) > 1 else ''} {style.interval_sentence(shown)}{rest}"
        f"{unnamed(max(list(kind.values()).count(one) for one in kind.values()))}"
    )


def _table(complexities: Mapping[str, Complexity], across: Mapping[str, Estimate], kind: Mapping[str, str]) -> Table:
    """Return one row per domain."""
    ends = ("", "_low", "_high")
    columns = ("domain", "kind", *(f"{n}{end}" for n in ("entropy", "mccp") for end in ends), "mostly_extrapolated")
    rows = [
        (
            name, kind[name], *style.interval_cells(at), *style.interval_cells(complexities[name].estimate),
            complexities[name].mostly_extrapolated,
        )
        for name, at in across.items()
    ]  # fmt: skip
    return Table.of(columns, rows)
