"""Numbers beside others: of other runs, of baselines that people know, of the run with one choice changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, as_sentence, caution, figure, finish
from aiq.records.comparison import BaselineComparison, Ranked
from aiq.records.estimate import Estimate
from aiq.records.explain import Compared, Comparison, Sensitivity, Tried
from aiq.records.table import Table

# ---- Runs ----------------------------------------------------------------------------------------


MOST_ROWS = 12
_NAMES = {
    "complexity": "complexity (size × performance)",
    "dissimilarity": "signed dissimilarity (performance)",
    "agents": "AIQ per dimension",
}


@figure("run-comparison", "difference from the first run", "complexity (size × performance)")
def run_comparison(comparison: Comparison) -> Drawing:
    """Draw complexities, dissimilarities and agents of all runs, and the differences from the first run.

    Of each quantity at most 12 rows are drawn: those whose difference is largest beside its interval.

    Raises:
        InputError: the runs have nothing in common.
    """
    blocks = {name: rows for name in _NAMES if (rows := _largest(getattr(comparison, name)))}
    if not blocks:
        raise InputError("no domain, pair or agent differs between these runs, or none is in common; nothing to draw")
    heights = [0.17 * max(len(rows), 2) + 0.75 for rows in blocks.values()]
    figure = style.new_figure(style.DOUBLE, sum(heights) + 0.4)
    grid = figure.subplots(len(blocks), 2, squeeze=False, height_ratios=heights, width_ratios=(1, 1))
    runs = comparison.runs
    for (name, rows), (left, right) in zip(blocks.items(), grid, strict=True):
        for place, run in enumerate(runs):
            _points(left, [row.values[place] for row in rows], place, place, len(runs), run)
        right.axvline(0, color=style.GREY, linewidth=0.8, zorder=1)
        for place, run in enumerate(runs[1:]):
            moved = [row.differences[place].estimate for row in rows]
            _points(right, moved, place + 1, place, len(runs) - 1, run)
        left.set_yticks(range(len(rows)), [" – ".join(row.name) for row in rows], fontsize=style.SMALL)
        left.set_xlabel(_NAMES[name])
        right.set_yticks(range(len(rows)), [""] * len(rows))
        right.set_xlabel("difference from the first run")
        for axes in (left, right):
            axes.set_ylim(max(len(rows), 2) - 0.5, -0.5)
            axes.tick_params(axis="y", length=0)
            axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
            style.grid(axes)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=1 if max(map(len, labels)) > 30 else 3)
    return finish(figure, comparison.table(), _caption(comparison, blocks), _alt(comparison, blocks))


def _largest(compared: Sequence[Compared]) -> list[Compared]:
    rows = [
        row for row in compared if any(d.estimate is not None and d.pairing != "identical" for d in row.differences)
    ]
    chosen = sorted(rows, key=_size, reverse=True)[:MOST_ROWS]
    return [row for row in rows if row in chosen]


def _size(row: Compared) -> float:
    estimates = [d.estimate for d in row.differences if d.estimate is not None and d.estimate.interval is not None]
    return max((abs(e.value) / max((e.interval[1] - e.interval[0]) / 2, 1e-12) for e in estimates), default=0.0)


def _points(axes: Axes, row_values: Sequence[Estimate | None], look: int, place: int, count: int, label: str) -> None:
    drawn = [(y, estimate) for y, estimate in enumerate(row_values) if estimate is not None]
    if not drawn:
        return
    rows = np.array([y for y, _ in drawn], dtype=np.float64) + 0.5 * (place - (count - 1) / 2) / count
    estimates = [estimate for _, estimate in drawn]
    style.interval_bars(axes, "x", estimates, rows, style.colour(look))
    axes.plot(
        [e.value for e in estimates], rows, ls="", marker=style.marker(look), color=style.colour(look),
        markersize=3.5, label=label, zorder=3,
    )  # fmt: skip


def _caption(comparison: Comparison, blocks: dict[str, list[Compared]]) -> str:
    differences = [d for rows in blocks.values() for row in rows for d in row.differences if d.estimate is not None]
    paired = sum(d.pairing == "paired" for d in differences)
    left = [
        f"{len(rows)} of {len(whole)} rows of {name}"
        for name, rows in blocks.items()
        if len(whole := getattr(comparison, name)) > len(rows)
    ]
    drawn = f" Drawn are {', '.join(left)}: the largest differences beside their intervals, none of the same trainings."
    dimensions = ", ".join(
        f"{run} {space.kept}" for run, space in zip(comparison.runs, comparison.dimensions, strict=True)
    )
    return (
        f"Runs side by side (left), and how far each is from {comparison.runs[0]} (right; {paired} of "
        f"{len(differences)} differences are paired over the same policies). "
        f"{style.interval_sentence([d.estimate for d in differences if d.estimate is not None])} Dimensions kept: "
        f"{dimensions}.{drawn if left else ''}{caution(comparison.warnings)}"
    )


def _alt(comparison: Comparison, blocks: dict[str, list[Compared]]) -> str:
    clear = []
    for name, rows in blocks.items():
        for row in rows:
            for run, d in zip(comparison.runs[1:], row.differences, strict=True):
                e = d.estimate
                if e is not None and e.interval is not None and not e.interval[0] <= 0 <= e.interval[1]:
                    clear.append(f"{name} of {' and '.join(row.name)} in {run} {style.number(e.value)}")
    return f"Differences from {comparison.runs[0]} whose interval does not hold 0: {'; '.join(clear) or 'none'}."


# ---- Known baselines -----------------------------------------------------------------------------


_KINDS = (("spearman", "Spearman's ρ", "o", style.BLUE, -0.14), ("kendall", "Kendall's τ", "s", style.ORANGE, 0.14))
_LABELS = {
    "f1": "Fisher's ratio (f1)", "f3": "best feature (f3)", "l2": "linear classifier (l2)",
    "n1": "next to a class (n1)", "n2": "within, between (n2)", "n3": "neighbour's error (n3)",
    "lsc": "neighbourhood (lsc)", "c1": "imbalance (c1)",
}  # fmt: skip
"""What problexity's short names stand for; the caption says more."""


