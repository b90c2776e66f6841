"""The matrix of dissimilarities (Figs. 14 and 24 of the 2025 paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.patches import Patch

from aiq.errors import InputError
from aiq.figures import many, style
from aiq.figures.drawing import Drawing, as_sentence, finish, written
from aiq.figures.mixtures import Pair
from aiq.records.arrays import Floats
from aiq.records.dissimilarity import Completion, Dissimilarity, NoiseFloor
from aiq.records.table import Cell, Table

_ONE_DECIMAL_UP_TO = 12
_MEANING = (
    "A dissimilarity holds what fewer samples cost each domain alone and, where domains have labels of their own, "
    "samples taken for the other domain's: domains that look alike can be further apart than unrelated ones."
)


@style.styled
@written("domain a", "domain b", "of performance)")
def dissimilarity_matrix(
    pairs: Mapping[Pair, Dissimilarity],
    *,
    domains: Sequence[str] | None = None,
    floor: NoiseFloor | None = None,
    completion: Completion | None = None,
    note: str = "",
) -> Drawing:
    """Draw the dissimilarities of a suite as a heat map with numbers.

    More than 30 domains have no numbers in the cells, stand in an order that puts alike ones side by side, and have
    grey cells in the place of hatched ones.

    A pair measured in one order fills both of its cells; one measured in both orders has two numbers. Hatched cells
    do not tell the domains apart: the interval of the pair's signed area holds 0, or, where a pair has no interval,
    its value is at or below the noise floor.

    Args:
        pairs: what was measured, self-pairs included where they were.
        domains: order of the rows; default the order of their appearance.
        floor: noise floor of the suite, if known; its largest value is the threshold for pairs without an interval.
        completion: the matrix completed from landmarks, in the order of ``domains``; fills pairs that were
            not measured, and the completed numbers are set in italics.
        note: a sentence on what was not measured, for the caption.

    Raises:
        InputError: there is no pair, or a pair names a domain that is not among ``domains``.
    """
    if not pairs:
        raise InputError("there is no dissimilarity to be drawn; measure at least one pair of domains")
    names = list(domains) if domains is not None else list(dict.fromkeys(name for pair in pairs for name in pair))
    stranger = next((name for pair in pairs for name in pair if name not in names), None)
    if stranger is not None:
        raise InputError(f"a dissimilarity was measured with {stranger!r}, which is not among {', '.join(names)}")
    values, measured = _matrix(pairs, names, completion)
    large = len(names) > many.MANY
    if large:
        order = many.seriation(values)
        names = [names[k] for k in order]
        values, measured = values[np.ix_(order, order)], measured[np.ix_(order, order)]
    threshold = None if floor is None else floor.largest
    factor, words = _scale(values)
    side = min(style.DOUBLE, max(style.SINGLE, 0.5 * len(names) + 1.8))
    figure = style.new_figure(side, 0.82 * side + 0.55, square=True)
    axes = figure.subplots()
    shown = matplotlib.colormaps[style.SEQUENTIAL].with_extremes(bad="white")
    top = max(float(np.nanmax(values)), 1e-12) * factor
    low = min(0.0, float(np.nanmin(values))) * factor
    image = axes.imshow(values * factor, cmap=shown, vmin=low, vmax=top, interpolation="nearest")
    alike = _alike(pairs, names, values, threshold)
    if large:
        mark = many.veil(axes, alike, "not told apart from 0")
    else:
        cell_numbers(axes, image, values * factor, measured)
        mark = hatch(axes, alike)
    many.name_axes(axes, names)
    bar = figure.colorbar(image, ax=axes, shrink=0.8, label=words)
    bar.outline.set_visible(False)
    if alike.any():
        figure.legend(handles=[mark], loc="outside lower center")
    numbers = "; the numbers of both orders are shown where both were measured." if not large else "."
    caption = (
        f"{words[0].upper()}{words[1:]} of {len(names)} domains, lighter is more different{numbers}"
        f"{many.thinned(len(names)) if large else ''} {_MEANING}{as_sentence(note)} "
        f"{_alike_sentence(alike, pairs, threshold, large)}{_missing_sentence(measured, values, large)} "
        f"{style.interval_sentence([r.estimate for r in pairs.values()])}"
    ).replace("Bars and brackets are", "The table beside the figure holds")
    alt = _alt(values, names)
    return finish(figure, _table(pairs, names, values, measured, alike), caption, alt)


def _matrix(
    pairs: Mapping[Pair, Dissimilarity], names: Sequence[str], completion: Completion | None
) -> tuple[Floats, Floats]:
    """Return values (n, n), NaN where unknown, and 1 where measured (in this order or the other)."""
    values = np.full((len(names), len(names)), np.nan)
    for (a, b), record in pairs.items():
        i, j = names.index(a), names.index(b)
        values[i, j] = record.value
        if (b, a) not in pairs:
            values[j, i] = record.value
    measured = np.isfinite(values).astype(np.float64)
    if completion is not None:
        if completion.matrix.shape != values.shape:
            raise InputError(
                f"a completed matrix of {completion.matrix.shape[0]} domains does not fit {len(names)} domains"
            )
        off_diagonal = ~np.eye(len(names), dtype=np.bool_)
        values = np.where(np.isnan(values) & off_diagonal, completion.matrix, values)
    return values, measured


def _scale(values: Floats) -> tuple[float, str]:
    """Return the factor and the label with which small numbers become readable."""
    largest = float(np.nanmax(np.abs(values)))
    if largest < 0.1:
        return 1e3, "dissimilarity (10⁻³ of performance)"
    return 1e2, "dissimilarity (10⁻² of performance)"


def cell_numbers(axes: Axes, image: AxesImage, values: Floats, measured: Floats) -> None:
    """Write the value into each cell, dark on light and light on dark; a dash where nothing is known.

    Numbers of hatched cells stand on a patch of the cell's colour.
    """
    low, high = image.get_clim()
    middle = (low + high) / 2
    decimals = 1 if len(values) <= _ONE_DECIMAL_UP_TO else 0
    for (i, j), value in np.ndenumerate(values):
        known = bool(np.isfinite(value))
        ink = "white" if known and value < middle else style.BLACK
        text = f"{value:.{decimals}f}" if known else "–"
        slant = "normal" if measured[i, j] or not known else "italic"
        ground = {"facecolor": image.to_rgba(float(value)), "linewidth": 0, "pad": 1.2} if known else None
        axes.text(
            j,
            i,
            text,
            ha="center",
            va="center",
            color=ink,
            fontsize=style.SMALL,
            fontstyle=slant,
            bbox=ground,
            zorder=4,
        )


def _alike(
    pairs: Mapping[Pair, Dissimilarity], names: Sequence[str], values: Floats, threshold: float | None
) -> npt.NDArray[np.bool_]:
    """Return the cells (n, n) whose number cannot be told from 0."""
    found = np.zeros(values.shape, dtype=np.bool_)
    for (i, j), value in np.ndenumerate(values):
        record = pairs.get((names[i], names[j])) or pairs.get((names[j], names[i]))
        interval = None if record is None else record.signed.interval
        if interval is not None:
            found[i, j] = interval[0] <= 0 <= interval[1]
        elif threshold is not None:
            found[i, j] = value <= threshold
    return found


def hatch(axes: Axes, cells: npt.NDArray[np.bool_], words: str = "not told apart from 0") -> Patch:
    """Hatch some cells; return their key."""
    for i, j in np.argwhere(cells):
        axes.bar(
            j, 0.94, width=0.94, bottom=i - 0.47, facecolor="none", edgecolor=style.VERMILION, hatch="////",
            linewidth=0.8, zorder=3,
        )  # fmt: skip
    ink = {"facecolor": "white", "edgecolor": style.VERMILION, "hatch": "////", "linewidth": 0.8}
    return Patch(label=words, **ink)


def _alike_sentence(
    cells: npt.NDArray[np.bool_], pairs: Mapping[Pair, Dissimilarity], threshold: float | None, large: bool
) -> str:
    """Return what hatched cells mean, grey ones in a large matrix, and the noise floor."""
    off = int(np.count_nonzero(cells & ~np.eye(len(cells), dtype=np.bool_)))
    bare = any(record.signed.interval is None for record in pairs.values())
    rest = (
        " or, without an interval, the value is at or below the noise floor" if bare and threshold is not None else ""
    )
    floor = "The noise floor was not measured (no self-pairs)."
    if threshold is not None:
        floor = f"The noise floor, the largest dissimilarity of a domain with itself, is {style.number(threshold)}."
    return (
        f"{'Grey' if large else 'Hatched'}: not told apart from 0, the interval of the signed area holds 0{rest} "
        f"({off} cells off the diagonal). {floor}"
    )


def _missing_sentence(measured: Floats, values: Floats, large: bool) -> str:
    """Return the sentence on cells that were not measured, or nothing."""
    completed = int(np.count_nonzero(np.isfinite(values) & (measured == 0)))
    unknown = int(np.count_nonzero(np.isnan(values)))
    how = ("", "white cells") if large else (" in italics", "cells with a dash")
    parts = [f"{completed} cells{how[0]} are completed from landmarks"] if completed else []
    parts += [f"{unknown} {how[1]} were not measured"] if unknown else []
    return f" {'; '.join(parts).capitalize()}." if parts else ""


def _alt(values: Floats, names: Sequence[str]) -> str:
    """Return which pair differs most."""
    masked = np.where(np.isfinite(values), values, -np.inf)
    i, j = divmod(int(masked.argmax()), len(names))
    return (
        f"Heat map of dissimilarities of {len(names)} domains; the most different are {names[i]} and {names[j]} "
        f"({style.number(float(values[i, j]))})."
    )


def _table(
    pairs: Mapping[Pair, Dissimilarity],
    names: Sequence[str],
    values: Floats,
    measured: Floats,
    alike: npt.NDArray[np.bool_],
) -> Table:
    """Return one row a cell that has a value."""
    rows: list[tuple[Cell, ...]] = []
    for (i, j), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        record = pairs.get((names[i], names[j])) or pairs.get((names[j], names[i]))
        low, high = (record.estimate.interval if record is not None else None) or (None, None)
        rows.append((names[i], names[j], float(value), low, high, bool(measured[i, j]), not alike[i, j]))
    columns = ("a", "b", "dissimilarity", "low", "high", "measured", "told_apart")
    return Table.of(columns, rows)
