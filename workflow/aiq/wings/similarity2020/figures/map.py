"""Tests as points whose distances are their dissimilarities 1 - S (Fig. 4 of the 2020 paper)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.figures.labels import place_labels, unnamed
from aiq.records.table import Cell, Table
from aiq.wings.similarity2020.records import Embedding

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