@figure("known-baselines", "rank correlation")
def known_baselines(comparison: BaselineComparison) -> Drawing:
    """Draw the rank correlations of our numbers with known baselines: dots with intervals, one row per comparison.

    Rows are grouped by our number. Where there is no coefficient, the reason stands in its place; a dot without a bar
    has no interval. A baseline of which nothing is known (its package is missing) is in the table alone.

    Raises:
        InputError: there is none.
    """
    groups: dict[str, list[Ranked]] = {}
    for row in [row for row in comparison.rows if row.correlation.compared] or comparison.rows:
        groups.setdefault(row.ours, []).append(row)
    if not groups:
        raise InputError("nothing was compared with known baselines, so there is nothing to draw")
    sizes = [len(rows) for rows in groups.values()]
    figure = style.new_figure(style.DOUBLE, 0.21 * sum(sizes) + 1.0 + 0.25 * len(sizes))
    panels = figure.subplots(len(sizes), 1, sharex=True, height_ratios=sizes, squeeze=False)[:, 0]
    for axes, (ours, rows) in zip(panels, groups.items(), strict=True):
        _panel(axes, ours, rows)
    panels[-1].set_xlabel("rank correlation (1: the same order, −1: the reverse)")
    keyed = next((axes for axes in (panels[0], panels[-1]) if axes.get_legend_handles_labels()[0]), None)
    if keyed is not None:
        style.legend_below(figure, keyed, 2)
    plain = comparison.table()
    table = Table.of(
        ("compared", *plain.columns), [(f"{row[1]} and {row[2]}".replace("_", " "), *row) for row in plain.rows]
    )
    drawing = finish(figure, table, _baseline_caption(comparison), _baseline_alt(comparison))
    for axes in panels:  # the last digits of stacked panels differ from layout to layout
        axes.set_position(tuple(round(number, 6) for number in axes.get_position().bounds))
    return drawing


