"""The mixture curves of all pairs of a suite in one figure; of a large suite those of the pairs that stand out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from aiq.errors import InputError
from aiq.figures import many, style
from aiq.figures.drawing import Drawing, finish, written
from aiq.figures.mixtures import MixturePair, Pair, mixture_table, performance_range, value_words
from aiq.records.arrays import Floats
from aiq.records.dissimilarity import Dissimilarity

_ROWS = 6  # pairs of a kind in the figure of a large suite


@style.styled
@written("domain a", "domain b", "straight line", "observed")
def mixture_overview(pairs: Mapping[Pair, Dissimilarity] | list[MixturePair]) -> Drawing:
    """Draw the mixture curves of all pairs in one square of small pictures, domain a down, domain b across.

    All small pictures share the performance axis, whose ends stand in the caption and the corner. Of more than 24
    domains the most and the least different pairs are drawn, and those to look at; the table has all pairs.

    Args:
        pairs: the pairs that were measured, with or without their repetitions; self-pairs and both
            orders of a pair are shown where given.

    Raises:
        InputError: there is no pair.
    """
    entries = [MixturePair.of(a, b, r) for (a, b), r in pairs.items()] if isinstance(pairs, Mapping) else list(pairs)
    if not entries:
        raise InputError("there is no pair whose mixtures could be drawn; measure at least one")
    names = list(dict.fromkeys(name for entry in entries for name in (entry.a, entry.b)))
    if len(names) > many.PICTURES:
        return _notable(entries, len(names))
    low, high = performance_range(entries, least=0.02)
    side = style.SINGLE if len(names) <= 3 else style.DOUBLE
    figure = style.new_figure(side, side)
    axes = figure.subplots()
    small = (side - 1.1) / len(names) < 0.5
    for index, entry in enumerate(entries):
        corner = names.index(entry.b), names.index(entry.a)
        _thumbnail(axes, entry, corner, (low, high), numbered=not small, labelled=index == 0)
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
    _key(figure, axes, f"performance from {low:.2f} (bottom)\nto {high:.2f} (top) in every cell", entries, names)
    caption = (
        f"Mixture curves of {len(entries)} pairs of {len(names)} domains on one performance axis (its ends stand in "
        "the key), proportions p of a from 0 (left) to 1 (right). Grey: the area that is the dissimilarity"
        f"{'' if small else ', its value in the cell'}. The table beside the figure holds the intervals."
    )
    largest = max(entries, key=lambda entry: entry.dissimilarity.value)
    alt = (
        f"Mixture curves of {len(entries)} pairs; the largest dissimilarity is that of {largest.a} and {largest.b}, "
        f"{value_words(largest.dissimilarity)}."
    )
    return finish(figure, mixture_table(entries), caption, alt)


def _key(figure: Figure, axes: Axes, scale: str, entries: list[MixturePair], names: list[str]) -> None:
    """Put the legend into the empty corner below the diagonal where there is room, else under the figure."""
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
    margin = 0.07
    record = entry.dissimilarity

    def down(values: Floats) -> Floats:
        share = (values - span[0]) / (span[1] - span[0])
        return np.asarray(corner[1] + 1 - margin - (1 - 2 * margin) * share)

    across = corner[0] + margin + (1 - 2 * margin) * record.proportions
    frame = np.array([[margin, margin], [1 - margin, margin], [1 - margin, 1 - margin], [margin, 1 - margin]])
    axes.fill(*(frame + corner).T, facecolor="none", edgecolor=style.PALE, linewidth=0.6)
    words = ("dissimilarity (area)", "straight line $V_d$", "observed $V_O$")
    labels = words if labelled else (None, None, None)
    axes.fill_between(
        across, down(record.observed), down(record.line), color=style.GREY, alpha=0.45, linewidth=0, label=labels[0]
    )
    axes.plot(across, down(record.line), "--", color=style.BLACK, linewidth=0.6, label=labels[1])
    axes.plot(across, down(record.observed), "-", color=style.BLUE, linewidth=1.0, label=labels[2])
    if numbered:
        top = min(down(record.observed).min(), down(record.line).min()) - corner[1] < 0.36
        place = corner[1] + (1 - margin - 0.03 if top else margin + 0.03)
        axes.text(
            corner[0] + 0.5, place, f"{record.value:.4f}", fontsize=style.SMALL, ha="center",
            va="bottom" if top else "top",
        )  # fmt: skip


def _notable(entries: list[MixturePair], domains: int) -> Drawing:
    """Draw the pairs that stand out, one column a kind."""
    kinds = _kinds(entries)
    shown = [entry for found in kinds.values() for entry, _ in found]
    low, high = performance_range(shown, least=0.02)
    rows = max(len(found) for found in kinds.values())
    figure = style.new_figure(style.DOUBLE, 1.5 * rows + 1.0)
    grid = figure.subplots(rows, len(kinds), sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat:
        axes.set_visible(False)
    for column, (kind, found) in enumerate(kinds.items()):
        for row, (entry, reason) in enumerate(found):
            axes = grid[row, column]
            axes.set_visible(True)
            _small(axes, entry)
            heading = f"{kind}\n" if row == 0 else ""
            axes.set_title(f"{heading}{entry.a} (a), {entry.b} (b)\n{reason}", fontsize=style.SMALL)
            lowest = row == len(found) - 1
            axes.tick_params(labelbottom=lowest, labelleft=True)
            axes.set_xlabel("proportion p of domain a" if lowest else "")
    grid[0, 0].set_ylim(low, high)
    grid[0, 0].set_xlim(-0.03, 1.03)
    figure.supylabel("performance on the mixture", fontsize=style.NORMAL)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    caption = (
        f"Mixture curves of {len(shown)} of {len(entries)} pairs of {domains} domains, on one performance axis: "
        f"{'; '.join(f'{kind}, {len(found)}' for kind, found in kinds.items())}. Grey: the area that is the "
        "dissimilarity. To look at are pairs with lost repetitions, then those whose curve crosses the straight line, "
        "so that noise adds to the area. The table beside the figure has the curves of all pairs, with intervals."
    )
    largest = shown[0]
    alt = (
        f"Mixture curves of {len(shown)} of {len(entries)} pairs; the largest dissimilarity is that of {largest.a} and "
        f"{largest.b}, {value_words(largest.dissimilarity)}."
    )
    return finish(figure, mixture_table(entries), caption, alt)


def _kinds(entries: list[MixturePair]) -> dict[str, list[tuple[MixturePair, str]]]:
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
    found = {
        "most different": [(e, f"DS = {e.dissimilarity.value:.4f}") for e in ranked[:_ROWS]],
        "least different": [(e, f"DS = {e.dissimilarity.value:.4f}") for e in ranked[::-1][:_ROWS]],
        "to look at": flagged[:_ROWS],
    }
    return {kind: pairs for kind, pairs in found.items() if pairs}


def _small(axes: Axes, entry: MixturePair) -> None:
    """Draw one pair with axes of its own."""
    record = entry.dissimilarity
    style.grid(axes, "y")
    axes.fill_between(
        record.proportions, record.observed, record.line, color=style.GREY, alpha=0.45, linewidth=0,
        label="dissimilarity (area)",
    )  # fmt: skip
    axes.plot(record.proportions, record.line, "--", color=style.BLACK, linewidth=0.8, label="straight line $V_d$")
    axes.plot(record.proportions, record.observed, "-o", color=style.BLUE, markersize=2, label="observed $V_O$")
