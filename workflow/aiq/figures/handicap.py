"""Agents of known size: mean performance and AIQ against the nodes per layer, one line per depth (Figs. 20, 21, 28)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, NullFormatter, ScalarFormatter

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.arrays import Floats
from aiq.records.estimate import Estimate
from aiq.records.quotient import AgentScore, Scores
from aiq.records.table import Cell, Table


@style.styled
@written("nodes per layer", "mean performance", "AIQ (relative)", "1 layer")
def handicap(scores: Scores, networks: Mapping[str, tuple[int, int]], *, even: bool = False) -> Drawing:
    """Draw mean performance and relative AIQ of agents against their width, one line for each number of layers.

    Args:
        scores: the agents' scores over one suite.
        networks: agent -> (hidden layers, nodes per layer); agents that are not named are left out.
        even: the axis of nodes is even, on which a straight line is one; else every doubling is a step.

    Raises:
        InputError: no scored agent is named.
    """
    groups: dict[int, list[tuple[int, AgentScore]]] = {}
    for agent in scores.agents:
        if agent.agent in networks:
            layers, width = networks[agent.agent]
            groups.setdefault(layers, []).append((width, agent))
    if not groups:
        raise InputError("none of the scored agents is a network of known size; add at least one under agents.networks")
    most, least = (ends([width for group in groups.values() for width, _ in group]) for ends in (max, min))
    figure = style.new_figure(style.DOUBLE, 2.9)
    left, right = figure.subplots(1, 2)
    for k, layers in enumerate(sorted(groups)):
        members = sorted(groups[layers], key=lambda member: member[0])
        widths = [width for width, _ in members]
        label = f"{layers} layer{'s' * (layers != 1)}"
        places = _aside(widths, k, 0.008 * (most - least) if even else 0.0)
        _line(left, places, [agent.mean for _, agent in members], k, label)
        _line(right, places, [agent.relative for _, agent in members], k, label)
    widths = sorted({width for group in groups.values() for width, _ in group})
    for axes in (left, right):
        style.grid(axes)
        _nodes(axes, widths, even)
        axes.set_xlabel("nodes per layer")
        axes.set_ylim(bottom=-0.03 * axes.get_ylim()[1])
    left.set_ylabel("mean performance")
    right.set_ylabel("AIQ (relative)")
    style.legend_below(figure, left, columns=5)
    rows: list[tuple[Cell, ...]] = [
        (layers, width, agent.agent, *style.interval_cells(agent.mean), *style.interval_cells(agent.relative))
        for layers in sorted(groups)
        for width, agent in sorted(groups[layers], key=lambda member: member[0])
    ]
    columns = ("layers", "width", "agent", "mean", "mean_low", "mean_high", "relative", "relative_low", "relative_high")
    drawn = [agent for group in groups.values() for _, agent in group]
    caption = (
        f"Mean performance (left) and AIQ relative to an agent at performance 1 everywhere (right) of {len(drawn)} "
        f"network{'s' * (len(drawn) > 1)} against their nodes per layer, one line for each number of layers; "
        f"{len(scores.domains)} domains, {scores.dimensions} dimension{'s' * (scores.dimensions > 1)}. "
        f"{style.interval_sentence([a.relative for a in drawn] + [a.mean for a in drawn])}"
    )
    words = "; ".join(
        f"{row[2]} mean {style.number(float(row[3] or 0))}, AIQ {style.number(float(row[6] or 0))}" for row in rows
    )
    return finish(figure, Table.of(columns, rows), caption, f"Agents by size: {words}.")


def _nodes(axes: Axes, widths: Sequence[int], even: bool) -> None:
    """Lay out the axis of the nodes."""
    if even and len(widths) > 1:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
        return
    if len(widths) > 1:
        axes.set_xscale("log", base=2)
    axes.set_xticks(widths)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())


def _aside(widths: Sequence[int], index: int, step: float) -> Floats:
    """Return the places of one depth, moved a little aside so that intervals do not cover one another."""
    at = np.array(widths, dtype=np.float64)
    return at + step * (index - 1) if step else at * 2 ** (0.05 * (index - 2))


def _line(axes: Axes, places: Floats, estimates: Sequence[Estimate], index: int, label: str) -> None:
    """Draw one depth."""
    style.interval_bars(axes, "y", estimates, places, style.colour(index))
    axes.plot(
        places, [e.value for e in estimates], marker=style.marker(index), linestyle=style.line(index),
        color=style.colour(index), label=label, zorder=3,
    )  # fmt: skip