def _panel(axes: Axes, ours: str, rows: Sequence[Ranked]) -> None:
    for name, words, mark, ink, shift in _KINDS:
        drawn = [
            (y + shift, row.correlation) for y, row in enumerate(rows) if np.isfinite(getattr(row.correlation, name))
        ]
        for y, correlation in drawn:
            ends = getattr(correlation, f"{name}_interval")
            if ends is not None:
                axes.plot(ends, (y, y), color=ink, linewidth=1.0, alpha=0.6, zorder=2)
        axes.plot(
            [getattr(correlation, name) for _, correlation in drawn], [y for y, _ in drawn], ls="", marker=mark,
            color=ink, markersize=3.5, label=words if drawn else None, zorder=3,
        )  # fmt: skip
    for y, row in enumerate(rows):
        if not np.isfinite(row.correlation.spearman):
            axes.annotate(
                row.correlation.note, (0.0, y), ha="center", va="center", fontsize=style.SMALL, color=style.GREY
            )
    axes.axvline(0, color=style.GREY, linewidth=0.8, zorder=1)
    labels = [_LABELS.get(row.baseline, row.baseline.replace("_", " ")) for row in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=style.SMALL)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(-1.05, 1.05)
    axes.tick_params(axis="y", length=0)
    style.grid(axes, "x")
    first, pairs = rows[0].correlation, "" if rows[0].of == "domains" else f"{rows[0].correlation.compared} pairs of "
    axes.set_title(f"{ours.replace('_', ' ')}, {pairs}{first.domains} domains", fontsize=style.SMALL, loc="left")


def _baseline_caption(comparison: BaselineComparison) -> str:
    meanings = dict.fromkeys(f"{row.baseline.replace('_', ' ')}: {row.meaning}" for row in comparison.rows)
    gaps = dict.fromkeys(
        row.correlation.note for row in comparison.rows if row.correlation.note and row.correlation.compared
    )
    notes = "".join(as_sentence(note) for note in (*comparison.notes, *gaps))
    return (
        f"Rank correlations of the suite's complexities and dissimilarities with baselines that people know, with "
        f"{comparison.confidence:.0%} intervals (Bonett and Wright 2000 for ρ, Fieller and others 1957 for τ).{notes} "
        f"Baselines: {'; '.join(meanings)}."
    )


def _baseline_alt(comparison: BaselineComparison) -> str:
    rows = [row for row in comparison.rows if np.isfinite(row.correlation.spearman)]
    if not rows:
        return f"{len(comparison.rows)} comparisons with known baselines, none of which has a rank correlation."
    most = max(rows, key=lambda row: abs(row.correlation.spearman))
    sure = sum((ends := row.correlation.spearman_interval) is not None and ends[0] * ends[1] > 0 for row in rows)
    return (
        f"Spearman's rank correlations of {len(rows)} comparisons, {sure} of them with an interval that leaves 0 out. "
        f"The strongest: {most.ours.replace('_', ' ')} and {most.baseline.replace('_', ' ')}, "
        f"{style.number(most.correlation.spearman)}."
    )


# ---- One choice changed --------------------------------------------------------------------------


@figure("sensitivity", "headline", "rank correlation with the run")
def sensitivity(record: Sensitivity) -> Drawing:
    """Draw the agents' headline under each other value of a choice, and how far orders of domains are kept.

    One row per choice and value. Left: the headline by agent, over a band that is the run's own interval. Right:
    rank correlations of complexities and of dissimilarities with the run's; beside them the number of dimensions.
    """
    rows = record.computed
    if not rows:
        raise InputError("no choice was computed, so there is nothing to draw; leave --choice out")
    figure = style.new_figure(style.DOUBLE, 0.17 * max(len(rows), 4) + 1.2)
    left, right = figure.subplots(1, 2, width_ratios=(2, 1), sharey=True)
    _agents(left, record, rows)
    _orders(right, record, rows)
    left.set_yticks(range(len(rows)), [f"{row.choice} = {row.value}" for row in rows], fontsize=style.SMALL)
    left.set_ylim(len(rows) - 0.5, -0.5)
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
        style.grid(axes)
    (handles, labels), (others, names) = (axes.get_legend_handles_labels() for axes in (left, right))
    figure.legend([*handles, *others], [*labels, *names], loc="outside lower center", ncols=4)
    return finish(figure, record.table(), _sensitivity_caption(record), _sensitivity_alt(record))


