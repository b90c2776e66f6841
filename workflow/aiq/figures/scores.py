"""The agents' AIQ beside their mean performance (Figs. 20, 28 and 29 of the 2025 paper).

Agents of known size: mean performance and AIQ against the nodes per layer, one line per depth (Figs. 20, 21, 28).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, NullFormatter, ScalarFormatter

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.figures.space import caution
from aiq.records.arrays import Floats
from aiq.records.estimate import Estimate
from aiq.records.quotient import AgentScore, Scores
from aiq.records.table import Cell, Table

# ---- Agents of known size ------------------------------------------------------------------------


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


# ---- The agents' AIQ beside their mean performance (Figs -----------------------------------------


@style.styled
@written("score and mean performance", "relative AIQ, given d")
def agent_scores(scores: Scores, *, scaled_by: str = "performance") -> Drawing:
    """Draw the headline of each agent beside its AIQ, per dimension and relative, and mean performance, best first.

    Args:
        scores: the agents' scores over one suite.
        scaled_by: what scaled the points, ``performance`` or ``APTI``.

    Raises:
        InputError: there is no agent.
    """
    if not scores.agents:
        raise InputError("there is no agent whose score could be drawn; add at least one")
    count = len(scores.agents)
    figure = style.new_figure(style.DOUBLE, 0.3 * count + 1.5)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1.6, 1))
    rows = np.arange(count, dtype=np.float64)
    by_skills = scores.headline == "skills"
    series = [(f"mean {scaled_by}", [agent.mean for agent in scores.agents])]
    if by_skills:
        series = [("mean over independent skills", [agent.headline for agent in scores.agents]), *series]
    series.insert(len(series) - 1, ("AIQ per dimension", [agent.per_dimension for agent in scores.agents]))
    if not by_skills and all(agent.geometric_mean is not None for agent in scores.agents):
        known = [agent.geometric_mean for agent in scores.agents if agent.geometric_mean is not None]
        series.insert(1, (f"geometric mean {scaled_by}", known))
    for index, (label, estimates) in enumerate(series):
        _series(left, estimates, rows + 0.2 * (index - (len(series) - 1) / 2), index, label)
    words = f"relative AIQ, given d = {scores.dimensions}"
    _series(right, [agent.relative for agent in scores.agents], rows, 0, words)
    left.set_yticks(rows, [f"{agent.rank_words}. {agent.agent}" for agent in scores.agents])
    left.set_ylim(count - 0.5, -0.5)
    left.set_xlim(-0.02, 1.02)
    left.set_xlabel(f"score and mean {scaled_by}")
    right.set_xlim(left=0 - 0.02 * right.get_xlim()[1])
    right.set_xlabel(words)
    for axes in (left, right):
        style.grid(axes)
        axes.tick_params(axis="y", length=0)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    flat = [agent.agent for agent in scores.agents if agent.hull.rank < agent.hull.dimension]
    estimates = [one for _, part in series for one in part]
    note = f" {scores.note[0].upper()}{scores.note[1:]}." if scores.note else ""
    caption = (
        f"Scores of {count} agent{'s' * (count > 1)} over {len(scores.domains)} domains in {scores.dimensions} "
        f"dimension{'s' * (scores.dimensions > 1)}, best first: {_listed([label for label, _ in series])} (left), and "
        f"volume relative to an agent at {scaled_by} 1 everywhere, given the number of "
        f"dimensions (right). {style.interval_sentence(estimates)}{note}{_flat_sentence(flat)}"
        f"{caution(scores.warnings)}"
    )
    alt = "Agents, best first: " + "; ".join(
        f"{a.agent} {style.number(a.headline.value)}, AIQ per dimension {style.number(a.per_dimension.value)}, "
        f"relative {style.number(a.relative.value)}, mean {style.number(a.mean.value)}"
        for a in scores.agents
    )
    return finish(figure, _table(scores), caption, f"{alt}.")


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _series(axes: Axes, estimates: Sequence[Estimate], rows: Floats, index: int, label: str) -> None:
    """Draw one quantity of all agents as points with intervals; hollow for all but the first."""
    values = [estimate.value for estimate in estimates]
    ink = (style.BLUE, style.VERMILION, style.GREEN)[index]
    style.interval_bars(axes, "x", estimates, rows, ink)
    axes.plot(
        values, rows, linestyle="", marker=style.marker(index), color=ink, mfc=ink if index == 0 else "white",
        markersize=5, label=label, zorder=3,
    )  # fmt: skip


def _flat_sentence(flat: Sequence[str]) -> str:
    """Return the sentence on agents without volume, or nothing."""
    return f" Without volume because their points span fewer dimensions: {', '.join(flat)}." if flat else ""


def _table(scores: Scores) -> Table:
    """Return one row per agent, with the probability that it is above the next one."""
    columns: list[str] = ["rank", "agent"]
    for name in ("value", "per_dimension", "relative", "geometric_mean", "mean", "volume"):
        columns += [name, f"{name}_low", f"{name}_high"]
    columns += ["probability_above_next", "span_dimension", "vertices"]
    rows: list[tuple[Cell, ...]] = []
    for agent in scores.agents:
        cells: list[Cell] = [agent.rank_words, agent.agent]
        for estimate in (
            agent.headline,
            agent.per_dimension,
            agent.relative,
            agent.geometric_mean,
            agent.mean,
            agent.volume,
        ):
            cells += (None,) * 3 if estimate is None else estimate.cells()
        cells += [agent.order, agent.hull.rank]
        rows.append((*cells, " ".join(agent.vertices)))
    return Table.of(columns, rows)
