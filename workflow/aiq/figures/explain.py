"""What moves the numbers of a run: one choice changed at a time, and the sources of the variance of its scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, MultipleLocator, PercentFormatter

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, as_sentence, figure, finish
from aiq.records.estimate import Estimate
from aiq.records.explain import Sensitivity, Tried
from aiq.records.quotient import THE_HEADLINE
from aiq.records.variance import ALL, Variances

# ---- One choice changed --------------------------------------------------------------------------


@figure("sensitivity", "headline", "rank correlation with the run")
def sensitivity(record: Sensitivity) -> Drawing:
    """Draw the agents' headline under each other value of a choice, and how far orders of domains are kept.

    One row per choice and value. Left: the headline by agent, over a band that is the run's own interval. Right:
    rank correlations of complexities and of dissimilarities with the run's; beside them the number of dimensions.

    Raises:
        InputError: nothing was computed.
    """
    rows = record.computed
    if not rows:
        raise InputError("no choice was computed, so there is nothing to draw; leave --choice out")
    made = style.new_figure(style.DOUBLE, 0.17 * max(len(rows), 4) + 1.2)
    left, right = made.subplots(1, 2, width_ratios=(2, 1), sharey=True)
    _agents(left, record, rows)
    _orders(right, record, rows)
    left.set_yticks(range(len(rows)), [f"{row.choice} = {row.value}" for row in rows], fontsize=style.SMALL)
    left.set_ylim(len(rows) - 0.5, -0.5)
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
        style.grid(axes)
    (handles, labels), (others, names) = (axes.get_legend_handles_labels() for axes in (left, right))
    made.legend([*handles, *others], [*labels, *names], loc="outside lower center", ncols=4)
    return finish(made, record.table(), _sensitivity_caption(record), _sensitivity_alt(record))


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


# ---- Sources of variance -------------------------------------------------------------------------


_MOST = 38  # agents that are drawn; all are in the table
_NOTE = {
    "skills": "A row adds up to 100 %. How well few repetitions tell the noise is not in it. Controls enter no score.",
    "volume": "A row adds up to 100 %. Below 0: scores vary more once the source is known. Bars tell how well the "
    "replicates\nsettle a share, not how well few repetitions tell the noise. Controls enter no score.",
}
_LEAST = (-0.25, 1.05)  # what every axis holds at least


@figure("variance", "share of the variance", ALL)
def variance(record: Variances) -> Drawing:
    """Draw the share of each source in the variance of the agents' values, one part of the figure per source."""
    agents = record.agents[:_MOST]
    rows = [*((agent.agent, agent.shares) for agent in agents), (ALL, record.together)]
    made = style.new_figure(style.DOUBLE, 1.4 + 0.2 * max(len(rows), 4))
    parts = np.atleast_1d(made.subplots(1, len(record.sources), sharey=True, sharex=True))
    for place, (axes, source) in enumerate(zip(parts, record.sources, strict=True)):
        _source(axes, source, rows, style.COLOURS[place], style.MARKERS[place])
    parts[0].set_yticks(range(len(rows)), [name for name, _ in rows])
    parts[0].set_ylim(len(rows) - 0.4, -0.6)
    what = f"the variance of {THE_HEADLINE[record.value]}"
    made.supxlabel(f"share of {what}\n{_NOTE[record.value]}", fontsize=style.SMALL)
    words = "".join(map(as_sentence, record.sentences))
    if len(agents) < len(record.agents):
        words += f" Drawn are the first {len(agents)} of {len(record.agents)} agents."
    if not record.together:
        alt = "No share of any source of variance is known."
        return finish(made, record.table(), f"Sources of {what}.{words}", alt)
    bars = f" Bars are 95 % intervals over {record.replicates} replicates." if record.replicates else ""
    caption = f"Sources of {what}, by agent and, filled, of all agents together.{bars}{words}"
    shares = ", ".join(f"{source} {share.value:.0%}" for source, share in record.together.items())
    return finish(made, record.table(), caption, f"Shares of the variance of all agents' scores: {shares}.")


def _source(axes: Axes, source: str, rows: list[tuple[str, Mapping[str, Estimate]]], ink: str, mark: str) -> None:
    axes.set_title(source)
    style.grid(axes, "x")
    axes.axvline(0, color=style.BLACK, linewidth=0.6)
    axes.axhline(len(rows) - 1.5, color=style.GREY, linewidth=0.6)
    axes.tick_params(axis="y", length=0)
    drawn = [(place, shares[source]) for place, (_, shares) in enumerate(rows) if source in shares]
    if drawn:
        places = np.array([place for place, _ in drawn], dtype=np.float64)
        style.interval_bars(axes, "x", [share for _, share in drawn], places)
    for place, share in drawn:
        last = place == len(rows) - 1
        axes.plot(share.value, place, mark, color=ink, mfc=ink if last else "white", markersize=5, zorder=3)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, _LEAST[0]), max(high, _LEAST[1]))
    axes.xaxis.set_major_locator(MultipleLocator(0.5 if drawn else 1))
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