def _agents(axes: Axes, record: Sensitivity, rows: Sequence[Tried]) -> None:
    for place, name in enumerate(record.order):
        ink, interval = style.colour(place), record.intervals[name]
        if interval is not None:
            axes.axvspan(*interval, color=ink, alpha=0.10, linewidth=0, zorder=0)
        axes.axvline(record.values[name], color=ink, linewidth=0.6, zorder=1)
        drawn = [(y, row.values[name]) for y, row in enumerate(rows) if row.values is not None and name in row.values]
        axes.plot(
            [x for _, x in drawn], [y for y, _ in drawn], ls="", marker=style.marker(place), color=ink,
            markersize=3.5, label=name, zorder=3,
        )  # fmt: skip
    for y, row in enumerate(rows):
        if row.values and not np.isfinite(list(row.values.values())).any():
            axes.annotate("no headline", (0.5, y), xycoords=("axes fraction", "data"), ha="center", va="center",
                          fontsize=style.SMALL)  # fmt: skip
    axes.set_xlabel("headline")
    axes.xaxis.set_major_locator(MaxNLocator(6))


def _orders(axes: Axes, record: Sensitivity, rows: Sequence[Tried]) -> None:
    quantities = (
        ("complexity", "complexities", "o", style.BLUE),
        ("dissimilarity", "dissimilarities", "s", style.ORANGE),
    )
    for shift, (name, words, marker, ink) in zip((-0.12, 0.12), quantities, strict=True):
        changes = [(y + shift, getattr(row, name)) for y, row in enumerate(rows)]
        drawn = [(y, change.rank) for y, change in changes if change is not None and change.rank is not None]
        axes.plot(
            [x for _, x in drawn], [y for y, _ in drawn], ls="", marker=marker, color=ink, markersize=3.5,
            markerfacecolor="none", label=f"order of {words}",
        )  # fmt: skip
    for y, row in enumerate(rows):
        weight = "bold" if row.dimensions != record.dimensions else "normal"
        axes.annotate(
            f"d = {row.dimensions}", (1.0, y), xycoords=("axes fraction", "data"), xytext=(4, 0), annotation_clip=False,
            textcoords="offset points", va="center", fontsize=style.SMALL, fontweight=weight,
        )  # fmt: skip
    axes.set_xlim(None, 1.04)
    axes.set_xlabel("rank correlation with the run")
    axes.xaxis.set_major_locator(MaxNLocator(4, prune="upper"))


def _sensitivity_caption(record: Sensitivity) -> str:
    waiting, refused = (sum(row.kind == kind for row in record.tried) for kind in ("untrained", "refused"))
    rest = (
        f" Not drawn: {waiting} values that need trainings, {refused} that do not apply." if waiting + refused else ""
    )
    apart = f" {record.incomparable}." if record.incomparable else ""
    return (
        f"One choice of {record.run} changed at a time. Left: the headline of each agent; lines and bands are the "
        f"values of the run and their {record.confidence:.0%} intervals; there is no headline where no test is shown "
        "to be harder than its base. Right: Spearman's rank correlation of the complexities and of the dissimilarities "
        f"with those of the run, and the number of dimensions (bold where it is not the run's {record.dimensions}). "
        "Values in different numbers of dimensions compare roughly. Two choices that are harmless apart may move the "
        f"numbers together.{apart}{rest}"
    )


def _sensitivity_alt(record: Sensitivity) -> str:
    scored = [(row, row.agents) for row in record.computed if row.agents is not None]
    if not scored:
        return f"{len(record.computed)} choices; no agents."
    most, agents = max(scored, key=lambda pair: pair[1].largest)
    kept = sum(bool(row.same_order) for row, _ in scored)
    return (
        f"{kept} of {len(scored)} other values keep the order of the agents. The largest move is by "
        f"{most.choice} = {most.value}: {agents.name} by {style.number(agents.largest)}."
    )
