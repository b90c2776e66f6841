"""How far the complexities of the domains are apart, as a matrix (Fig. 18 of the 2025 paper)."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib
import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.figures import many, style
from aiq.figures.dissimilarity import cell_numbers, hatch
from aiq.figures.domains import counted
from aiq.figures.drawing import Drawing, finish, written
from aiq.measures.complexity.differences import differences
from aiq.records.arrays import Floats
from aiq.records.complexity import Complexity
from aiq.records.table import Cell, Table


@style.styled
@written("domain a", "domain b", "difference of complexity")
def complexity_apart(complexities: Mapping[str, Complexity], *, unit: str = "log2") -> Drawing:
    """Draw the absolute difference of the complexities of every pair of domains as a heat map.

    Hatched cells: the interval of the difference, paired where both domains were measured by the same policies, holds
    0. More than 30 domains have no numbers in the cells, and grey in the place of hatching.

    Args:
        complexities: by domain, all by one estimator.
        unit: what counts as size, as in :func:`aiq.figures.complexity.complexity_curve`.

    Raises:
        InputError: there is no domain, or domains were measured by different estimators.
    """
    if not complexities:
        raise InputError("there is no domain whose complexity could be drawn; add at least one")
    names = list(complexities)
    values, alike, rows = _values(complexities)
    side = min(style.DOUBLE, max(style.SINGLE, 0.5 * len(names) + 1.8))
    figure = style.new_figure(side, 0.82 * side + 0.55)
    axes = figure.subplots()
    top = max(float(values.max()), 1e-12)
    image = axes.imshow(values, cmap=matplotlib.colormaps[style.SEQUENTIAL], vmin=0, vmax=top, interpolation="nearest")
    if len(names) > many.MANY:
        mark = many.veil(axes, alike, "not told apart")
    else:
        cell_numbers(axes, image, values, np.ones_like(values))
        mark = hatch(axes, alike, "not told apart")
    many.name_axes(axes, names)
    units = style.complexity_units(unit)
    bar = figure.colorbar(image, ax=axes, shrink=0.8, label=f"difference of complexity\n({units})")
    bar.outline.set_visible(False)
    if alike.any():
        figure.legend(handles=[mark], loc="outside lower center")
    caption = (
        f"Absolute differences of the MCCP complexities of {counted(names)} ({units}), lighter is farther apart. "
        f"{_told(rows, int(alike.sum()) // 2, len(names) > many.MANY)}"
    )
    i, j = divmod(int(values.argmax()), len(names))
    alt = (
        f"Heat map of differences of complexity of {counted(names)}; the farthest apart are {names[i]} and {names[j]} "
        f"({style.number(float(values[i, j]))})."
    )
    return finish(figure, Table.of(("a", "b", "difference", "low", "high"), rows), caption, alt)


def _values(complexities: Mapping[str, Complexity]) -> tuple[Floats, npt.NDArray[np.bool_], list[tuple[Cell, ...]]]:
    """Return absolute differences (n, n), the pairs whose interval holds 0 (n, n), and a row for each pair."""
    names = list(complexities)
    values, alike = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)), dtype=np.bool_)
    rows: list[tuple[Cell, ...]] = [(name, name, 0.0, None, None) for name in names]
    for one in differences(complexities):
        i, j = names.index(one.first), names.index(one.second)
        values[[i, j], [j, i]] = abs(one.complexity.value)
        alike[[i, j], [j, i]] = one.told_apart() is False
        rows.append((one.first, one.second, *style.interval_cells(one.complexity)))
    return values, alike, rows


def _told(rows: list[tuple[Cell, ...]], alike: int, large: bool) -> str:
    """Return what is known of the errors."""
    if all(row[3] is None for row in rows):
        return "No intervals: the measurements hold no repetition."
    return (
        f"{'Grey' if large else 'Hatched'}: not told apart, the 95% interval of the difference holds 0 ({alike} "
        f"pair{'s' * (alike != 1)}); the table beside the figure holds the signed differences and their intervals."
    )
