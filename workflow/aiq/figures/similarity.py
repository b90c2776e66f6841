"""The matrix of similarities (Tables 2 and 3 and Fig. 5 of the 2020 paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from aiq.errors import InputError
from aiq.figures import matrix, style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.figures.matrix import MANY, Pair
from aiq.records.dissimilarity import Similarity
from aiq.records.estimate import Floats
from aiq.records.table import Cell, Table

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
    names = matrix.names_of(pairs, domains, "a similarity")
    above = 1 - _values(_placed(pairs, names), len(names), absolute)
    names = [names[k] for k in matrix.order_of(np.fmax(above, above.T))]
    cells, large = _placed(pairs, names), len(names) > MANY
    printed = {tuple(sorted((names.index(a), names.index(b)))): v for (a, b), v in (published or {}).items()}
    values = _values(cells, len(names), absolute)
    colours = matplotlib.colormaps[style.SEQUENTIAL if absolute else "PuOr"]
    made, axes, image = matrix.heat_map(values, names, colours, extra=0.75, vmin=0 if absolute else -1, vmax=1)
    words = "|S|" if absolute else "S"
    scale = "0 on the straight line" if absolute else "1 as bad as the harder test"
    matrix.colour_bar(made, axes, image, f"similarity {words}: {scale}")
    below = "probability that the agent is sufficient"
    if published is not None:
        below = "published |S|" if published_absolute else "published S"
    void = np.zeros(values.shape, dtype=np.bool_)
    for place, record in cells.items():
        void[place] = _says_nothing(record)
    if large:
        matrix.mark(made, axes, void, "not sufficient")
    else:
        _upper(axes, cells, values, absolute)
        beside = {place: record.sufficient for place, record in cells.items()} if published is None else printed
        for i, j in cells:
            if i != j:
                value = beside.get((i, j))
                matrix.write(axes, j, i, "–" if value is None else _short(value, len(names)), style.GREY)
        _legend(made, bool(void.any()), below)
    caption = _caption(cells, words, "" if large else below) + matrix.thinned(len(names))
    return finish(made, _table(pairs, printed, names), caption, _alt(values, names, words))


def _placed(pairs: Mapping[Pair, Similarity], names: Sequence[str]) -> dict[Place, Similarity]:
    """Return the records by their places above the diagonal, or refuse pairs that are given twice."""
    cells: dict[Place, Similarity] = {}
    for (a, b), record in pairs.items():
        place = tuple(sorted((names.index(a), names.index(b))))
        if place in cells:
            raise InputError(f"the pair {a}, {b} is given in both orders; S is the same in both, give it once")
        cells[place] = record
    return cells


def _says_nothing(record: Similarity) -> bool:
    return record.verdict == "no" and record.value is not None


def _legend(made: Figure, hatched: bool, below: str) -> None:
    """Say what stands below the diagonal, and what hatching means where there is any."""
    keys = [Patch(facecolor="none", edgecolor="none", label=f"below the diagonal: {below}")]
    if hatched:
        look = {"hatch": "////", "linewidth": 0.8}
        keys.insert(0, Patch(facecolor="white", edgecolor=style.VERMILION, label="not sufficient", **look))
    made.legend(handles=keys, loc="outside lower center", ncols=1)


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


def _upper(axes: Axes, cells: Mapping[Place, Similarity], values: Floats, absolute: bool) -> None:
    matrix.hatch(axes, [place for place, record in cells.items() if _says_nothing(record)])
    for (i, j), record in cells.items():
        value = float(values[i, j])
        if np.isnan(value):
            matrix.write(axes, i, j, "0/0" if i == j else "?", style.BLACK)
        elif record.verdict == "no":
            matrix.write(axes, i, j, _short(value, len(values)), style.BLACK, "white")
        else:
            dark = value < 0.5 if absolute else abs(value) > 0.6
            matrix.write(axes, i, j, _short(value, len(values)), "white" if dark else style.BLACK)


def _caption(cells: Mapping[Place, Similarity], words: str, below: str) -> str:
    apart = [record for (i, j), record in cells.items() if i != j]
    undetermined = sum(record.value is None for record in apart)
    where = ", ".join(f"{share:g}" for share in sorted({record.at for record in cells.values()}))
    with_interval = [record for record in apart if record.interval is not None]
    sets = (
        f"the table holds {with_interval[0].confidence:.0%} Fieller sets"
        if with_interval
        else "no intervals without repetitions"
    )
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


def _alt(values: Floats, names: Sequence[str], words: str) -> str:
    begin = f"Heat map of the similarities of {len(names)} domains"
    if not np.isfinite(values).any():
        return f"{begin}; none is determined."
    i, j = divmod(int(np.nanargmax(values)), len(names))
    return f"{begin}; the largest {words} is that of {names[i]} and {names[j]} ({style.number(float(values[i, j]))})."


def _table(pairs: Mapping[Pair, Similarity], printed: Mapping[Place, float], names: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for (a, b), record in pairs.items():
        low, high = record.interval or (None, None)
        place = tuple(sorted((names.index(a), names.index(b))))
        rows.append(
            (a, b, record.value, record.absolute, low, high, len(record.segments), record.sufficient, record.at,
             record.v_a.value, record.v_b.value, record.v_ab.value, b if record.swapped else a, printed.get(place),
             record.note or None)
        )  # fmt: skip
    return Table.of(_COLUMNS, rows)
