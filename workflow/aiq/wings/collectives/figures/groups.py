"""Collectives in Lambda*: Υ against the uncertainty H, and scores against the complexity K (Chmait et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.table import Table
from aiq.wings.collectives.records import ComplexityScore, GroupIntelligence

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
    """Return the colour of a kind."""
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
