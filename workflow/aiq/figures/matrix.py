"""What heat maps of domains share: the order of very many domains, their names, numbers and marks in cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Patch
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from aiq.errors import InputError
from aiq.figures import style
from aiq.records.estimate import Floats

Pair = tuple[str, str]
Cells = npt.NDArray[np.bool_]

MANY = 30  # domains above which cells hold no numbers
NAMES = 40  # names that an axis has room for
BESIDE = "The table beside the figure holds"  # intervals, which no cell has room for
_ONE_DECIMAL_UP_TO = 12  # domains
_VEIL = to_rgba(style.PALE, 0.7)  # grey over cells of a large matrix, in the place of hatching


def names_of(pairs: Collection[Pair], domains: Sequence[str] | None, what: str) -> list[str]:
    """Return the domains of a matrix: those that are given, else those of the pairs in the order of appearance.

    Raises:
        InputError: a pair names another domain; ``what`` says what was measured.
    """
    names = list(domains) if domains is not None else list(dict.fromkeys(name for pair in pairs for name in pair))
    stranger = next((name for pair in pairs for name in pair if name not in names), None)
    if stranger is not None:
        raise InputError(f"{what} was measured with {stranger!r}, which is not among {', '.join(names)}")
    return names


def filled(values: Mapping[Pair, float], names: Sequence[str]) -> Floats:
    """Return the values of pairs (n, n), of pairs measured in one order in both cells; NaN where unknown."""
    cells, place = np.full((len(names), len(names)), np.nan), {name: k for k, name in enumerate(names)}
    for (a, b), value in values.items():
        cells[place[a], place[b]] = value
        if (b, a) not in values:
            cells[place[b], place[a]] = value
    return cells


def seriation(values: Floats) -> list[int]:
    """Return an order of domains in which alike ones stand side by side.

    The leaves of average linkage in the order that keeps neighbours closest (Bar-Joseph, Gifford and Jaakkola, 2001).

    Args:
        values: symmetric dissimilarities (n, n); what is unknown counts as their median, the diagonal as 0.
    """
    finite = values[np.isfinite(values)]
    if len(values) < 3 or not finite.size:
        return list(range(len(values)))
    filled = np.where(np.isfinite(values), values, np.median(finite))
    apart = np.maximum((filled + filled.T) / 2, 0.0)
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), method="average", optimal_ordering=True)
    return [int(leaf) for leaf in leaves_list(tree)]


def order_of(values: Floats) -> list[int]:
    """Return the order in which domains are drawn: as given, of very many alike ones side by side."""
    return seriation(values) if len(values) > MANY else list(range(len(values)))


def heat_map(
    values: Floats, names: Sequence[str], colours: Any, *, extra: float = 0.55, square: bool = True, **scale: Any
) -> tuple[Figure, Axes, AxesImage]:
    """Return a figure with a heat map of values (n, n) with named rows and columns.

    Args:
        values: NaN where nothing is known.
        names: of the domains.
        colours: colour map.
        extra: inches of height besides those that go with the width.
        square: the layout keeps the sides of the matrix equal where names are long.
        **scale: ``vmin`` and ``vmax``, or ``norm``.
    """
    side = min(style.DOUBLE, max(style.SINGLE, 0.5 * len(names) + 1.8))
    figure = style.new_figure(side, 0.82 * side + extra, square=square)
    axes = figure.subplots()
    image = axes.imshow(values, cmap=colours.with_extremes(bad="white"), interpolation="nearest", **scale)
    name_axes(axes, names)
    return figure, axes, image


def name_axes(axes: Axes, names: Sequence[str]) -> None:
    """Write the names of the rows and columns of a matrix, every so many where there is no room for all."""
    step = -(-len(names) // NAMES)
    at, chosen = range(0, len(names), step), list(names[::step])
    axes.set_xticks(at, chosen, rotation=45 if step == 1 else 90, ha="right", rotation_mode="anchor")
    axes.set_yticks(at, chosen)
    if step > 1:
        axes.tick_params(axis="x", rotation=90)
        for label in axes.get_xticklabels():
            label.set(ha="right", va="center", rotation_mode="anchor")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("domain b")
    axes.set_ylabel("domain a")


def colour_bar(figure: Figure, axes: Axes, image: AxesImage, label: str, **more: Any) -> None:
    """Put the scale of the colours beside a matrix."""
    bar = figure.colorbar(image, ax=axes, shrink=0.8, label=label, **more)
    bar.outline.set_visible(False)


def write(axes: Axes, row: int, column: int, text: str, ink: str, ground: Any = None, **more: Any) -> None:
    """Write into a cell, on a patch of the colour ``ground`` where one is given."""
    box = None if ground is None else {"facecolor": ground, "linewidth": 0, "pad": 1.2}
    axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=style.SMALL, bbox=box, zorder=4, **more)


def write_numbers(axes: Axes, image: AxesImage, values: Floats, white: Cells, slanted: Cells | None = None) -> None:
    """Write the value into each cell, on a patch of the cell's colour; a dash where nothing is known.

    ``white``: cells so dark that numbers are white; ``slanted``: cells whose numbers are set in italics.
    """
    decimals = 1 if len(values) <= _ONE_DECIMAL_UP_TO else 0
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            text = f"{round(float(value), decimals) + 0.0:.{decimals}f}".replace("-", "−")
            slant = "italic" if slanted is not None and slanted[i, j] else "normal"
            ink = "white" if white[i, j] else style.BLACK
            write(axes, i, j, text, ink, image.to_rgba(float(value)), fontstyle=slant)
        else:
            write(axes, i, j, "–", style.BLACK)


def hatch(axes: Axes, cells: Iterable[Any], ink: str = style.VERMILION, width: float = 0.8) -> None:
    """Hatch some cells (row, column)."""
    for i, j in cells:
        axes.bar(
            j, 0.94, width=0.94, bottom=i - 0.47, facecolor="none", edgecolor=ink, hatch="////", linewidth=width,
            zorder=3,
        )  # fmt: skip


def mark(figure: Figure, axes: Axes, cells: Cells, words: str, ink: str = style.VERMILION, width: float = 0.8) -> None:
    """Hatch some cells (n, n), or put a thin grey over them where there are many, with a key under the figure."""
    if len(cells) > MANY:
        colours = np.zeros((*cells.shape, 4))
        colours[cells] = _VEIL
        axes.imshow(colours, interpolation="nearest", zorder=3)
        patch = Patch(facecolor=_VEIL, edgecolor="none", label=words)
    else:
        hatch(axes, np.argwhere(cells), ink, width)
        look: dict[str, Any] = {"facecolor": "white", "edgecolor": ink, "hatch": "////", "linewidth": 0.8}
        patch = Patch(label=words, **look)
    if cells.any():
        figure.legend(handles=[patch], loc="outside lower center")


def thinned(count: int) -> str:
    """Return the sentence on the order of very many domains and on their names; nothing for few."""
    if count <= MANY:
        return ""
    step = -(-count // NAMES)
    every = "" if step == 1 else f"; of {step} neighbours one is named"
    return f" Domains stand in an order that puts alike ones side by side (average linkage, optimal leaf order){every}."
