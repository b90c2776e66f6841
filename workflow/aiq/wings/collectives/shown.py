"""What a run that measures collectives shows: figures, tables, what its page opens with.

Collectives in Lambda*: Υ against the uncertainty H, scores against the complexity K, and one episode.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from aiq import storage
from aiq.errors import InputError
from aiq.figures import drawing, style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.pages import Opening
from aiq.plans.products import Products
from aiq.records.estimate import jsonable
from aiq.records.table import Table
from aiq.run.job import read_stored
from aiq.run.products import Draw, Made
from aiq.wings.collectives.equations import KINDS, ComplexityScore, EpisodeTrace, GroupIntelligence
from aiq.wings.collectives.equations.world import grid
from aiq.wings.collectives.work import CollectivesResult, CollectivesRun


def read_result(run: CollectivesRun) -> CollectivesResult:
    """Return what a run found."""
    return read_stored(run, "reduce_episodes", CollectivesResult)


def show(run: CollectivesRun, declared: Products) -> Made:
    """Return Υ against H, scores against K, one episode, and the tables."""
    reduced = read_result(run)
    drawings: dict[str, Draw] = {
        f"collectives-complexity-{part.pattern}": partial(collectives_complexity, part.scores, pattern=part.pattern)
        for part in reduced.by_complexity
    }
    drawings["collectives-uncertainty"] = partial(collectives_uncertainty, reduced.intelligence)
    pictures = run.configuration.drawn.pictures
    drawings["collectives-episode"] = partial(collectives_episode, reduced.drawn, pictures=pictures)
    tables = {"intelligence": partial(intelligence_table, reduced), "orderings": partial(ordering_table, reduced)}
    return Made(drawings, tables)


def intelligence_table(result: CollectivesResult) -> Table:
    """Return Υ of every kind at every side, with its coefficient of variation (empty where there is none)."""
    rows = [
        (g.kind, g.rows, g.uncertainty, *g.estimate.cells(), g.estimate.n, jsonable(g.variation))
        for g in result.intelligence
    ]
    columns = ("kind", "side", "uncertainty", "upsilon", "upsilon_low", "upsilon_high", "episodes", "variation")
    return Table.of(columns, rows)


def ordering_table(result: CollectivesResult) -> Table:
    """Return every ordering with the difference that decides it."""
    columns = ("statement", "side", "difference", "difference_low", "difference_high", "holds")
    rows = [(o.statement, o.side, *o.difference.cells(), o.holds) for o in result.orderings]
    return Table.of(columns, rows)


def main_table(run: CollectivesRun) -> Table:
    """The upsilon of every kind of group at every side."""
    reduced = read_result(run)
    rows = [(g.kind, g.rows, *g.estimate.cells(), g.estimate.n) for g in reduced.intelligence]
    return Table.of(("kind", "side", "upsilon", "low", "high", "episodes"), rows)


def opening(run: CollectivesRun) -> tuple[Opening, list[tuple[str, str]]]:
    """Return Υ of every kind of group, how far to trust it, and facts.

    Raises:
        StorageError: a table is missing.
    """
    rows = storage.read_published(run.layout.table("intelligence")).dicts
    rows.sort(key=lambda row: (-int(row["side"] or 0), -float(row["upsilon"] or 0.0)))
    wanted = ("kind", "side", "upsilon", "upsilon_low", "upsilon_high", "episodes")
    stated = storage.read_published(run.layout.table("orderings")).dicts
    broken = [f"{row['statement']} (side {row['side']})" for row in stated if not row["holds"]]
    rest = f" Not established: {', '.join(broken)}." if broken else ""
    said = [
        f"{len(stated) - len(broken)} of {len(stated)} expected statements about the order of the kinds hold here, as "
        f"the intervals of their differences tell.{rest} Brackets are intervals over episodes.",
        "Scores hang on the grid, the number of agents and the iterations: they compare kinds of groups within this "
        "setting.",
    ]
    facts = [
        ("kinds of groups", str(len({row["kind"] for row in rows}))),
        ("grids", str(len({row["side"] for row in rows}))),
    ]
    called = [name.replace("upsilon", "Υ") for name in wanted]
    return Opening("Groups", Table.of(called, [[row[name] for name in wanted] for row in rows]), said), facts


_SAID = {"q_learning": "Q-learning", "sarsa": "Sarsa", "shared_q": "shared Q-learning", "shared_sarsa": "shared Sarsa"}
WORDS = {kind: _SAID.get(kind, kind.replace("_", " ")) for kind in KINDS}
Score = TypeVar("Score", GroupIntelligence, ComplexityScore)


def _curves(
    scores: Sequence[Score], at: Callable[[Score], float], height: float, **look: float
) -> tuple[Figure, Axes, dict[str, list[Score]]]:
    """Draw a line a kind with its intervals, of one look everywhere; return what each line shows, left to right."""
    if not scores:
        raise InputError("there is no score of a collective to be drawn; run at least one kind")
    figure = style.new_figure(style.DOUBLE, height)
    axes = figure.subplots()
    kinds = sorted({score.kind for score in scores}, key=KINDS.index)
    lines = {kind: sorted((score for score in scores if score.kind == kind), key=at) for kind in kinds}
    for kind, line in lines.items():
        index, x = KINDS.index(kind), np.array([at(score) for score in line])
        ink, marks = style.colour(index), {"marker": style.marker(index), "linestyle": style.line(index)}
        estimates = [score.estimate for score in line]
        axes.plot(x, [e.value for e in estimates], color=ink, label=WORDS[kind], **marks, **look)  # type: ignore[arg-type]
        style.interval_bars(axes, "y", estimates, x, ink)
    style.grid(axes)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure, axes, lines


def _kinds(count: int) -> str:
    return f"{count} kind{'s' * (count > 1)} of groups"


@figure("collectives-uncertainty", "uncertainty H (bits)", "Υ (mean reward)")
def collectives_uncertainty(scores: Sequence[GroupIntelligence]) -> Drawing:
    """Draw Υ of every kind against the search-space uncertainty H (the paper's Fig. 3)."""
    figure, axes, lines = _curves(scores, lambda score: score.uncertainty, 4.4, ms=5)
    sides = {g.uncertainty: f"{g.uncertainty:.2f}\n({g.rows}×{g.columns})" for g in scores}
    axes.set_xticks(sorted(sides), [sides[h] for h in sorted(sides)])
    axes.set_xlabel("search-space uncertainty H (bits) and grid")
    axes.set_ylabel("Υ (mean reward)")
    caption = (
        f"Υ of {_kinds(len(lines))} against the uncertainty H of where Good and Evil "
        f"are: mean reward over agents, iterations and environments of equally frequent complexities. "
        f"{style.interval_sentence([g.estimate for g in scores])}"
    )
    last = [g for g in scores if g.uncertainty == max(sides)]
    best_first = sorted(last, key=lambda g: -g.estimate.value)
    words = "; ".join(f"{WORDS[g.kind]} {style.number(g.estimate.value)}" for g in best_first)
    table = Table.of(
        ("kind", "side", "uncertainty", "upsilon", "upsilon_low", "upsilon_high", "episodes"),
        [(g.kind, g.rows, g.uncertainty, *g.estimate.cells(), g.estimate.n) for g in scores],
    )
    return finish(figure, table, caption, f"Υ on the largest grid: {words}.")


@figure("collectives-complexity", "task complexity K (LZ76 phrases)", "score (mean reward)")
def collectives_complexity(scores: Sequence[ComplexityScore], *, pattern: str) -> Drawing:
    """Draw the scores of every kind against the task complexity K (the paper's Fig. 4)."""
    figure, axes, lines = _curves(scores, lambda score: (score.lowest + score.highest) / 2, 3.6)
    axes.set_xlabel("task complexity K (LZ76 phrases)")
    axes.set_ylabel("score (mean reward)")
    axes.xaxis.get_major_locator().set_params(integer=True)
    moves = "a segment of moves, repeated" if pattern == "segment" else "a random walk, back and forth"
    caption = (
        f"Scores of {_kinds(len(lines))} against the complexity K of the patterns of "
        f"Good and Evil ({moves}). {style.interval_sentence([s.estimate for s in scores])}"
    )
    ends = "; ".join(
        f"{WORDS[kind]} {style.number(line[0].estimate.value)} at {line[0].lowest}, "
        f"{style.number(line[-1].estimate.value)} at {line[-1].highest}"
        for kind, line in lines.items()
    )
    table = Table.of(
        ("kind", "complexity_low", "complexity_high", "score", "score_low", "score_high", "episodes"),
        [(s.kind, s.lowest, s.highest, *s.estimate.cells(), s.estimate.n) for s in scores],
    )
    return finish(figure, table, caption, f"Scores at the lowest and the highest complexity: {ends}.")


@figure("collectives-episode", "Good", "Evil", "agents", "iteration 0")
def collectives_episode(trace: EpisodeTrace, *, pictures: int = 6) -> Drawing:
    """Draw the grid at some moments of an episode: Good, Evil, agents, and where rewards are."""
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
    objects = {"Good": trace.good, "Evil": trace.evil}
    if trace.guide is not None:
        objects["oracle"] = trace.guide
    rows = []
    for t in range(trace.good.size):
        cells = [(what, int(cell[t]), 0) for what, cell in objects.items()]
        cells += [("agents", cell, count) for cell, count in sorted(Counter(trace.agents[t].tolist()).items())]
        rows += [(t, what, *divmod(cell, trace.columns), count) for what, cell, count in cells]
    return rows


def _rewards(trace: EpisodeTrace, moment: int) -> np.ndarray:
    rewards, around = np.zeros(trace.rows * trace.columns), grid(trace.rows, trace.columns).neighbours
    for cell, half in ((trace.good[moment], 0.5), (trace.evil[moment], -0.5)):
        rewards[around[cell]] += half
        rewards[cell] += half
    return rewards.reshape(trace.rows, trace.columns)


def _picture(axes: Axes, trace: EpisodeTrace, moment: int) -> None:
    shades = ListedColormap(["#F2A67B", "#FADBC8", "#FFFFFF", "#CFE3F2", "#8FC1E3"])
    axes.imshow(np.clip(_rewards(trace, moment), -1, 1), cmap=shades, vmin=-1.25, vmax=1.25, origin="upper")
    axes.set_xticks(np.arange(trace.columns + 1) - 0.5, labels=[])
    axes.set_yticks(np.arange(trace.rows + 1) - 0.5, labels=[])
    axes.tick_params(length=0)
    axes.grid(visible=True, linewidth=0.4)
    size = 900 / max(trace.rows, trace.columns)

    def mark(cell: int, marker: str, share: float, **look: Any) -> tuple[int, int]:
        row, column = divmod(int(cell), trace.columns)
        axes.scatter([column], [row], marker=marker, s=share * size, **look)
        return column, row

    mark(trace.good[moment], "P", 0.8, color=style.BLUE, zorder=3)
    mark(trace.evil[moment], "X", 0.8, color=style.VERMILION, zorder=3)
    if trace.guide is not None:
        mark(trace.guide[moment], "s", 2.0, facecolor="none", edgecolor=style.GREEN, zorder=4)
    for cell, count in Counter(trace.agents[moment].tolist()).items():
        place = mark(cell, "o", 1.5, facecolor="none", edgecolor=style.BLACK, linewidth=1.2, zorder=5)
        if count > 1:
            halo = [withStroke(linewidth=2, foreground="white")]
            axes.text(*place, str(count), fontsize=style.SMALL, ha="center", va="center", zorder=6, path_effects=halo)
    reward = "" if moment == 0 else f", mean reward {trace.rewards[moment - 1].mean():+.2f}"
    axes.set_title(f"iteration {moment}{reward}", fontsize=style.SMALL)


def _handles(guide: bool) -> list[Line2D]:
    looks: list[dict[str, Any]] = [
        {"marker": "P", "color": style.BLUE, "label": "Good"},
        {"marker": "X", "color": style.VERMILION, "label": "Evil"},
        {"marker": "o", "mfc": "none", "color": style.BLACK, "label": "agents (number if several)"},
        {"marker": "s", "mfc": "none", "color": style.GREEN, "label": "oracle (not scored)"},
    ]
    return [Line2D([], [], linestyle="", markersize=6, **look) for look in looks[: 4 if guide else 3]]


FIGURES = {name: draw for name, draw in drawing.FIGURES.items() if name.startswith("collectives-")}
