"""The mixture curves of all pairs of a suite in one figure; of a large suite those of the pairs that stand out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from aiq.figures import style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.figures.mixtures import MixturePair, mixture_ends, mixture_table, value_words
from aiq.records.estimate import Floats

_ROWS = 6  # pairs of a kind in the figure of a large suite
_MARGIN = 0.07  # of a cell around its curves
_LABELS = ("dissimilarity (area)", "straight line $V_d$", "observed $V_O$")


@figure("mixture-overview", "domain a", "domain b", "straight line", "observed")
def mixture_overview(pairs: Sequence[MixturePair]) -> Drawing:
    """Draw the mixture curves of all pairs in one square of small pictures, domain a down, domain b across.

    All small pictures share the performance axis, whose ends stand in the caption and the corner. Of more than 24
    domains the most and the least different pairs are drawn, and those to look at; the table has all pairs.

    Self-pairs and both orders of a pair are shown where given.

    Raises:
        InputError: there is no pair.
    """
    low, high = mixture_ends(pairs)
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.a, pair.b)))
    if len(names) > style.PICTURES:
        return _notable(pairs, len(names))
    side = style.SINGLE if len(names) <= 3 else style.DOUBLE
    figure = style.new_figure(side, side)
    axes = figure.subplots()
    small = (side - 1.1) / len(names) < 0.5
    for index, pair in enumerate(pairs):
        corner = names.index(pair.b), names.index(pair.a)
        _thumbnail(axes, pair, corner, (low, high), numbered=not small, labelled=index == 0)
    axes.set_xlim(0, len(names))
    axes.set_ylim(len(names), 0)
    axes.set_aspect("equal")
    axes.xaxis.tick_top()
    axes.yaxis.tick_right()
    axes.set_xticks(np.arange(len(names)) + 0.5, names, rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(names)) + 0.5, names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("domain b (left edge of a cell: only b, p = 0)")
    axes.xaxis.set_label_position("top")
    axes.yaxis.set_label_position("right")
    axes.set_ylabel("domain a (right edge of a cell: only a, p = 1)")
    _key(figure, axes, f"performance from {low:.2f} (bottom)\nto {high:.2f} (top) in every cell", pairs, names)
    caption = (
        f"Mixture curves of {len(pairs)} pairs of {len(names)} domains on one performance axis (its ends stand in "
        "the key), proportions p of a from 0 (left) to 1 (right). Grey: the area that is the dissimilarity"
        f"{'' if small else ', its value in the cell'}. The table beside the figure holds the intervals."
    )
    largest = max(pairs, key=lambda pair: pair.dissimilarity.value)
    return finish(figure, mixture_table(pairs), caption, _alt(f"{len(pairs)} pairs", largest))


def _alt(what: str, largest: MixturePair) -> str:
    return (
        f"Mixture curves of {what}; the largest dissimilarity is that of {largest.a} and {largest.b}, "
        f"{value_words(largest.dissimilarity)}."
    )


def _key(figure: Figure, axes: Axes, scale: str, entries: Sequence[MixturePair], names: list[str]) -> None:
    below = any(names.index(entry.a) > names.index(entry.b) for entry in entries)
    if below or len(names) < 6:
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=1 if len(names) <= 3 else 3, title=scale)
    else:
        axes.legend(loc="lower left", title=scale, alignment="left", title_fontsize=style.SMALL)


def _thumbnail(
    axes: Axes, entry: MixturePair, corner: tuple[int, int], span: tuple[float, float], numbered: bool, labelled: bool
) -> None:
    """Draw one pair into the unit square at ``corner`` (column, row) of an axes whose y axis points down."""
    record = entry.dissimilarity

    def down(values: Floats) -> Floats:
        share = (values - span[0]) / (span[1] - span[0])
        return np.asarray(corner[1] + 1 - _MARGIN - (1 - 2 * _MARGIN) * share)

    across = corner[0] + _MARGIN + (1 - 2 * _MARGIN) * record.proportions
    near, far = _MARGIN, 1 - _MARGIN
    frame = np.array([[near, near], [far, near], [far, far], [near, far]])
    axes.fill(*(frame + corner).T, facecolor="none", edgecolor=style.PALE, linewidth=0.6)
    labels = _LABELS if labelled else (None, None, None)
    _curves(axes, across, down(record.line), down(record.observed), labels, 0.6, linewidth=1.0)
    if numbered:
        top = min(down(record.observed).min(), down(record.line).min()) - corner[1] < 0.36
        at = (corner[0] + 0.5, corner[1] + (far - 0.03 if top else near + 0.03))
        axes.text(*at, f"{record.value:.4f}", fontsize=style.SMALL, ha="center", va="bottom" if top else "top")


# ---- A large suite -------------------------------------------------------------------------------


def _notable(entries: Sequence[MixturePair], domains: int) -> Drawing:
    kinds = _kinds(entries)
    drawn = [entry for column in kinds.values() for entry, _ in column]
    rows = max(len(column) for column in kinds.values())
    figure = style.new_figure(style.DOUBLE, 1.5 * rows + 1.0)
    grid = figure.subplots(rows, len(kinds), sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat:
        axes.set_visible(False)
    for place, (kind, column) in enumerate(kinds.items()):
        for row, (entry, reason) in enumerate(column):
            axes = grid[row, place]
            axes.set_visible(True)
            record = entry.dissimilarity
            style.grid(axes, "y")
            _curves(axes, record.proportions, record.line, record.observed, _LABELS, 0.8, marker="o", markersize=2)
            heading = f"{kind}\n" if row == 0 else ""
            axes.set_title(f"{heading}{entry.a} (a), {entry.b} (b)\n{reason}", fontsize=style.SMALL)
            lowest = row == len(column) - 1
            axes.tick_params(labelbottom=lowest, labelleft=True)
            axes.set_xlabel("proportion p of domain a" if lowest else "")
    grid[0, 0].set_ylim(*mixture_ends(drawn))
    grid[0, 0].set_xlim(-0.03, 1.03)
    figure.supylabel("performance on the mixture", fontsize=style.NORMAL)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    caption = (
        f"Mixture curves of {len(drawn)} of {len(entries)} pairs of {domains} domains, on one performance axis: "
        f"{'; '.join(f'{kind}, {len(column)}' for kind, column in kinds.items())}. Grey: the area that is the "
        "dissimilarity. To look at are pairs with lost repetitions, then those whose curve crosses the straight line, "
        "so that noise adds to the area. The table beside the figure has the curves of all pairs, with intervals."
    )
    return finish(figure, mixture_table(entries), caption, _alt(f"{len(drawn)} of {len(entries)} pairs", drawn[0]))


def _kinds(entries: Sequence[MixturePair]) -> dict[str, list[tuple[MixturePair, str]]]:
    """Return pairs of two domains by what makes them stand out, each with the number behind it; no kind is empty."""
    apart = [entry for entry in entries if entry.a != entry.b] or entries
    ranked = sorted(apart, key=lambda entry: -entry.dissimilarity.value)
    lost = sorted((e for e in apart if e.dissimilarity.n_failed), key=lambda e: -e.dissimilarity.n_failed)
    crossing = [e for e in apart if e.dissimilarity.crosses and not e.dissimilarity.n_failed]
    crossing.sort(key=lambda e: abs(e.dissimilarity.signed.value) - e.dissimilarity.plain.value)
    flagged = [(e, f"{e.dissimilarity.n_failed} repetitions lost") for e in lost]
    flagged += [
        (e, f"plain {e.dissimilarity.plain.value:.4f}, signed {e.dissimilarity.signed.value:.4f}") for e in crossing
    ]
    kinds = {
        "most different": [(e, f"DS = {e.dissimilarity.value:.4f}") for e in ranked[:_ROWS]],
        "least different": [(e, f"DS = {e.dissimilarity.value:.4f}") for e in ranked[::-1][:_ROWS]],
        "to look at": flagged[:_ROWS],
    }
    return {kind: column for kind, column in kinds.items() if column}


def _curves(
    axes: Axes, p: Floats, line: Floats, observed: Floats, labels: Sequence[str | None], width: float, **look: Any
) -> None:
    area, of_line, of_observed = labels
    axes.fill_between(p, observed, line, label=area, color=style.GREY, alpha=0.45, linewidth=0)
    axes.plot(p, line, "--", color=style.BLACK, linewidth=width, label=of_line)
    axes.plot(p, observed, "-", color=style.BLUE, label=of_observed, **look)
