"""The agents' AIQ beside their mean performance (Figs. 20, 28 and 29 of the 2025 paper)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.figures.space import caution
from aiq.records.arrays import Floats
from aiq.records.estimate import Estimate
from aiq.records.quotient import Scores
from aiq.records.table import Cell, Table


@style.styled
@written("AIQ per dimension and mean performance", "relative AIQ, given d")
def agent_scores(scores: Scores, *, scaled_by: str = "performance") -> Drawing:
    """Draw the AIQ of each agent, per dimension and relative, beside its mean performances, best first.

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
    _series(left, [agent.per_dimension for agent in scores.agents], rows - 0.2, 0, "AIQ per dimension")
    known = [(agent.geometric_mean, row) for agent, row in zip(scores.agents, rows, strict=True)]
    geometric = [(value, row) for value, row in known if value is not None]
    if geometric:
        where = np.array([row for _, row in geometric])
        _series(left, [value for value, _ in geometric], where, 2, f"geometric mean {scaled_by}")
    _series(left, [agent.mean for agent in scores.agents], rows + 0.2, 1, f"mean {scaled_by}")
    words = f"relative AIQ, given d = {scores.dimensions}"
    _series(right, [agent.relative for agent in scores.agents], rows, 0, words)
    left.set_yticks(rows, [f"{agent.rank}. {agent.agent}" for agent in scores.agents])
    left.set_ylim(count - 0.5, -0.5)
    left.set_xlim(-0.02, 1.02)
    left.set_xlabel(f"AIQ per dimension and mean {scaled_by}")
    right.set_xlim(left=0 - 0.02 * right.get_xlim()[1])
    right.set_xlabel(words)
    for axes in (left, right):
        style.grid(axes)
        axes.tick_params(axis="y", length=0)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    flat = [agent.agent for agent in scores.agents if agent.hull.rank < agent.hull.dimension]
    estimates = [a.per_dimension for a in scores.agents] + [a.mean for a in scores.agents]
    note = f" {scores.note[0].upper()}{scores.note[1:]}." if scores.note else ""
    caption = (
        f"AIQ of {count} agent{'s' * (count > 1)} over {len(scores.domains)} domains in {scores.dimensions} "
        f"dimension{'s' * (scores.dimensions > 1)}, best first: per dimension, beside the geometric and the plain mean "
        f"{scaled_by} (left), and volume relative to an agent at {scaled_by} 1 everywhere, given the number of "
        f"dimensions (right). {style.interval_sentence(estimates)}{note}{_flat_sentence(flat)}"
        f"{caution(scores.warnings)}"
    )
    alt = "Agents, best first: " + "; ".join(
        f"{a.agent} AIQ per dimension {style.number(a.per_dimension.value)}, relative "
        f"{style.number(a.relative.value)}, mean {style.number(a.mean.value)}"
        for a in scores.agents
    )
    return finish(figure, _table(scores), caption, f"{alt}.")


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
    for name in ("per_dimension", "relative", "geometric_mean", "mean", "volume"):
        columns += [name, f"{name}_low", f"{name}_high"]
    columns += ["probability_above_next", "span_dimension", "vertices"]
    rows: list[tuple[Cell, ...]] = []
    for agent in scores.agents:
        cells: list[Cell] = [agent.rank, agent.agent]
        for estimate in (agent.per_dimension, agent.relative, agent.geometric_mean, agent.mean, agent.volume):
            cells += (None,) * 3 if estimate is None else style.interval_cells(estimate)
        cells += [agent.order, agent.hull.rank]
        rows.append((*cells, " ".join(agent.vertices)))
    return Table.of(columns, rows)
