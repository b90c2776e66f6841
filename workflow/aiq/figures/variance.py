"""Where the variance of the agents' scores comes from: the share of every source, by agent and together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MultipleLocator, PercentFormatter

from aiq.figures import style
from aiq.figures.drawing import Drawing, as_sentence, finish, written
from aiq.records.estimate import Estimate
from aiq.records.quotient import THE_HEADLINE
from aiq.records.variance import ALL, Variances

_ROW, _HEAD = 0.2, 1.4  # inches
_MOST = 38  # agents that are drawn; all are in the table
_NOTE = {
    "skills": "A row adds up to 100 %. How well few repetitions tell the noise is not in it. Controls enter no score.",
    "volume": "A row adds up to 100 %. Below 0: scores vary more once the source is known. Bars tell how well the "
    "replicates\nsettle a share, not how well few repetitions tell the noise. Controls enter no score.",
}
_LEAST = (-0.25, 1.05)  # what every axis holds at least


@style.styled
@written("share of the variance", ALL)
def variance(found: Variances) -> Drawing:
    """Draw the share of each source in the variance of the agents' values, one part of the figure per source.

    Args:
        found: the split; where no share is known the figure says so.
    """
    shown = found.agents[:_MOST]
    rows = [*((one.agent, one.shares) for one in shown), (ALL, found.together)]
    figure = style.new_figure(style.DOUBLE, _HEAD + _ROW * max(len(rows), 4))
    parts = np.atleast_1d(figure.subplots(1, len(found.sources), sharey=True, sharex=True))
    for place, (axes, source) in enumerate(zip(parts, found.sources, strict=True)):
        _source(axes, source, rows, style.COLOURS[place], style.MARKERS[place])
    parts[0].set_yticks(range(len(rows)), [name for name, _ in rows])
    parts[0].set_ylim(len(rows) - 0.4, -0.6)
    figure.supxlabel(
        f"share of the variance of {THE_HEADLINE[found.value]}\n{_NOTE[found.value]}", fontsize=style.SMALL
    )
    return finish(figure, found.table(), _caption(found, len(shown)), _alt(found))


def _source(axes: Axes, source: str, rows: list[tuple[str, Mapping[str, Estimate]]], ink: str, mark: str) -> None:
    """Draw the shares of one source with their intervals; those of all agents together below a line, filled."""
    axes.set_title(source)
    style.grid(axes, "x")
    axes.axvline(0, color=style.BLACK, linewidth=0.6)
    axes.axhline(len(rows) - 1.5, color=style.GREY, linewidth=0.6)
    axes.tick_params(axis="y", length=0)
    known = [(place, shares[source]) for place, (_, shares) in enumerate(rows) if source in shares]
    places = np.array([place for place, _ in known], dtype=np.float64)
    if known:
        style.interval_bars(axes, "x", [one for _, one in known], places)
    for place, one in known:
        last = place == len(rows) - 1
        axes.plot(one.value, place, mark, color=ink, mfc=ink if last else "white", markersize=5, zorder=3)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, _LEAST[0]), max(high, _LEAST[1]))
    axes.xaxis.set_major_locator(MultipleLocator(0.5 if known else 1))
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))


def _caption(found: Variances, shown: int) -> str:
    """Return what is drawn and what it cannot tell."""
    more = f" Drawn are the first {shown} of {len(found.agents)} agents." if shown < len(found.agents) else ""
    what, words = f"the variance of {THE_HEADLINE[found.value]}", "".join(map(as_sentence, found.sentences))
    if not found.together:
        return f"Sources of {what}.{words}{more}"
    bars = f" Bars are 95 % intervals over {found.replicates} replicates." if found.replicates else ""
    return f"Sources of {what}, by agent and, filled, of all agents together.{bars}{words}{more}"


def _alt(found: Variances) -> str:
    """Return the shares of all agents together."""
    if not found.together:
        return "No share of any source of variance is known."
    told = ", ".join(f"{source} {one.value:.0%}" for source, one in found.together.items())
    return f"Shares of the variance of all agents' scores: {told}."
