"""Heat maps of domains: what they share, and the matrix of similarities (2020 paper, Tables 2 and 3 and Fig. 5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import matplotlib
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
from aiq.figures.drawing import Drawing, figure, finish
from aiq.records.dissimilarity import Similarity
from aiq.records.estimate import Floats
from aiq.records.table import Cell, Table

Pair = tuple[str, str]
Cells = npt.NDArray[np.bool_]

MANY = 30  # domains above which cells hold no numbers
NAMES = 40  # names that an axis has room for
BESIDE = "The table beside the figure holds"  # intervals, which no cell has room for
_ONE_DECIMAL_UP_TO = 12  # domains
_VEIL = to_rgba(style.PALE, 0.7)  # grey over cells of a large matrix, in the place of hatching


def names_of(pairs: Collection[Pair], domains: Sequence[str] | None, what: str) -> list[str]:
    """Return the domains of a matrix: those that are given, else those of the pairs in the order of appearance."""
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


# ---- Similarities --------------------------------------------------------------------------------


Place = tuple[int, ...]  # row and column, above the diagonal or on it

_TWO_DECIMALS_UP_TO = 12
_COLUMNS = (
    "a", "b", "similarity", "absolute", "low", "high", "pieces", "sufficient", "at", "v_a", "v_b", "v_ab", "easier",
    "published", "note",
)  # fmt: skip


@figure("similarity-matrix", "domain a", "domain b", "similarity S", "below the diagonal")
def similarity_matrix(
    pairs: Mapping[Pair, Similarity],
    *,
    domains: Sequence[str] | None = None,
    absolute: bool = False,
    published: Mapping[Pair, float] | None = None,
    published_absolute: bool = True,
) -> Drawing:
    """Draw the similarities of a suite as a heat map with numbers.

    Above the diagonal stands S (or |S|), below it what it has to be read with: the probability that the agent is
    sufficient, or the published value. A question mark stands where V_A and V_B cannot be told apart, 0/0 for a test
    with itself; cells with a probability of sufficiency of .05 or less are hatched, as S says nothing there.

    Args:
        pairs: what was measured, each pair once, self-pairs included where they were.
        domains: order of the rows; default the order of their appearance.
        absolute: |S| as the 2020 tables have it, in place of the signed S.
        published: printed values by pair, shown below the diagonal in place of the probability.
        published_absolute: whether they are |S|, else the signed S.

    Raises:
        InputError: there is no pair, a pair is given in both orders, or names a domain that is not among ``domains``.
    """
    if not pairs:
        raise InputError("there is no similarity to be drawn; measure at least one pair of domains")
    names = names_of(pairs, domains, "a similarity")
    above = 1 - _values(_placed(pairs, names), len(names), absolute)
    names = [names[k] for k in order_of(np.fmax(above, above.T))]
    cells, large = _placed(pairs, names), len(names) > MANY
    printed = {_place(names, pair): value for pair, value in (published or {}).items()}
    values = _values(cells, len(names), absolute)
    colours = matplotlib.colormaps[style.SEQUENTIAL if absolute else "PuOr"]
    figure, axes, image = heat_map(values, names, colours, extra=0.75, vmin=0 if absolute else -1, vmax=1)
    words = "|S|" if absolute else "S"
    scale = "0 on the straight line" if absolute else "1 as bad as the harder test"
    colour_bar(figure, axes, image, f"similarity {words}: {scale}")
    below = "probability that the agent is sufficient"
    if published is not None:
        below = "published |S|" if published_absolute else "published S"
    void = np.zeros(values.shape, dtype=np.bool_)
    for place, record in cells.items():
        void[place] = _says_nothing(record)
    if large:
        mark(figure, axes, void, "not sufficient")
    else:
        _write_similarities(axes, cells, values, absolute)
        beside = {place: record.sufficient for place, record in cells.items()} if published is None else printed
        for i, j in cells:
            if i != j:
                value = beside.get((i, j))
                write(axes, j, i, "–" if value is None else _short(value, len(names)), style.GREY)
        _similarity_key(figure, bool(void.any()), below)
    caption = _similarity_caption(cells, words, "" if large else below) + thinned(len(names))
    return finish(figure, _similarity_table(pairs, printed, names), caption, _similarity_alt(values, names, words))


def _placed(pairs: Mapping[Pair, Similarity], names: Sequence[str]) -> dict[Place, Similarity]:
    cells: dict[Place, Similarity] = {}
    for pair, record in pairs.items():
        place = _place(names, pair)
        if place in cells:
            raise InputError(f"the pair {', '.join(pair)} is given in both orders; S is the same in both, give it once")
        cells[place] = record
    return cells


def _place(names: Sequence[str], pair: Pair) -> Place:
    return tuple(sorted(map(names.index, pair)))


def _says_nothing(record: Similarity) -> bool:
    return record.verdict == "no" and record.value is not None


def _similarity_key(figure: Figure, hatched: bool, below: str) -> None:
    """Say what stands below the diagonal, and what hatching means where there is any."""
    keys = [Patch(facecolor="none", edgecolor="none", label=f"below the diagonal: {below}")]
    if hatched:
        look = {"hatch": "////", "linewidth": 0.8}
        keys.insert(0, Patch(facecolor="white", edgecolor=style.VERMILION, label="not sufficient", **look))
    figure.legend(handles=keys, loc="outside lower center", ncols=1)


def _values(cells: Mapping[Place, Similarity], count: int, absolute: bool) -> Floats:
    """Return S above the diagonal (n, n), NaN elsewhere and where there is none."""
    values = np.full((count, count), np.nan)
    for place, record in cells.items():
        value = record.absolute if absolute else record.value
        values[place] = np.nan if value is None else value
    return values


def _short(value: float, count: int) -> str:
    """Return a number in [-1, 1] without the zero before its point."""
    text = f"{value:.{2 if count <= _TWO_DECIMALS_UP_TO else 1}f}"
    sign, digits = ("−", text[1:]) if text.startswith("-") else ("", text)
    if not digits.strip("0."):
        return "0"
    return sign + ("1" if digits.startswith("1") else digits[1:])


def _write_similarities(axes: Axes, cells: Mapping[Place, Similarity], values: Floats, absolute: bool) -> None:
    hatch(axes, [place for place, record in cells.items() if _says_nothing(record)])
    for (i, j), record in cells.items():
        value = float(values[i, j])
        if np.isnan(value):
            write(axes, i, j, "0/0" if i == j else "?", style.BLACK)
        elif record.verdict == "no":
            write(axes, i, j, _short(value, len(values)), style.BLACK, "white")
        else:
            dark = value < 0.5 if absolute else abs(value) > 0.6
            write(axes, i, j, _short(value, len(values)), "white" if dark else style.BLACK)


def _similarity_caption(cells: Mapping[Place, Similarity], words: str, below: str) -> str:
    apart = [record for (i, j), record in cells.items() if i != j]
    undetermined = sum(record.value is None for record in apart)
    where = ", ".join(f"{share:g}" for share in sorted({record.at for record in cells.values()}))
    with_interval = [record for record in apart if record.interval is not None]
    sets = "no intervals without repetitions"
    if with_interval:
        sets = f"the table holds {with_interval[0].confidence:.0%} Fieller sets"
    scale = "−1 as good as the easier test, 1 as bad as the harder one"
    if words == "|S|":
        scale = "1 as good as the easier test or as bad as the harder one"
    rest, blank, marked = (f"; below the diagonal the {below}", "?", "hatched") if below else ("", "white", "grey")
    return (
        f"Similarity {words} of Eq. 3 (2020) at p = {where}, without unit: {scale}{rest}. "
        f"{undetermined} of {len(apart)} pairs are undetermined ({blank}: V_A and V_B closer than 2 standard errors), "
        f"{sum(map(_says_nothing, apart))} {marked} (not sufficient: S says nothing). A test with itself is 0/0; the "
        f"paper prints 1. Beside the figure: {sets}."
    )


def _similarity_alt(values: Floats, names: Sequence[str], words: str) -> str:
    begin = f"Heat map of the similarities of {len(names)} domains"
    if not np.isfinite(values).any():
        return f"{begin}; none is determined."
    i, j = divmod(int(np.nanargmax(values)), len(names))
    return f"{begin}; the largest {words} is that of {names[i]} and {names[j]} ({style.number(float(values[i, j]))})."


def _similarity_table(pairs: Mapping[Pair, Similarity], printed: Mapping[Place, float], names: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for (a, b), record in pairs.items():
        low, high = record.interval or (None, None)
        place = _place(names, (a, b))
        rows.append(
            (a, b, record.value, record.absolute, low, high, len(record.segments), record.sufficient, record.at,
             record.v_a.value, record.v_b.value, record.v_ab.value, b if record.swapped else a, printed.get(place),
             record.note or None)
        )  # fmt: skip
    return Table.of(_COLUMNS, rows)
