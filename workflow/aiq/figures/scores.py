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
