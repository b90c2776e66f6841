"""Runs side by side: every number in each run, and how far the later runs are from the first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.comparison import Compared, Comparison
from aiq.records.estimate import Estimate

MOST_ROWS = 12
_ROW, _HEAD = 0.17, 0.75  # inches
_NAMES = {
    "complexity": "complexity (size × performance)",
    "dissimilarity": "signed dissimilarity (performance)",
    "agents": "AIQ per dimension",
}


@style.styled
@written("difference from the first run", "complexity (size × performance)")
def run_comparison(comparison: Comparison) -> Drawing:
    """Draw complexities, dissimilarities and agents of all runs, and the differences from the first run.

    Of each quantity at most 12 rows are drawn: those whose difference is largest beside its interval.

    Args:
        comparison: at least two runs.

    Raises:
        InputError: the runs have nothing in common.
    """
    blocks = {name: _rows(getattr(comparison, name)) for name in _NAMES}
    blocks = {name: rows for name, rows in blocks.items() if rows}
    if not blocks:
        raise InputError("no domain, pair or agent differs between these runs, or none is in common; nothing to draw")
    heights = [_ROW * max(len(rows), 2) + _HEAD for rows in blocks.values()]
    figure = style.new_figure(style.DOUBLE, sum(heights) + 0.4)
    grid = figure.subplots(len(blocks), 2, squeeze=False, height_ratios=heights, width_ratios=(1, 1))
    for (name, rows), (left, right) in zip(blocks.items(), grid, strict=True):
        _values(left, rows, comparison.runs, name)
        _differences(right, rows, comparison.runs)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=1 if max(map(len, labels)) > 30 else 3)
    return finish(figure, comparison.table(), _caption(comparison, blocks), _alt(comparison, blocks))


def _rows(compared: Sequence[Compared]) -> list[Compared]:
    """Return what is drawn: in the order given, the largest differences only, none of what is the very same."""
    moved = [[d.estimate for d in one.differences if d.pairing != "identical"] for one in compared]
    known = [one for one, found in zip(compared, moved, strict=True) if any(e is not None for e in found)]
    chosen = sorted(known, key=_size, reverse=True)[:MOST_ROWS]
    return [one for one in known if one in chosen]


def _size(one: Compared) -> float:
    """Return how large the largest difference is beside half its interval."""
    found = 0.0
    for difference in one.differences:
        estimate = difference.estimate
        if estimate is not None and estimate.interval is not None:
            found = max(found, abs(estimate.value) / max((estimate.interval[1] - estimate.interval[0]) / 2, 1e-12))
    return found


def _values(axes: Axes, rows: Sequence[Compared], runs: Sequence[str], name: str) -> None:
    """Draw the number of each run."""
    for place, run in enumerate(runs):
        known = [(y, one.values[place]) for y, one in enumerate(rows)]
        _points(axes, [(y, e) for y, e in known if e is not None], place, _shift(place, len(runs)), run)
    axes.set_yticks(range(len(rows)), [" – ".join(one.name) for one in rows], fontsize=style.SMALL)
    axes.set_xlabel(_NAMES[name])
    _frame(axes, len(rows))


def _differences(axes: Axes, rows: Sequence[Compared], runs: Sequence[str]) -> None:
    """Draw how far each later run is from the first."""
    axes.axvline(0, color=style.GREY, linewidth=0.8, zorder=1)
    for place, run in enumerate(runs[1:]):
        known = [(y, one.differences[place].estimate) for y, one in enumerate(rows)]
        _points(axes, [(y, e) for y, e in known if e is not None], place + 1, _shift(place, len(runs) - 1), run)
    axes.set_yticks(range(len(rows)), [""] * len(rows))
    axes.set_xlabel("difference from the first run")
    _frame(axes, len(rows))


def _points(axes: Axes, known: Sequence[tuple[int, Estimate]], place: int, shift: float, label: str) -> None:
    """Draw one run's estimates with their intervals; ``shift`` of a row down, beside those of the other runs."""
    if not known:
        return
    rows = np.array([y for y, _ in known], dtype=np.float64) + shift
    estimates = [estimate for _, estimate in known]
    style.interval_bars(axes, "x", estimates, rows, style.colour(place))
    axes.plot(
        [e.value for e in estimates], rows, ls="", marker=style.marker(place), color=style.colour(place),
        markersize=3.5, label=label, zorder=3,
    )  # fmt: skip


def _shift(place: int, count: int) -> float:
    """Return how far down a row one of several runs is drawn."""
    return 0.5 * (place - (count - 1) / 2) / count


def _frame(axes: Axes, count: int) -> None:
    """Set the rows from top to bottom."""
    axes.set_ylim(max(count, 2) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    style.grid(axes)


def _caption(comparison: Comparison, blocks: dict[str, list[Compared]]) -> str:
    """Return what is drawn, how differences were taken, and what is left out."""
    shown = [d for rows in blocks.values() for one in rows for d in one.differences if d.estimate is not None]
    estimates = [d.estimate for d in shown if d.estimate is not None]
    paired = sum(d.pairing == "paired" for d in shown)
    left = [
        f"{len(blocks[name])} of {len(whole)} rows of {name}"
        for name in blocks
        if len(whole := getattr(comparison, name)) > len(blocks[name])
    ]
    rest = (
        f" Drawn are {', '.join(left)}: the largest differences beside their intervals, none of the same trainings."
        if left
        else ""
    )
    dimensions = ", ".join(f"{run} {one.kept}" for run, one in zip(comparison.runs, comparison.dimensions, strict=True))
    warnings = "".join(f" Warning: {one}." for one in comparison.warnings)
    return (
        f"Runs side by side (left), and how far each is from {comparison.runs[0]} (right; {paired} of {len(shown)} "
        f"differences are paired over the same policies). {style.interval_sentence(estimates)} Dimensions kept: "
        f"{dimensions}.{rest}{warnings}"
    )


def _alt(comparison: Comparison, blocks: dict[str, list[Compared]]) -> str:
    """Return which differences are told from 0."""
    clear = []
    for name, rows in blocks.items():
        for one in rows:
            for run, d in zip(comparison.runs[1:], one.differences, strict=True):
                e = d.estimate
                if e is not None and e.interval is not None and not e.interval[0] <= 0 <= e.interval[1]:
                    clear.append(f"{name} of {' and '.join(one.name)} in {run} {style.number(e.value)}")
    told = "; ".join(clear) or "none"
    return f"Differences from {comparison.runs[0]} whose interval does not hold 0: {told}."
