"""Collectives in Lambda*: Υ against the uncertainty H, scores against the complexity K, and one episode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.table import Table
from aiq.wings.collectives.records import ComplexityScore, EpisodeTrace, GroupIntelligence

WORDS = {
    "random": "random",
    "local_search": "local search",
    "oracle": "oracle",
    "q_learning": "Q-learning",
    "sarsa": "Sarsa",
    "stigmergy": "stigmergy",
    "auction": "auction",
    "imitation": "imitation",
    "shared_q": "shared Q-learning",
    "shared_sarsa": "shared Sarsa",
}
_ORDER = tuple(WORDS)


def _looks(kind: str) -> dict[str, object]:
    """Return colour, marker and line of a kind: the same in every figure."""
    index = _ORDER.index(kind)
    return {"color": style.colour(index), "marker": style.marker(index), "linestyle": style.line(index)}


def _ink(kind: str) -> str:
    return style.colour(_ORDER.index(kind))


@style.styled
@written("uncertainty H (bits)", "Υ (mean reward)")
def collectives_uncertainty(found: Sequence[GroupIntelligence]) -> Drawing:
    """Draw Υ of every kind against the search-space uncertainty H (the paper's Fig. 3).

    Raises:
        InputError: there is nothing to draw.
    """
    if not found:
        raise InputError("there is no score of a collective to be drawn; run at least one kind at one side")
    figure = style.new_figure(style.DOUBLE, 4.4)
    axes = figure.subplots()
    kinds = sorted({g.kind for g in found}, key=_ORDER.index)
    for kind in kinds:
        mine = sorted((g for g in found if g.kind == kind), key=lambda g: g.uncertainty)
        x = np.array([g.uncertainty for g in mine])
        axes.plot(x, [g.estimate.value for g in mine], ms=5, label=WORDS[kind], **_looks(kind))  # type: ignore[arg-type]
        style.interval_bars(axes, "y", [g.estimate for g in mine], x, _ink(kind))
    sides = {g.uncertainty: f"{g.uncertainty:.2f}\n({g.rows}×{g.columns})" for g in found}
    axes.set_xticks(sorted(sides), [sides[h] for h in sorted(sides)])
    axes.set_xlabel("search-space uncertainty H (bits) and grid")
    axes.set_ylabel("Υ (mean reward)")
    style.grid(axes)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=5)
    caption = (
        f"Υ of {len(kinds)} kind{'s' * (len(kinds) > 1)} of groups against the uncertainty H of where Good and Evil "
        f"are: mean reward over agents, iterations and environments of equally frequent complexities. "
        f"{style.interval_sentence([g.estimate for g in found])}"
    )
    last = max(g.uncertainty for g in found)
    words = "; ".join(
        f"{WORDS[g.kind]} {style.number(g.estimate.value)}"
        for g in sorted(found, key=lambda g: -g.estimate.value)
        if g.uncertainty == last
    )
    table = Table.of(
        ("kind", "side", "uncertainty", "upsilon", "upsilon_low", "upsilon_high", "episodes"),
        [(g.kind, g.rows, g.uncertainty, *style.interval_cells(g.estimate), g.estimate.n) for g in found],
    )
    return finish(figure, table, caption, f"Υ on the largest grid: {words}.")


@style.styled
@written("task complexity K (LZ76 phrases)", "score (mean reward)")
def collectives_complexity(scores: Sequence[ComplexityScore], *, pattern: str) -> Drawing:
    """Draw the scores of every kind against the task complexity K (the paper's Fig. 4).

    Args:
        scores: by kind and K.
        pattern: how Good and Evil move, ``segment`` or ``walk``.

    Raises:
        InputError: there is nothing to draw.
    """
    if not scores:
        raise InputError("there is no score against complexity to be drawn; run at least one kind")
    figure = style.new_figure(style.DOUBLE, 3.6)
    axes = figure.subplots()
    kinds = sorted({score.kind for score in scores}, key=_ORDER.index)
    for kind in kinds:
        mine = sorted((s for s in scores if s.kind == kind), key=lambda s: s.lowest)
        x = np.array([(s.lowest + s.highest) / 2 for s in mine])
        axes.plot(x, [s.estimate.value for s in mine], label=WORDS[kind], **_looks(kind))  # type: ignore[arg-type]
        style.interval_bars(axes, "y", [s.estimate for s in mine], x, _ink(kind))
    axes.set_xlabel("task complexity K (LZ76 phrases)")
    axes.set_ylabel("score (mean reward)")
    axes.xaxis.get_major_locator().set_params(integer=True)
    style.grid(axes)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=5)
    moves = "a segment of moves, repeated" if pattern == "segment" else "a random walk, back and forth"
    caption = (
        f"Scores of {len(kinds)} kind{'s' * (len(kinds) > 1)} of groups against the complexity K of the patterns of "
        f"Good and Evil ({moves}). {style.interval_sentence([s.estimate for s in scores])}"
    )
    ends = []
    for kind in kinds:
        mine = sorted((s for s in scores if s.kind == kind), key=lambda s: s.lowest)
        first, last = mine[0], mine[-1]
        ends.append(
            f"{WORDS[kind]} {style.number(first.estimate.value)} at {first.lowest}, "
            f"{style.number(last.estimate.value)} at {last.highest}"
        )
    table = Table.of(
        ("kind", "complexity_low", "complexity_high", "score", "score_low", "score_high", "episodes"),
        [(s.kind, s.lowest, s.highest, *style.interval_cells(s.estimate), s.estimate.n) for s in scores],
    )
    return finish(figure, table, caption, f"Scores at the lowest and the highest complexity: {'; '.join(ends)}.")


_HALO = 1


@style.styled
@written("Good", "Evil", "agents", "iteration 0")
def collectives_episode(trace: EpisodeTrace, *, pictures: int = 6) -> Drawing:
    """Draw the grid at some moments of an episode: Good, Evil, agents, and where rewards are.

    Args:
        trace: the episode.
        pictures: how many moments, spread evenly from the beginning to the end.

    Raises:
        InputError: fewer than one picture.
    """
    if pictures < 1:
        raise InputError(f"the number of pictures is {pictures}; it must be at least 1")
    steps = trace.rewards.shape[0]
    moments = sorted({round(float(t)) for t in np.linspace(0, steps, pictures)})
    columns = min(3, len(moments))
    rows = -(-len(moments) // columns)
    figure = style.new_figure(style.DOUBLE, 2.35 * rows + 0.7)
    grid = figure.subplots(rows, columns, squeeze=False)
    for place, moment in zip(grid.flat, moments, strict=False):
        _picture(place, trace, moment)
    for place in list(grid.flat)[len(moments) :]:
        place.set_visible(False)
    figure.legend(handles=_handles(trace.guide is not None), loc="outside lower center", ncols=5)
    means = trace.rewards.mean(axis=1)
    caption = (
        f"One episode of {WORDS[trace.kind]} on a {trace.rows}×{trace.columns} torus (task complexity "
        f"K = {trace.complexity}) at {len(moments)} moments. Coloured cells give rewards: around Good up to +1, around "
        f"Evil down to −1. A number in a mark counts agents in one cell. Mean reward of the episode "
        f"{means.mean():+.2f}."
    )
    table = Table.of(("iteration", "what", "row", "column", "agents"), _rows(trace))
    alt = (
        f"{len(moments)} pictures of a grid with Good, Evil and {trace.agents.shape[1]} agents; the mean reward of the "
        f"first ten iterations is {means[:10].mean():+.2f}, of the last ten {means[-10:].mean():+.2f}."
    )
    return finish(figure, table, caption, alt)


def _rows(trace: EpisodeTrace) -> list[tuple[int, str, int, int, int]]:
    found = []
    for t in range(trace.good.size):
        cells = [("Good", int(trace.good[t]), 0), ("Evil", int(trace.evil[t]), 0)]
        if trace.guide is not None:
            cells.append(("oracle", int(trace.guide[t]), 0))
        cells += [("agents", cell, count) for cell, count in sorted(Counter(trace.agents[t].tolist()).items())]
        found += [(t, what, *divmod(cell, trace.columns), count) for what, cell, count in cells]
    return found


def _rewards(trace: EpisodeTrace, moment: int) -> np.ndarray:
    """Return the rewards of all cells at a moment, (rows, columns)."""
    found = np.zeros((trace.rows, trace.columns))
    for cell, sign in ((trace.good[moment], 1.0), (trace.evil[moment], -1.0)):
        row, column = divmod(int(cell), trace.columns)
        for down in range(-_HALO, _HALO + 1):
            for right in range(-_HALO, _HALO + 1):
                found[(row + down) % trace.rows, (column + right) % trace.columns] += sign * 0.5
        found[row, column] += sign * 0.5
    return found


def _picture(axes: Axes, trace: EpisodeTrace, moment: int) -> None:
    shades = ListedColormap(["#F2A67B", "#FADBC8", "#FFFFFF", "#CFE3F2", "#8FC1E3"])
    axes.imshow(np.clip(_rewards(trace, moment), -1, 1), cmap=shades, vmin=-1.25, vmax=1.25, origin="upper")
    axes.set_xticks(np.arange(trace.columns + 1) - 0.5, labels=[])
    axes.set_yticks(np.arange(trace.rows + 1) - 0.5, labels=[])
    axes.tick_params(length=0)
    axes.grid(visible=True, linewidth=0.4)
    size = 900 / max(trace.rows, trace.columns)
    places = {"good": ("P", style.BLUE), "evil": ("X", style.VERMILION)}
    for name, (mark, ink) in places.items():
        row, column = divmod(int(getattr(trace, name)[moment]), trace.columns)
        axes.scatter([column], [row], marker=mark, s=0.8 * size, color=ink, zorder=3)
    if trace.guide is not None:
        row, column = divmod(int(trace.guide[moment]), trace.columns)
        axes.scatter([column], [row], marker="s", s=2.0 * size, facecolor="none", edgecolor=style.GREEN, zorder=4)
    for cell, count in Counter(trace.agents[moment].tolist()).items():
        row, column = divmod(int(cell), trace.columns)
        axes.scatter(
            [column], [row], marker="o", s=1.5 * size, facecolor="none", edgecolor=style.BLACK, linewidth=1.2, zorder=5
        )
        if count > 1:
            halo = [withStroke(linewidth=2, foreground="white")]
            axes.text(
                column, row, str(count), fontsize=style.SMALL, ha="center", va="center", zorder=6, path_effects=halo
            )
    reward = "" if moment == 0 else f", mean reward {trace.rewards[moment - 1].mean():+.2f}"
    axes.set_title(f"iteration {moment}{reward}", fontsize=style.SMALL)


def _handles(guide: bool) -> list[Line2D]:
    options = {"linestyle": "", "markersize": 6}
    found = [
        Line2D([], [], marker="P", color=style.BLUE, label="Good", **options),  # type: ignore[arg-type]
        Line2D([], [], marker="X", color=style.VERMILION, label="Evil", **options),  # type: ignore[arg-type]
        Line2D([], [], marker="o", mfc="none", color=style.BLACK, label="agents (number if several)", **options),  # type: ignore[arg-type]
    ]
    if guide:
        found.append(
            Line2D([], [], marker="s", mfc="none", color=style.GREEN, label="oracle (not scored)", **options)  # type: ignore[arg-type]
        )
    return found


FIGURES: Mapping[str, Callable[..., Drawing]] = MappingProxyType(
    {
        "collectives-uncertainty": collectives_uncertainty,
        "collectives-complexity": collectives_complexity,
        "collectives-episode": collectives_episode,
    }
)
"""By name."""
