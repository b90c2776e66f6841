"""Tests as points whose distances are their dissimilarities 1 - S (Fig. 4 of the 2020 paper).

What single runs write for |S|, beside what is printed (Fig. 5 of the 2020 paper with its sampling noise).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.figures.labels import place_labels, unnamed
from aiq.figures.mixtures import Pair
from aiq.records.table import Cell, Table
from aiq.wings.similarity2020.records import Embedding, MergedPair

# ---- What single runs write for |S|, beside what is printed (Fig ---------------------------------


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


# ---- Tests as points whose distances are their dissimilarities 1 - S (Fig ------------------------


_FEW = 6  # tests between which lines are drawn
_NEAR = 0.1
_WORST = 0.1  # stress from which on Kruskal (1964) calls a fit fair or poor


@style.styled
@written("distance: dissimilarity 1 − S", "stress")
def similarity_map(embeddings: Mapping[str, Embedding]) -> Drawing:
    """Draw embeddings side by side, with their stress; dashed lines are pairs that the plane misplaces by > .1.

    Args:
        embeddings: two-dimensional, by title.

    Raises:
        InputError: there is none, or one is not two-dimensional.
    """
    if not embeddings:
        raise InputError("there is no embedding to be drawn; give at least one")
    for title, found in embeddings.items():
        if found.coordinates.shape[1] != 2:
            raise InputError(f"{title} has {found.coordinates.shape[1]} axes; a map has 2")
    figure = style.new_figure(style.SINGLE if len(embeddings) == 1 else style.DOUBLE, 3.6)
    panels = np.atleast_1d(figure.subplots(1, len(embeddings)))
    for axes, (title, found) in zip(panels, embeddings.items(), strict=True):
        _panel(axes, title, found)
    keys = [Line2D([], [], color=style.BLUE, marker="o", ls="", label="test")]
    if any(len(found.names) <= _FEW for found in embeddings.values()):
        keys.append(Line2D([], [], color=style.PALE, label=f"placed to within {_NEAR:g}"))
        keys.append(Line2D([], [], color=style.ORANGE, ls="--", label="misplaced by more"))
    figure.legend(handles=keys, loc="outside lower center", ncols=3)
    for _ in range(2):
        figure.draw_without_rendering()
    for axes, found in zip(panels, embeddings.values(), strict=True):
        place_labels(axes, found.coordinates, found.names)
    most = max(found.stress for found in embeddings.values())
    verdict = "it is no faithful picture of the table" if most >= _WORST else "it is close to the table"
    unknown = sum(len(f.names) * (len(f.names) - 1) // 2 - f.known for f in embeddings.values())
    caption = (
        "Tests in the plane: distances approximate the dissimilarities 1 − S, without unit; axes have no meaning, the "
        f"picture may be turned and mirrored. Stress-1 is at most {style.number(most)}: {verdict}. Lines (with few "
        "tests) join pairs whose 1 − S is known: solid ones are placed to within .1, dashed ones are not. "
        f"{unknown} pairs without a value do not pull. A place has no interval: read those of S in the table."
    )
    caption += unnamed(max(len(found.names) for found in embeddings.values()), "tests")
    words = "; ".join(f"{title}: stress {style.number(found.stress)}" for title, found in embeddings.items())
    return finish(figure, _table(embeddings), caption, f"Two-dimensional maps of tests. {words}.")


def _panel(axes: Axes, title: str, found: Embedding) -> None:
    """Draw one embedding, its names apart; with few tests also the lines between them."""
    points, distances = found.coordinates, found.distances
    pairs = [(i, j) for i, j in combinations(range(len(found.names)), 2) if np.isfinite(found.asked[i, j])]
    for i, j in pairs if len(found.names) <= _FEW else []:
        asked = found.asked[i, j]
        near = abs(distances[i, j] - asked) <= _NEAR
        ends = points[[i, j]]
        axes.plot(*ends.T, color=style.PALE if near else style.ORANGE, lw=0.8, ls="-" if near else "--", zorder=1)
    axes.plot(*points.T, "o", color=style.BLUE, ms=5, zorder=3)
    half = 1.35 * max(float(np.abs(points).max()), 1e-9)
    axes.set_xlim(-half, half)
    axes.set_ylim(-half, half)
    axes.set_aspect("equal")
    axes.set_title(f"{title} (stress {style.number(found.stress)})")
    axes.set_xlabel("distance: dissimilarity 1 − S")
    style.grid(axes)


def _table(embeddings: Mapping[str, Embedding]) -> Table:
    """Return one row per test and embedding, with its coordinates, then one per pair, with both distances."""
    rows: list[tuple[Cell, ...]] = []
    for title, found in embeddings.items():
        for name, (x, y) in zip(found.names, found.coordinates.tolist(), strict=True):
            rows.append((title, name, None, x, y, None, None, found.stress))
        for i, a in enumerate(found.names):
            for j, b in enumerate(found.names[i + 1 :], i + 1):
                asked = float(found.asked[i, j])
                cell = asked if np.isfinite(asked) else None
                rows.append((title, a, b, None, None, cell, float(found.distances[i, j]), found.stress))
    return Table.of(("map", "a", "b", "x", "y", "dissimilarity", "distance", "stress"), rows)
