"""How our numbers rank domains and pairs beside baselines that people know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, as_sentence, finish, written
from aiq.records.known_baselines import BaselineComparison, Compared
from aiq.records.table import Table

_ROW, _HEAD = 0.21, 1.0  # inches
_KINDS = (("spearman", "Spearman's ρ", "o", style.BLUE, -0.14), ("kendall", "Kendall's τ", "s", style.ORANGE, 0.14))
_LABELS = {
    "f1": "Fisher's ratio (f1)",
    "f3": "best feature (f3)",
    "l2": "linear classifier (l2)",
    "n1": "next to a class (n1)",
    "n2": "within, between (n2)",
    "n3": "neighbour's error (n3)",
    "lsc": "neighbourhood (lsc)",
    "c1": "imbalance (c1)",
}
"""What problexity's short names stand for; the caption says more."""


@style.styled
@written("rank correlation")
def known_baselines(found: BaselineComparison) -> Drawing:
    """Draw the rank correlations of our numbers with known baselines: dots with intervals, one row per comparison.

    Rows are grouped by our number. Where there is no coefficient, the reason stands in its place; a dot without a bar
    has no interval. A baseline of which nothing is known (its package is missing) is in the table alone.

    Args:
        found: at least one comparison.

    Raises:
        InputError: there is none.
    """
    groups: dict[str, list[Compared]] = {}
    for one in [one for one in found.rows if one.found.compared] or found.rows:
        groups.setdefault(one.ours, []).append(one)
    if not groups:
        raise InputError("nothing was compared with known baselines, so there is nothing to draw")
    sizes = [len(rows) for rows in groups.values()]
    figure = style.new_figure(style.DOUBLE, _ROW * sum(sizes) + _HEAD + 0.25 * len(sizes))
    panels = figure.subplots(len(sizes), 1, sharex=True, height_ratios=sizes, squeeze=False)[:, 0]
    for axes, (ours, rows) in zip(panels, groups.items(), strict=True):
        _panel(axes, ours, rows)
    panels[-1].set_xlabel("rank correlation (1: the same order, −1: the reverse)")
    handles, labels = panels[0].get_legend_handles_labels()
    if not handles:
        handles, labels = panels[-1].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
    drawing = finish(figure, _table(found), _caption(found), _alt(found))
    for axes in panels:  # the last digits of stacked panels differ from layout to layout
        axes.set_position(tuple(round(number, 6) for number in axes.get_position().bounds))
    return drawing


def _panel(axes: Axes, ours: str, rows: Sequence[Compared]) -> None:
    """Draw the comparisons of one of our numbers."""
    for name, words, mark, ink, shift in _KINDS:
        known = [(y, one.found) for y, one in enumerate(rows) if np.isfinite(getattr(one.found, name))]
        for y, one in known:
            ends = getattr(one, f"{name}_interval")
            if ends is not None:
                axes.plot(ends, (y + shift, y + shift), color=ink, linewidth=1.0, alpha=0.6, zorder=2)
        axes.plot(
            [getattr(one, name) for _, one in known], [y + shift for y, _ in known], ls="", marker=mark, color=ink,
            markersize=3.5, label=words if known else None, zorder=3,
        )  # fmt: skip
    for y, one in enumerate(rows):
        if not np.isfinite(one.found.spearman):
            axes.annotate(one.found.note, (0.0, y), ha="center", va="center", fontsize=style.SMALL, color=style.GREY)
    axes.axvline(0, color=style.GREY, linewidth=0.8, zorder=1)
    labels = [_LABELS.get(one.baseline, one.baseline.replace("_", " ")) for one in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=style.SMALL)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(-1.05, 1.05)
    axes.tick_params(axis="y", length=0)
    style.grid(axes, "x")
    first = rows[0].found
    count = (
        f"{first.domains} domains" if rows[0].of == "domains" else f"{first.compared} pairs of {first.domains} domains"
    )
    axes.set_title(f"{ours.replace('_', ' ')}, {count}", fontsize=style.SMALL, loc="left")


def _table(found: BaselineComparison) -> Table:
    """Return one row per comparison; the first column names it."""
    plain = found.table()
    rows = [(f"{row[1]} and {row[2]}".replace("_", " "), *row) for row in plain.rows]
    return Table.of(("compared", *plain.columns), rows)


def _caption(found: BaselineComparison) -> str:
    """Return what is drawn and what it cannot tell."""
    meanings = dict.fromkeys(f"{one.baseline.replace('_', ' ')}: {one.meaning}" for one in found.rows)
    gaps = dict.fromkeys(one.found.note for one in found.rows if one.found.note and one.found.compared)
    said = "".join(as_sentence(note) for note in (*found.notes, *gaps))
    return (
        f"Rank correlations of the suite's complexities and dissimilarities with baselines that people know, with "
        f"{found.confidence:.0%} intervals (Bonett and Wright 2000 for ρ, Fieller and others 1957 for τ).{said} "
        f"Baselines: {'; '.join(meanings)}."
    )


def _alt(found: BaselineComparison) -> str:
    """Return the strongest and how many intervals leave 0 out."""
    known = [one for one in found.rows if np.isfinite(one.found.spearman)]
    if not known:
        return f"{len(found.rows)} comparisons with known baselines, none of which has a rank correlation."
    most = max(known, key=lambda one: abs(one.found.spearman))
    sure = sum((ends := one.found.spearman_interval) is not None and ends[0] * ends[1] > 0 for one in known)
    return (
        f"Spearman's rank correlations of {len(known)} comparisons, {sure} of them with an interval that leaves 0 out. "
        f"The strongest: {most.ours.replace('_', ' ')} and {most.baseline.replace('_', ' ')}, "
        f"{style.number(most.found.spearman)}."
    )
