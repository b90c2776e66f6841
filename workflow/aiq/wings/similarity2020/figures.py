"""Pictures of merged tests: maps, single runs beside print, performance by share of a test and by size of network.

A map has tests as points whose distances are their dissimilarities 1 - S (Fig. 4 of the 2020 paper), with their stress.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy.optimize import minimize

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, figure, finish, place_labels, unnamed
from aiq.figures.matrix import Pair
from aiq.records.estimate import Floats
from aiq.records.table import Cell, Table
from aiq.wings.similarity2020.reduction import COLUMNS, MergedPair, TestPerformance

STARTS = 40


@dataclass(frozen=True, eq=False)
class Embedding:
    """Points (n, 2), centred, along principal axes, whose distances approximate dissimilarities δ.

    ``asked``: δ, (n, n), NaN where unknown. ``pairs``: number of known ones. ``stress``: Kruskal's stress-1, the root
    of Σ(d - δ)² / Σd² over the known pairs; 0 is a perfect fit.
    """

    names: tuple[str, ...]
    coordinates: Floats
    stress: float
    asked: Floats
    pairs: int

    @property
    def distances(self) -> Floats:
        """d, (n, n)."""
        difference = self.coordinates[:, None] - self.coordinates[None]
        return np.asarray(np.sqrt((difference**2).sum(axis=2)))


def embed(names: Sequence[str], dissimilarity: npt.ArrayLike, *, seed: int = 0) -> Embedding:
    """Place points in the plane so that the sum of (d - δ)² over the known pairs is least.

    The least squares are sought from the classical solution and from random ones; the best is kept. The result is
    centred and turned to its principal axes; reflections are settled by the first point's signs. ``dissimilarity``: δ,
    (n, n), symmetric, NaN where unknown, but not of a whole point; the diagonal is not read.
    """
    asked = np.array(dissimilarity, np.float64)
    n = len(names)
    np.fill_diagonal(asked, np.nan)
    if (asked < 0).any():
        raise InputError("dissimilarities must be symmetric and 0 or more; |S| above 1 has none")
    rows, columns = np.nonzero(np.triu(np.isfinite(asked), 1))
    target = asked[rows, columns]

    def misfit(flat: Floats) -> tuple[float, Floats]:
        """Return the squares and their gradient."""
        points = flat.reshape(n, 2)
        apart = points[rows] - points[columns]
        distance = np.sqrt((apart**2).sum(axis=1))
        rest = distance - target
        slope = (2 * rest / np.maximum(distance, 1e-12))[:, None] * apart
        gradient = np.zeros_like(points)
        np.add.at(gradient, rows, slope)
        np.subtract.at(gradient, columns, slope)
        return float((rest**2).sum()), gradient.ravel()

    rng = np.random.default_rng(seed)
    size = max(float(target.max()), 1e-12)
    starts = [_classical(asked, target), *rng.normal(0, size, (STARTS, n, 2))]
    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-12}
    runs = [minimize(misfit, s.ravel(), jac=True, method="L-BFGS-B", options=options) for s in starts]
    best = min(runs, key=lambda run: run.fun)
    points = _turned(best.x.reshape(n, 2))
    distance = np.sqrt(((points[rows] - points[columns]) ** 2).sum(axis=1))
    total = float((distance**2).sum())
    stress = float(np.sqrt(((distance - target) ** 2).sum() / total)) if total > 0 else 0.0
    return Embedding(tuple(names), points, stress, asked, len(target))


def _classical(asked: Floats, target: Floats) -> Floats:
    squares = np.where(np.isfinite(asked), asked, target.mean()) ** 2
    np.fill_diagonal(squares, 0.0)
    centre = np.eye(len(asked)) - 1 / len(asked)
    values, vectors = np.linalg.eigh(-centre @ squares @ centre / 2)
    largest = np.argsort(values)[::-1][:2]
    return np.asarray(vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0.0)))


def _turned(points: Floats) -> Floats:
    """Return points about their centre, along their principal axes, the largest coordinate of each axis positive."""
    centred = points - points.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    signs = np.sign(turned[np.abs(turned).argmax(axis=0), [0, 1]])
    return np.asarray(turned * np.where(signs == 0, 1.0, signs))


# ---- Figures ------------------------------------------------------------------------------------------


_TAIL = 0.025


@figure("similarity-noise", "|S| of one run", "mean of single runs")
def similarity_noise(pairs: Sequence[MergedPair], *, published: Mapping[Pair, float] | None = None) -> Drawing:
    """Draw for every pair, self-pairs too, the range of 95 % of single runs, their mean, and the printed value."""
    drawn = [(pair, single) for pair in pairs if (single := pair.single[np.isfinite(pair.single)]).size]
    if not drawn:
        raise InputError("no pair has runs of its own to be drawn; train at least one")
    printed = {frozenset(pair): value for pair, value in (published or {}).items()}
    columns = 2 if len(drawn) > 12 else 1
    each = -(-len(drawn) // columns)
    figure = style.new_figure(style.DOUBLE if columns == 2 else style.SINGLE + 1, min(9.4, 1.5 + 0.25 * each))
    panels = np.atleast_1d(figure.subplots(1, columns, sharex=True))
    rows: list[tuple[Cell, ...]] = []
    for place, axes in enumerate(panels):
        mine = drawn[place * each : (place + 1) * each]
        y = np.arange(len(mine))[::-1]
        ranges = np.array([np.quantile(single, [_TAIL, 1 - _TAIL]) for _, single in mine])
        means = np.array([single.mean() for _, single in mine])
        values = [printed.get(frozenset((pair.a, pair.b))) for pair, _ in mine]
        axes.hlines(y, *ranges.T, color=style.SKY, lw=3, label="95 % of single runs")
        axes.plot(means, y, "|", color=style.BLACK, ms=7, label="mean of single runs")
        there = [(value, at) for value, at in zip(values, y, strict=True) if value is not None]
        if there:
            axes.plot(*zip(*there, strict=True), "D", color=style.VERMILION, ms=3.5, label="in print")
        axes.set_yticks(y, [f"{pair.a} – {pair.b}" for pair, _ in mine], fontsize=style.SMALL)
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.8, len(mine) - 0.2)
        axes.set_xlabel("|S| of one run")
        style.grid(axes, "x")
        rows += [
            (pair.a, pair.b, float(mean), float(low), float(high), value, len(single))
            for (pair, single), mean, (low, high), value in zip(mine, means, ranges, values, strict=True)
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


_FEW = 6  # tests between which lines are drawn
_NEAR = 0.1
_WORST = 0.1  # stress from which on Kruskal (1964) calls a fit fair or poor


@figure("similarity-map", "distance: dissimilarity 1 − S", "stress")
def similarity_map(embeddings: Mapping[str, Embedding]) -> Drawing:
    """Draw embeddings, by title, side by side with their stress; dashed lines are pairs misplaced by > .1."""
    if not embeddings:
        raise InputError("there is no embedding to be drawn; give at least one")
    figure = style.new_figure(style.SINGLE if len(embeddings) == 1 else style.DOUBLE, 3.6)
    panels = np.atleast_1d(figure.subplots(1, len(embeddings)))
    for axes, (title, embedding) in zip(panels, embeddings.items(), strict=True):
        _panel(axes, title, embedding)
    keys = [Line2D([], [], color=style.BLUE, marker="o", ls="", label="test")]
    if any(len(embedding.names) <= _FEW for embedding in embeddings.values()):
        keys.append(Line2D([], [], color=style.PALE, label=f"placed to within {_NEAR:g}"))
        keys.append(Line2D([], [], color=style.ORANGE, ls="--", label="misplaced by more"))
    figure.legend(handles=keys, loc="outside lower center", ncols=3)
    for _ in range(2):
        figure.draw_without_rendering()
    for axes, embedding in zip(panels, embeddings.values(), strict=True):
        place_labels(axes, embedding.coordinates, embedding.names)
    most = max(embedding.stress for embedding in embeddings.values())
    verdict = "it is no faithful picture of the table" if most >= _WORST else "it is close to the table"
    unknown = sum(len(f.names) * (len(f.names) - 1) // 2 - f.pairs for f in embeddings.values())
    caption = (
        "Tests in the plane: distances approximate the dissimilarities 1 − S, without unit; axes have no meaning, the "
        f"picture may be turned and mirrored. Stress-1 is at most {style.number(most)}: {verdict}. Lines (with few "
        "tests) join pairs whose 1 − S is known: solid ones are placed to within .1, dashed ones are not. "
        f"{unknown} pairs without a value do not pull. A place has no interval: read those of S in the table."
    )
    caption += unnamed(max(len(embedding.names) for embedding in embeddings.values()), "tests")
    words = "; ".join(f"{title}: stress {style.number(embedding.stress)}" for title, embedding in embeddings.items())
    return finish(figure, _map_table(embeddings), caption, f"Two-dimensional maps of tests. {words}.")


def _panel(axes: Axes, title: str, embedding: Embedding) -> None:
    points, distances = embedding.coordinates, embedding.distances
    pairs = [(i, j) for i, j in combinations(range(len(embedding.names)), 2) if np.isfinite(embedding.asked[i, j])]
    for i, j in pairs if len(embedding.names) <= _FEW else []:
        asked = embedding.asked[i, j]
        near = abs(distances[i, j] - asked) <= _NEAR
        ends = points[[i, j]]
        axes.plot(*ends.T, color=style.PALE if near else style.ORANGE, lw=0.8, ls="-" if near else "--", zorder=1)
    axes.plot(*points.T, "o", color=style.BLUE, ms=5, zorder=3)
    half = 1.35 * max(float(np.abs(points).max()), 1e-9)
    axes.set_xlim(-half, half)
    axes.set_ylim(-half, half)
    axes.set_aspect("equal")
    axes.set_title(f"{title} (stress {style.number(embedding.stress)})")
    axes.set_xlabel("distance: dissimilarity 1 − S")
    style.grid(axes)


def _map_table(embeddings: Mapping[str, Embedding]) -> Table:
    """Return one row per test and embedding, with its coordinates, then one per pair, with both distances."""
    rows: list[tuple[Cell, ...]] = []
    for title, embedding in embeddings.items():
        for name, (x, y) in zip(embedding.names, embedding.coordinates.tolist(), strict=True):
            rows.append((title, name, None, x, y, None, None, embedding.stress))
        for i, a in enumerate(embedding.names):
            for j, b in enumerate(embedding.names[i + 1 :], i + 1):
                asked = float(embedding.asked[i, j])
                cell = asked if np.isfinite(asked) else None
                rows.append((title, a, b, None, None, cell, float(embedding.distances[i, j]), embedding.stress))
    return Table.of(("map", "a", "b", "x", "y", "dissimilarity", "distance", "stress"), rows)


@figure("similarity-shares", "share p of", "performance on the merged test")
def similarity_shares(performances: Sequence[TestPerformance]) -> Drawing:
    """Draw the performance on samples of one pair at several shares of the easier test, between both alone (Fig. 3)."""
    alone = sorted((p for p in performances if p.kind == "alone"), key=lambda p: -p.performance.value)
    merged = sorted((p for p in performances if p.kind == "sampled"), key=lambda p: p.at)
    if len(alone) != 2 or not merged:
        raise InputError(f"{len(alone)} tests alone and {len(merged)} merged ones; needed are 2 and at least 1")
    easy, hard = alone
    swapped = merged[0].a != easy.a
    x = np.array([1 - p.at if swapped else p.at for p in merged])
    order = np.argsort(x)
    x, merged = x[order], [merged[k] for k in order]
    figure = style.new_figure(style.SINGLE + 1.2, 3.2)
    axes = figure.subplots()
    for test, words, ink, ls in (
        (easy, f"V_A: {easy.a} alone", style.GREEN, "--"),
        (hard, f"V_B: {hard.a} alone", style.VERMILION, "-."),
    ):
        axes.axhline(test.performance.value, color=ink, ls=ls, lw=1.0, label=words)
        if test.performance.interval is not None:
            axes.axhspan(*test.performance.interval, color=ink, alpha=0.15, lw=0)
    line = [hard.performance.value, easy.performance.value]
    axes.plot([0, 1], line, color=style.GREY, ls=":", lw=1.0, label="straight line")
    estimates = [p.performance for p in merged]
    label = f"({easy.a}, {hard.a})"
    axes.plot(x, [e.value for e in estimates], "o-", color=style.BLUE, label=label)
    style.interval_bars(axes, "y", estimates, x, style.BLUE)
    axes.set_xlabel(f"share p of {easy.a} in the merged test")
    axes.set_ylabel("performance on the merged test")
    axes.set_xlim(-0.03, 1.03)
    style.grid(axes)
    style.legend_below(figure, axes, 2)
    below = [p.performance for p in merged if (p.performance.interval or (1, 1))[1] < hard.performance.value]
    above = [p.performance for p in merged if (p.performance.interval or (0, 0))[0] > easy.performance.value]
    caption = (
        f"Performance on samples of {easy.a} and {hard.a} with the number of training samples held constant, as in "
        "Fig. 3 of the 2020 paper; S is 0 on the straight line at p = 1/2. At p = 0 and 1 the network has the outputs "
        "of both tests, so it need not reach V_B and V_A. "
        f"{len(below)} of {len(merged)} intervals lie below V_B, {len(above)} above V_A. "
        f"{style.interval_sentence([*estimates, easy.performance, hard.performance])} Bands are those of V_A and V_B."
    )
    alt = (
        f"From {style.number(estimates[0].value)} at p = {style.number(float(x[0]))} to "
        f"{style.number(estimates[-1].value)} at p = {style.number(float(x[-1]))}."
    )
    return finish(figure, _table([*alone, *merged]), caption, alt)


@figure("similarity-halvings", "parameters of the network (log scale)", "performance (share of right answers)")
def similarity_halvings(performances: Sequence[TestPerformance]) -> Drawing:
    """Draw the performance on two tests, alone, controls and merged, against the size of the network (Fig. 2)."""
    if not performances:
        raise InputError("there is no performance to be drawn; train at least one test")
    figure = style.new_figure(style.DOUBLE, 3.8)
    axes = figure.subplots()
    labels = list(dict.fromkeys(p.label for p in performances))
    for index, label in enumerate(labels):
        mine = sorted((p for p in performances if p.label == label), key=lambda p: -p.halvings)
        x = np.array([p.parameters for p in mine], np.float64)
        look = {"color": style.colour(index), "marker": style.marker(index), "linestyle": style.line(index)}
        axes.plot(x, [p.performance.value for p in mine], label=label, **look)  # type: ignore[arg-type]
        style.interval_bars(axes, "y", [p.performance for p in mine], x, style.colour(index))
    axes.set_xscale("log", base=2)
    axes.set_xlabel("parameters of the network (log scale)")
    axes.set_ylabel("performance (share of right answers)")
    style.grid(axes)
    style.legend_below(figure, axes, 3)
    halvings = sorted({p.halvings for p in performances})
    caption = (
        "Performance against the size of the network, whose filters are halved "
        f"{', '.join(str(h) for h in halvings)} times, as in Fig. 2 of the 2020 paper: A and B alone, (A, B) with "
        "samples of either, A|B stitched side by side with two labels (the mean of both halves), A|A and B|B the "
        "controls. A stitched network is asked two questions at once and has wider pictures, so it has more "
        f"parameters. {style.interval_sentence([p.performance for p in performances])}"
    )
    last = [p for p in performances if p.halvings == halvings[0]]
    words = "; ".join(f"{p.label} {style.number(p.performance.value)}" for p in last)
    return finish(figure, _table(performances), caption, f"With the widest network: {words}.")


def _table(performances: Sequence[TestPerformance]) -> Table:
    return Table.of((*COLUMNS, "trainings", "lost"), [(*p.cells(), p.performance.n, p.lost) for p in performances])


FIGURES: Mapping[str, Callable[..., Drawing]] = {
    "similarity-map": similarity_map,
    "similarity-shares": similarity_shares,
    "similarity-halvings": similarity_halvings,
    "similarity-noise": similarity_noise,
}
"""By name."""
