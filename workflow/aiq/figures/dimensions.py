"""What the dimensions of the space consist of, and which of them stand above the noise (Figs. 19, 25)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from aiq.figures import style
from aiq.figures.drawing import Drawing, caution, figure, finish
from aiq.records.estimate import Floats
from aiq.records.space import Space
from aiq.records.table import Table, counted

SERIES = 20  # of one stack


@figure("contributions", "dimension", "share of all squared coordinates")
def contributions(space: Space) -> Drawing:
    """Draw how much each domain contributes to each dimension of the space, stacked.

    A bar is as high as the dimension's part of all squared coordinates, and is divided by domain in proportion to them.
    """
    squares = space.coordinates**2
    parts = squares / squares.sum()
    count, dimensions = parts.shape
    names, heights = _stacked(space.domains, parts)
    width = style.DOUBLE if dimensions > 6 else 1.25 * style.SINGLE
    figure = style.new_figure(width, max(3.0, 0.155 * len(names) + 0.6))
    axes = figure.subplots()
    style.grid(axes, "y")
    place = np.arange(1, dimensions + 1)
    base = np.zeros(dimensions)
    for index, name in enumerate(names):
        axes.bar(
            place, heights[index], bottom=base, width=0.7, color=style.colour(index), hatch=style.hatch(index),
            edgecolor="white", linewidth=0.5, label=name,
        )  # fmt: skip
        base += heights[index]
    for k, total in enumerate(base):
        words = f"{total:.0%}" if total >= 0.005 else "<1%"
        axes.text(k + 1, total, words, ha="center", va="bottom", fontsize=style.SMALL)
    axes.set_xlim(0.4, dimensions + 0.6)
    axes.set_ylim(0, 1.1 * base.max())
    axes.set_xticks(place)
    axes.set_xlabel("dimension")
    axes.set_ylabel("share of all squared coordinates")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside right center", title="domain", title_fontsize=style.SMALL)
    caption = (
        f"Contributions of {count} domains to the {counted(dimensions, 'dimension')} of the intelligence "
        "space: squared coordinates, as a share of those of the whole space; the number above a bar is the dimension's "
        "part."
    )
    if len(names) < count:
        caption += f" The {len(names) - 1} domains with the largest parts stand alone, the others are taken together."
    leading = enumerate(space.domains[int(k)] for k in parts.argmax(axis=0))
    alt = "Stacked bars. " + "; ".join(f"dimension {k + 1} ({base[k]:.0%}) is led by {name}" for k, name in leading)
    rows = [
        (name, k + 1, float(space.coordinates[i, k]), float(parts[i, k]), float(space.shares[i, k]))
        for k in range(dimensions)
        for i, name in enumerate(space.domains)
    ]
    columns = ("domain", "dimension", "coordinate", "part_of_space", "share_of_dimension")
    return finish(figure, Table.of(columns, rows), caption, f"{alt}.")


def _stacked(names: Sequence[str], parts: Floats) -> tuple[list[str], Floats]:
    """Return the series (n', d) of a stack and their names: of very many domains the smallest are taken together."""
    if len(names) <= SERIES:
        return list(names), parts
    alone = np.sort(np.argsort(-parts.sum(axis=1), kind="stable")[: SERIES - 1])
    rest = np.delete(parts, alone, axis=0).sum(axis=0)
    return [*(names[k] for k in alone), f"{len(names) - len(alone)} others"], np.vstack([parts[alone], rest])


@figure("spectrum", "dimension", "eigenvalue")
def spectrum(space: Space) -> Drawing:
    """Draw the eigenvalues of the Gram matrix with the thresholds that decide which dimensions are kept."""
    values, rule = space.spectrum, space.dimensionality
    place = np.arange(1, values.size + 1)
    kept = place <= rule.kept
    figure = style.new_figure(style.SINGLE if values.size <= 12 else style.DOUBLE, 3.4)
    axes = figure.subplots()
    style.grid(axes, "y")
    sizes = np.abs(values[values != 0])
    floor = float(0.5 * max(sizes.min(), 1e-4 * sizes.max()))  # below all eigenvalues but those that are 0 for rounding
    _eigenvalues(axes, space, kept, floor)
    drawn = np.isfinite(rule.thresholds) & (rule.thresholds > 0)
    if drawn.any():
        axes.hlines(
            rule.thresholds[drawn], place[drawn] - 0.36, place[drawn] + 0.36, color=style.VERMILION, linewidth=1.4,
            zorder=1.9, label=f"noise threshold ({rule.quantile:.0%} quantile)",
        )  # fmt: skip
    axes.set_yscale("log")
    axes.set_ylim(bottom=floor)
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))
    axes.set_xlim(0.4, values.size + 0.6)
    axes.set_xticks(place[:: -(-values.size // 20)])
    axes.set_xlabel("dimension")
    axes.set_ylabel("eigenvalue of the Gram matrix\n(logarithmic)")
    style.legend_below(figure, axes, columns=1)
    likely = ", ".join(f"{k} ({p:.2f})" for k, p in sorted(rule.probabilities.items()) if p >= 0.005)
    repeated = any("number of dimensions" in sentence for sentence in space.warnings)  # with the same probabilities
    number = f" Number of dimensions and its probability: {likely}." if likely and not repeated else ""
    negative = " Triangles: sizes of eigenvalues below 0, which no distances have." if (values < 0).any() else ""
    left, unsure = rule.propagated, ""
    if left is not None and left < rule.kept:
        unsure = f" The uncertainty of all dissimilarities together would leave {left}: the rest is not established."
    caption = (
        f"Spectrum of the intelligence space: {rule.kept} of {values.size} dimensions kept (rule {rule.rule}; "
        f"thresholds: {rule.source}). Share of negative eigenvalues {space.negative_share:.1%}, stress "
        f"{space.stress:.3f}.{number} The axis is logarithmic: an interval that ends in an arrow reaches 0 or below."
        f"{negative}{unsure}{caution(space.warnings)}"
    )
    alt = f"Eigenvalues {', '.join(style.number(float(v)) for v in values)}; the first {rule.kept} are kept."
    boot = space.bootstrap
    ends = [(None, None)] * len(values) if boot is None else zip(boot.spectrum_low, boot.spectrum_high, strict=True)
    rows = [
        (int(k), float(value), *(None if end is None else float(end) for end in around),
         None if np.isnan(threshold) else float(threshold), bool(keep))
        for k, value, around, threshold, keep in zip(place, values, ends, rule.thresholds, kept, strict=True)
    ]  # fmt: skip
    columns = ("dimension", "eigenvalue", "low", "high", "threshold", "kept")
    return finish(figure, Table.of(columns, rows), caption, alt)


def _eigenvalues(axes: Axes, space: Space, kept: npt.NDArray[np.bool_], floor: float) -> None:
    """Draw eigenvalues with their intervals; those below 0 by their size."""
    values = space.spectrum
    place = np.arange(1, values.size + 1)
    above = values > floor
    if space.bootstrap is not None:
        low, high = space.bootstrap.spectrum_low, space.bootstrap.spectrum_high
        drawn = above & (high > floor)
        open_ = drawn & (low <= floor)
        axes.vlines(
            place[drawn], np.maximum(low, floor)[drawn], high[drawn], color=style.GREY, linewidth=1.0,
            label=f"{space.bootstrap.confidence:.0%} interval",
        )  # fmt: skip
        axes.plot(place[open_], np.full(open_.sum(), 1.06 * floor), ls="", marker="v", color=style.GREY, markersize=4)
    marks = (
        (above & kept, 1, {"color": style.BLUE}, "eigenvalue, dimension kept"),
        (above & ~kept, 1, {"color": style.BLUE, "mfc": "white"}, "eigenvalue, dimension dropped"),
        (values < -floor, -1, {"color": style.ORANGE, "mfc": "white", "marker": "v"}, "eigenvalue below 0 (its size)"),
    )
    for chosen, sign, look, words in marks:
        if chosen.any():
            options = {"marker": "o", "ls": "", "markersize": 5, **look}
            axes.plot(place[chosen], sign * values[chosen], label=words, **options)
