"""What single runs write for |S|, beside what is printed (Fig. 5 of the 2020 paper with its sampling noise)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.figures.mixtures import Pair
from aiq.records.table import Cell, Table
from aiq.wings.similarity2020.records import MergedPair

_TAIL = 0.025


@style.styled
@written("|S| of one run", "mean of single runs")
def similarity_noise(pairs: Sequence[MergedPair], *, published: Mapping[Pair, float] | None = None) -> Drawing:
    """Draw for every pair the range that holds 95 % of single runs, their mean, and the printed value.

    Args:
        pairs: with |S| of single runs, self-pairs included.
        published: printed |S| by pair, in either order.

    Raises:
        InputError: no pair has single runs.
    """
    known = [(pair, pair.single[np.isfinite(pair.single)]) for pair in pairs]
    known = [(pair, single) for pair, single in known if single.size]
    if not known:
        raise InputError("no pair has runs of its own to be drawn; train at least one")
    printed = {frozenset(pair): value for pair, value in (published or {}).items()}
    half = -(-len(known) // 2)
    columns = 2 if len(known) > 12 else 1
    each = half if columns == 2 else len(known)
    figure = style.new_figure(style.DOUBLE if columns == 2 else style.SINGLE + 1, min(9.4, 1.5 + 0.25 * each))
    panels = np.atleast_1d(figure.subplots(1, columns, sharex=True))
    rows: list[tuple[Cell, ...]] = []
    for place, axes in enumerate(panels):
        mine = known[place * each : (place + 1) * each]
        y = np.arange(len(mine))[::-1]
        ranges = np.array([np.quantile(single, [_TAIL, 1 - _TAIL]) for _, single in mine])
        means = np.array([single.mean() for _, single in mine])
        shown = [printed.get(frozenset((pair.a, pair.b))) for pair, _ in mine]
        axes.hlines(y, *ranges.T, color=style.SKY, lw=3, label="95 % of single runs")
        axes.plot(means, y, "|", color=style.BLACK, ms=7, label="mean of single runs")
        there = [(value, at) for value, at in zip(shown, y, strict=True) if value is not None]
        if there:
            axes.plot(*zip(*there, strict=True), "D", color=style.VERMILION, ms=3.5, label="in print")
        axes.set_yticks(y, [f"{pair.a} – {pair.b}" for pair, _ in mine], fontsize=style.SMALL)
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.8, len(mine) - 0.2)
        axes.set_xlabel("|S| of one run")
        style.grid(axes, "x")
        rows += [
            (pair.a, pair.b, float(mean), float(low), float(high), value, len(single))
            for (pair, single), mean, (low, high), value in zip(mine, means, ranges, shown, strict=True)
        ]
    style.legend_below(figure, panels[0], 3)
    both = [(row[5], row[3], row[4]) for row in rows if row[5] is not None]
    out = sum(not low - 0.005 <= value <= high + 0.005 for value, low, high in both)  # type: ignore[operator]
    compared = f"{len(both) - out} of {len(both)} printed values lie inside." if both else "There are no printed ones."
    caption = (
        "|S| as a program writes it that trains once for each performance: where 95 % of such runs lie and their mean. "
        f"{compared} A printed value inside says that it is no more than such a run's noise; one outside, that the "
        "recipe here is not the one behind it, or chance (5 % are expected outside)."
    )
    table = Table.of(("a", "b", "mean", "low", "high", "published", "runs"), rows)
    wide = max(rows, key=lambda row: float(row[4] or 0) - float(row[3] or 0))
    alt = f"The widest range of single runs is that of {wide[0]} and {wide[1]}, {wide[3]:.2f} to {wide[4]:.2f}."
    return finish(figure, table, caption, alt)
