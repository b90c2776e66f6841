"""The agents' AIQ beside their mean performance, and both by their size (2025 paper, Figs. 20, 21, 28 and 29)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, NullFormatter, ScalarFormatter

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, as_sentence, caution, figure, finish
from aiq.records.estimate import Estimate, Floats, cells
from aiq.records.quotient import AgentScore, Scores
from aiq.records.table import Table, bounds, counted

# ---- All agents, best first ----------------------------------------------------------------------


@figure("agents", "score and mean performance", "relative AIQ, given d")
def agent_scores(scores: Scores, *, scaled_by: str = "performance") -> Drawing:
    """Draw the headline of each agent beside its AIQ, per dimension and relative, and mean performance, best first.

    ``scaled_by``: what scaled the points, ``performance`` or ``APTI``.

    Raises:
        InputError: there is no agent.
    """
    agents = scores.agents
    if not agents:
        raise InputError("there is no agent whose score could be drawn; add at least one")
    made = style.new_figure(style.DOUBLE, 0.3 * len(agents) + 1.5)
    left, right = made.subplots(1, 2, sharey=True, width_ratios=(1.6, 1))
    rows = style.name_rows(left, [f"{agent.rank_words}. {agent.agent}" for agent in agents])
    series = _series(scores, scaled_by)
    for index, (label, estimates) in enumerate(series.items()):
        style.series(left, estimates, rows + 0.2 * (index - (len(series) - 1) / 2), index, label)
    words = f"relative AIQ, given d = {scores.dimensions}"
    style.series(right, [agent.relative for agent in agents], rows, 0, words)
    left.set_xlim(-0.02, 1.02)
    left.set_xlabel(f"score and mean {scaled_by}")
    right.set_xlim(left=0 - 0.02 * right.get_xlim()[1])
    right.set_xlabel(words)
    right.tick_params(axis="y", length=0)
    for axes in (left, right):
        style.grid(axes)
    style.legend_below(made, left, columns=3)
    flat = ", ".join(agent.agent for agent in agents if agent.hull.rank < agent.hull.dimension)
    flat = f" Without volume because their points span fewer dimensions: {flat}." if flat else ""
    *most, last = series
    estimates = [estimate for several in series.values() for estimate in several]
    caption = (
        f"Scores of {counted(len(agents), 'agent')} over {len(scores.domains)} domains in "
        f"{counted(scores.dimensions, 'dimension')}, best first: {', '.join(most)} and {last} (left), and "
        f"volume relative to an agent at {scaled_by} 1 everywhere, given the number of dimensions (right). "
        f"{style.interval_sentence(estimates)}{as_sentence(scores.note)}{flat}{caution(scores.warnings)}"
    )
    alt = "; ".join(
        f"{a.agent} {style.number(a.headline.value)}, AIQ per dimension {style.number(a.per_dimension.value)}, "
        f"relative {style.number(a.relative.value)}, mean {style.number(a.mean.value)}"
        for a in agents
    )
    return finish(made, _table(scores), caption, f"Agents, best first: {alt}.")


def _series(scores: Scores, scaled_by: str) -> dict[str, list[Estimate]]:
    """Return the numbers that stand beside each other, the headline first."""
    agents, series = scores.agents, {}
    if scores.headline == "skills" and any(np.isfinite(agent.headline.value) for agent in agents):
        series["mean over independent skills"] = [agent.headline for agent in agents]
    series["AIQ per dimension"] = [agent.per_dimension for agent in agents]
    geometric = [agent.geometric_mean for agent in agents if agent.geometric_mean is not None]
    if scores.headline != "skills" and len(geometric) == len(agents):
        series[f"geometric mean {scaled_by}"] = geometric
    return {**series, f"mean {scaled_by}": [agent.mean for agent in agents]}


def _table(scores: Scores) -> Table:
    names = ("per_dimension", "relative", "geometric_mean", "mean", "volume")
    columns = ("rank", "agent", *bounds("value", *names), "probability_above_next", "span_dimension", "vertices")
    rows = []
    for agent in scores.agents:
        numbers = cells(agent.headline, *(getattr(agent, name) for name in names))
        rows.append((agent.rank_words, agent.agent, *numbers, agent.order, agent.hull.rank, " ".join(agent.vertices)))
    return Table.of(columns, rows)


# ---- Agents of known size ------------------------------------------------------------------------


@figure("handicap", "nodes per layer", "mean performance", "AIQ (relative)", "1 layer")
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
    groups = {layers: sorted(groups[layers], key=lambda member: member[0]) for layers in sorted(groups)}
    every = sorted({width for group in groups.values() for width, _ in group})
    made = style.new_figure(style.DOUBLE, 2.9)
    left, right = made.subplots(1, 2)
    for k, (layers, group) in enumerate(groups.items()):
        places = _aside([width for width, _ in group], k, 0.008 * (every[-1] - every[0]) if even else 0.0)
        _line(left, places, [agent.mean for _, agent in group], k, counted(layers, "layer"))
        _line(right, places, [agent.relative for _, agent in group], k, counted(layers, "layer"))
    for axes in (left, right):
        style.grid(axes)
        _nodes(axes, every, even)
        axes.set_xlabel("nodes per layer")
        axes.set_ylim(bottom=-0.03 * axes.get_ylim()[1])
    left.set_ylabel("mean performance")
    right.set_ylabel("AIQ (relative)")
    style.legend_below(made, left, columns=5)
    drawn = [(layers, width, agent) for layers, group in groups.items() for width, agent in group]
    columns = ("layers", "width", "agent", *bounds("mean", "relative"))
    rows = [(layers, width, a.agent, *a.mean.cells(), *a.relative.cells()) for layers, width, a in drawn]
    estimates = [estimate for _, _, agent in drawn for estimate in (agent.relative, agent.mean)]
    caption = (
        f"Mean performance (left) and AIQ relative to an agent at performance 1 everywhere (right) of "
        f"{counted(len(drawn), 'network')} against their nodes per layer, one line for each number of layers; "
        f"{len(scores.domains)} domains, {counted(scores.dimensions, 'dimension')}. "
        f"{style.interval_sentence(estimates)}"
    )
    words = "; ".join(
        f"{agent.agent} mean {style.number(agent.mean.value)}, AIQ {style.number(agent.relative.value)}"
        for _, _, agent in drawn
    )
    return finish(made, Table.of(columns, rows), caption, f"Agents by size: {words}.")


def _nodes(axes: Axes, widths: Sequence[int], even: bool) -> None:
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
    style.interval_bars(axes, "y", estimates, places, style.colour(index))
    axes.plot(
        places, [e.value for e in estimates], marker=style.marker(index), linestyle=style.line(index),
        color=style.colour(index), label=label, zorder=3,
    )  # fmt: skip
