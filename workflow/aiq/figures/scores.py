"""The agents' AIQ beside their mean performance (Figs. 20, 28 and 29 of the 2025 paper)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish
from aiq.records.arrays import Floats
from aiq.records.estimate import Estimate
from aiq.records.quotient import Scores
from aiq.records.table import Cell, Table


@style.styled
def agent_scores(scores: Scores, *, scaled_by: str = "performance") -> Drawing:
    """Draw the AIQ of each agent, relative and per dimension, beside its mean performance, best first.

    Args:
        scores: the agents' scores over one suite.
        scaled_by: what scaled the points, ``performance`` or ``APTI``.

    Raises:
        InputError: there is no agent.
    """
    if not scores.agents:
        raise InputError("there is no agent whose score could be drawn; add at least one")
    count = len(scores.agents)
    figure = style.new_figure(style.DOUBLE, 0.24 * count + 1.35)
    left, right = figure.subplots(1, 2, sharey=True)
    relative = [agent.relative for agent in scores.agents]
    rows = np.arange(count, dtype=np.float64)
    _series(left, relative, rows, 0, "AIQ relative to a perfect agent")
    _series(right, [agent.per_dimension for agent in scores.agents], rows - 0.14, 0, "AIQ per dimension")
    _series(right, [agent.mean for agent in scores.agents], rows + 0.14, 1, f"mean {scaled_by}")
    left.set_yticks(rows, [f"{agent.rank}. {agent.agent}" for agent in scores.agents])
    left.set_ylim(count - 0.5, -0.5)
    left.set_xlim(left=0 - 0.02 * left.get_xlim()[1])
    left.set_xlabel("relative AIQ (share of the suite's volume)")
    right.set_xlim(-0.02, 1.02)
    right.set_xlabel(f"per-dimension AIQ and mean {scaled_by}")
    for axes in (left, right):
        style.grid(axes)
        axes.tick_params(axis="y", length=0)
    handles, labels = (
        first + second
        for first, second in zip(left.get_legend_handles_labels(), right.get_legend_handles_labels(), strict=True)
    )
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    flat = [agent.agent for agent in scores.agents if agent.hull.rank < agent.hull.dimension]
    caption = (
        f"AIQ of {count} agent{'s' * (count > 1)} over {len(scores.domains)} domains in {scores.dimensions} "
        f"dimension{'s' * (scores.dimensions > 1)}, best first: volume relative to an agent at {scaled_by} 1 "
        f"everywhere (left) and its {_root(scores.dimensions)} beside the mean {scaled_by} (right). "
        f"{style.interval_sentence([a.relative for a in scores.agents] + [a.mean for a in scores.agents])}"
        f"{_flat_sentence(flat)}"
    )
    alt = "Agents, best first: " + "; ".join(
        f"{a.agent} relative AIQ {style.number(a.relative.value)}, per dimension "
        f"{style.number(a.per_dimension.value)}, mean {style.number(a.mean.value)}"
        for a in scores.agents
    )
    return finish(figure, _table(scores), caption, f"{alt}.")


def _series(axes: Axes, estimates: Sequence[Estimate], rows: Floats, index: int, label: str) -> None:
    """Draw one quantity of all agents as points with intervals; hollow squares for every second."""
    values = [estimate.value for estimate in estimates]
    ink = (style.BLUE, style.VERMILION)[index]
    style.interval_bars(axes, "x", estimates, rows, ink)
    axes.plot(
        values, rows, linestyle="", marker=style.marker(index), color=ink, mfc=ink if index == 0 else "white",
        markersize=5, label=label, zorder=3,
    )  # fmt: skip


def _root(dimensions: int) -> str:
    """Return the words for the d-th root."""
    return "own value (one dimension)" if dimensions == 1 else f"root of order {dimensions}"


def _flat_sentence(flat: Sequence[str]) -> str:
    """Return the sentence on agents without volume, or nothing."""
    return f" Without volume because their points span fewer dimensions: {', '.join(flat)}." if flat else ""


def _table(scores: Scores) -> Table:
    """Return one row an agent, with the probability that it is above the next one."""
    columns: list[str] = ["rank", "agent"]
    for name in ("relative", "per_dimension", "mean", "volume"):
        columns += [name, f"{name}_low", f"{name}_high"]
    columns += ["probability_above_next", "span_dimension", "vertices"]
    rows: list[tuple[Cell, ...]] = []
    for index, agent in enumerate(scores.agents):
        cells: list[Cell] = [agent.rank, agent.agent]
        for estimate in (agent.relative, agent.per_dimension, agent.mean, agent.volume):
            cells += style.interval_cells(estimate)
        above = scores.order_probabilities
        last = index + 1 == len(scores.agents) or above is None or not np.isfinite(above[index, index + 1])
        cells += [None if last or above is None else float(above[index, index + 1]), agent.hull.rank]
        rows.append((*cells, " ".join(agent.vertices)))
    return Table.of(columns, rows)
