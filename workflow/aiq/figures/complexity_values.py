"""The complexity of each domain: base and excess stacked, relative excess beside (2025 paper, Figs. 16 and 23)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from aiq.errors import InputError
from aiq.figures import many, style
from aiq.figures.domains import counted, dots
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.best_of_k import BestOfK
from aiq.records.complexity import Complexity
from aiq.records.table import Table

_BASE, _EXCESS, _HATCH = style.PALE, style.SKY, "////"


@style.styled
@written("MCCP complexity", "bits: log₂ parameters × performance")
def complexity_values(complexities: Mapping[str, Complexity], *, unit: str = "log2") -> Drawing:
    """Draw the complexity of each domain with its interval, in the order given.

    Of more than 60 domains, 60 are drawn that are evenly spread from the least to the most complex; the table has all.
    MCCP@k is a bar made of base and excess with the paper's minimum as a mark, and the relative excess stands beside
    it. Where the paper's minimum was asked for, or a pool has too few policies, the values are dots.

    Args:
        complexities: by domain.
        unit: what counts as size, as in :func:`aiq.figures.complexity.complexity_curve`.

    Raises:
        InputError: there is no domain, or the unit is unknown.
    """
    found = list(complexities.values())
    parts = [record.best_of_k for record in found if record.best_of_k is not None]
    if not found:
        raise InputError("there is no domain whose complexity could be drawn; add at least one")
    if len(parts) < len(found) or any(record.estimator == "minimum" for record in found):
        return _minima(complexities, unit)
    chosen = many.evenly([part.estimate.value for part in parts], many.ROWS)
    return _stacked(list(complexities), found, parts, unit, chosen)


def _minima(complexities: Mapping[str, Complexity], unit: str) -> Drawing:
    """Draw the complexities asked for as dots."""
    names, found = list(complexities), list(complexities.values())
    caption = (
        f"MCCP complexity ({style.complexity_units(unit)}) of {counted(names)}: the smallest of all policies, which "
        "falls as the pool grows, whatever the domain. "
        f"{style.interval_sentence([record.estimate for record in found])} They do not cover what a larger pool "
        "would give."
    )
    return dots(
        names,
        [record.estimate for record in found],
        f"MCCP complexity ({style.complexity_units(unit)})",
        "complexity",
        caption,
        hollow=[record.mostly_extrapolated for record in found],
        hollow_words="more than half extrapolated",
    )


def _stacked(
    names: list[str], found: list[Complexity], parts: list[BestOfK], unit: str, chosen: Sequence[int]
) -> Drawing:
    """Draw base and excess as bars, the relative excess beside them, of the chosen domains."""
    table, caption, alt = _table(names, found, parts), _caption(names, found, parts, unit), _alt(names, parts)
    caption += many.left_out(len(chosen), len(names), "domains")
    names, found, parts = ([one[k] for k in chosen] for one in (names, found, parts))
    figure = style.new_figure(style.DOUBLE, 0.26 * len(names) + 1.5)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2, 1))
    rows = np.arange(len(names), dtype=np.float64)
    _bars(left, rows, found, parts, unit)
    relative = [part.relative_excess for part in parts]
    style.grid(right, "x")
    style.interval_bars(right, "x", relative, rows)
    right.plot([e.value for e in relative], rows, "o", color=style.BLUE, zorder=3)
    right.set_xlim(-0.03, 1.03)
    right.set_xlabel("relative excess\n(0 any policy does it, 1 none)")
    right.tick_params(axis="y", length=0, labelleft=False)
    left.set_yticks(rows, names)
    left.tick_params(axis="y", length=0)
    left.set_ylim(len(names) - 0.4, -0.6)
    ks = sorted({part.k for part in parts})
    _legend(figure, found, ", ".join(map(str, ks)))
    return finish(figure, table, caption, alt)


def _bars(axes: Axes, rows: style.Floats, found: Sequence[Complexity], parts: Sequence[BestOfK], unit: str) -> None:
    """Draw the stacked bars, the intervals of their ends and the minima."""
    base, total = (np.array([getattr(part, what).value for part in parts]) for what in ("base", "estimate"))
    style.grid(axes, "x")
    axes.barh(rows, base, height=0.62, color=_BASE, zorder=1)
    axes.barh(
        rows, total - base, left=base, height=0.62, color=_EXCESS, hatch=_HATCH, edgecolor=style.BLUE, linewidth=0,
        zorder=1,
    )  # fmt: skip
    style.interval_bars(axes, "x", [part.estimate for part in parts], rows, style.BLACK)
    flagged = np.array([record.mostly_extrapolated for record in found])
    for chosen, mark, ink in ((~flagged, "o", style.BLUE), (flagged, "s", style.VERMILION)):
        if chosen.any():
            axes.plot(total[chosen], rows[chosen], mark, color=ink, mfc="white" if mark == "s" else ink, zorder=4)
    axes.plot([record.minimum for record in found], rows, "D", color=style.BLACK, mfc="white", ms=3.5, zorder=3)
    axes.set_xlim(0, 1.05 * axes.get_xlim()[1])
    axes.set_xlabel(style.complexity_label(unit))


def _legend(figure: style.Figure, found: Sequence[Complexity], k: str) -> None:
    """Put the legend under the figure."""
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=style.BLUE, marker="o", linestyle="", label=f"MCCP@{k}"),
        Patch(facecolor=_BASE, label="base (any policy of the pool)"),
        Patch(facecolor=_EXCESS, hatch=_HATCH, edgecolor=style.BLUE, linewidth=0, label="excess"),
        Line2D([], [], color=style.BLACK, marker="D", mfc="white", ms=3.5, linestyle="", label="the paper's minimum"),
    ]
    if any(record.mostly_extrapolated for record in found):
        flag = Line2D([], [], color=style.VERMILION, marker="s", mfc="white", linestyle="")
        flag.set_label("more than half filled: no policy was found")
        handles.append(flag)
    figure.legend(handles=handles, loc="outside lower center", ncols=3)


def _caption(names: list[str], found: Sequence[Complexity], parts: Sequence[BestOfK], unit: str) -> str:
    """Return what is shown, and what it cannot tell."""
    k = parts[0].k
    fill = "the largest network of the pool's design" if parts[0].fill == "largest" else "a straight line"
    several = [number for part in parts for number in (part.estimate, part.relative_excess)]
    flagged = [name for name, record in zip(names, found, strict=True) if record.mostly_extrapolated]
    warning = f" More than half filled: {', '.join(flagged)}." if flagged else ""
    small = next((part.caution for part in parts if part.caution), "")
    warning += f" {small[0].upper()}{small[1:]}." if small else ""
    start = f", from performance {parts[0].start:.3g}" if any(part.start for part in parts) else ""
    return (
        f"MCCP complexity ({style.complexity_units(unit)}) of {counted(names)} as the expected smallest of k = {k} "
        f"policies (MCCP@{k}), made of its base, which any policy of the pool has and which grows with the number of "
        f"inputs, and its excess. Where none of {k} reaches a performance, {fill} stands in. Beside: excess over its "
        f"largest possible value{start}. {style.interval_sentence(several)} The minimum is the smallest of all "
        f"policies; it falls with the size of the pool and has no interval that could be trusted.{warning}"
    )


def _alt(names: list[str], parts: Sequence[BestOfK]) -> str:
    """Return the values in words."""
    words = "; ".join(
        f"{name} {style.number(part.estimate.value)} (base {style.number(part.base.value)}, relative excess "
        f"{style.number(part.relative_excess.value)})"
        for name, part in zip(names, parts, strict=True)
    )
    return f"Complexity by domain: {words}."


def _table(names: list[str], found: Sequence[Complexity], parts: Sequence[BestOfK]) -> Table:
    """Return one row per domain."""
    numbers = ("complexity", "base", "excess", "relative_excess")
    columns = [column for name in numbers for column in (name, f"{name}_low", f"{name}_high")]
    rows = []
    for name, record, part in zip(names, found, parts, strict=True):
        four = (part.estimate, part.base, part.excess, part.relative_excess)
        cells = [cell for estimate in four for cell in style.interval_cells(estimate)]
        cells = [None if cell is not None and np.isnan(cell) else cell for cell in cells]
        rows.append((name, part.k, *cells, record.minimum, record.mostly_extrapolated))
    return Table.of(("domain", "k", *columns, "minimum", "marked"), rows)
