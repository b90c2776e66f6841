"""A suite through results alone, its agents: the leaderboard with its ranks, and who is told to be above whom."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.suite_report import SuiteReport

MOST = 40  # agents that have a row of their own
MOST_CELLS = 300  # agents of a matrix
_ROW = 0.17  # inches an agent


@style.styled
@written("rank", "value")
def suite_leaderboard(report: SuiteReport) -> Drawing:
    """Draw agents by rank: values with intervals, simultaneous ranks, and groups that the suite cannot tell apart.

    Args:
        report: what results say of the suite; of more than 40 agents the best 40 are drawn.
    """
    agents = report.agents[:MOST]
    places = np.arange(len(agents), dtype=np.float64)
    figure = style.new_figure(style.DOUBLE, max(2.6, 1.2 + _ROW * len(agents)))
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1.3, 1))
    for axes in (left, right):
        style.grid(axes, "x")
        for group in sorted({agent.group for agent in agents})[::2]:
            mine = [k for k, agent in enumerate(agents) if agent.group == group]
            axes.axhspan(mine[0] - 0.5, mine[-1] + 0.5, color=style.PALE, alpha=0.5, linewidth=0, zorder=0)
    style.interval_bars(left, "x", [agent.value for agent in agents], places)
    left.plot([agent.value.value for agent in agents], places, "o", color=style.BLUE, zorder=3)
    left.set_yticks(places, [_short(agent.agent) for agent in agents])
    left.set_ylim(len(agents) - 0.4, -0.6)
    left.set_xlabel(f"value (mean over {report.by})")
    for k, agent in enumerate(agents):
        right.plot([agent.rank_low, agent.rank_high], [k, k], "-", color=style.VERMILION, linewidth=2)
    right.plot([agent.rank for agent in agents], places, "s", color=style.BLACK, markersize=3, zorder=3)
    right.set_xlim(0.5, max(agent.rank_high for agent in agents) + 0.5)
    right.set_xlabel(f"rank, with all ranks that are possible\n(1 is the best of {report.n})")
    right.tick_params(axis="y", length=0)
    some = "" if len(agents) == report.n else f" The best {len(agents)} of {report.n} agents; the table has all."
    caption = (
        f"Agents by rank.{some} Left: values with {report.confidence:.0%} intervals over {report.by} like these, each "
        f"for itself; agents are compared on the same {report.by}, so intervals that overlap can be of agents that are "
        f"told apart. Right: ranks that are possible, all sets together right with probability {report.confidence:.0%} "
        f"({report.ranks_by}). Bands: groups of agents that follow each other and of whom no two are told apart."
    )
    first = report.agents[0]
    ranks = f"ranks {first.rank_low} to {first.rank_high} are possible"
    alt = f"Leaderboard of {len(agents)} agents; {first.agent} leads, {ranks}."
    return finish(figure, report.table("agents"), caption, alt)


def _short(name: str, most: int = 42) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


@style.styled
@written("agent of the row", "told to be above")
def suite_beats(report: SuiteReport) -> Drawing:
    """Draw the matrix of agents that are surely above others.

    Args:
        report: what results say of the suite.

    Raises:
        InputError: there are more than 300 agents.
    """
    if report.beats is None or report.n > MOST_CELLS:
        raise InputError(f"a matrix of {report.n} agents cannot be read; at most {MOST_CELLS} are drawn, take fewer")
    cells = report.beats - report.beats.T
    side = min(style.DOUBLE, max(style.SINGLE, 0.16 * report.n + 2.0))
    figure = style.new_figure(side, 0.95 * side + 0.3)
    axes = figure.subplots()
    axes.imshow(
        cells, cmap=ListedColormap([style.VERMILION, "#F5F5F5", style.BLUE]), vmin=-1, vmax=1, interpolation="nearest"
    )
    step = -(-report.n // MOST)
    names = [_short(agent.agent, 30) for agent in report.agents]
    axes.set_yticks(range(0, report.n, step), names[::step])
    axes.set_xticks(range(0, report.n, step), [str(k + 1) for k in range(0, report.n, step)], rotation=90)
    axes.set_ylabel("agent of the row, best first")
    axes.set_xlabel("agent of the column, by its place")
    axes.tick_params(length=0)
    keys = [
        Patch(color=style.BLUE, label="row is told to be above"), Patch(color="#F5F5F5", label="not told apart"),
        Patch(color=style.VERMILION, label="row is told to be below"),
    ]  # fmt: skip
    figure.legend(handles=keys, loc="outside lower center", ncols=3 if side > 5.5 else 1)
    told, pairs = int(report.beats.sum()), report.n * (report.n - 1) // 2
    caption = (
        f"Which of {report.n} agents are told to be above which, all claims together right with probability "
        f"{report.confidence:.0%}: {told:,} of {pairs:,} pairs. Agents stand in the order of the leaderboard."
    )
    table = report.table("beats") if told else report.table("neighbours")
    return finish(figure, table, caption, f"Matrix of {report.n} agents; {told} of {pairs} pairs are told apart.")
