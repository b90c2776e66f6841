"""Complexity and entropy of each domain, each over the largest of its kind (Fig. 5 of the 2025 paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.domains import counted
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.estimate import Estimate
from aiq.records.table import Table

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
