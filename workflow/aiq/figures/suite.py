"""A suite through results alone: agents by rank, who is above whom, its tests, and what fewer of them tell."""

from __future__ import annotations

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import matrix, style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.records.suite_report import SuiteReport
from aiq.records.table import counted

# ---- Agents --------------------------------------------------------------------------------------


_MOST = 40  # agents that have a row of their own
_MOST_CELLS = 300  # agents of a matrix
_ROW = 0.17  # inches an agent


@figure("suite-leaderboard", "rank", "value")
def suite_leaderboard(report: SuiteReport) -> Drawing:
    """Draw agents by rank: values with intervals, simultaneous ranks, and groups that the suite cannot tell apart.

    Of more than 40 agents the best 40 are drawn.
    """
    agents = report.agents[:_MOST]
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
    """Return a name that fits: names of one family often differ at their ends alone, so its middle is left out."""
    return name if len(name) <= most else f"{name[: most // 2]}…{name[most // 2 + 1 - most :]}"


@figure("suite-beats", "agent of the row", "told to be above")
def suite_beats(report: SuiteReport) -> Drawing:
    """Draw the matrix of agents, of at most 300, that are surely above others."""
    if report.beats is None or report.n > _MOST_CELLS:
        raise InputError(f"a matrix of {report.n} agents cannot be read; at most {_MOST_CELLS} are drawn, take fewer")
    cells = report.beats - report.beats.T
    side = min(style.DOUBLE, max(style.SINGLE, 0.16 * report.n + 2.0))
    names = [_short(agent.agent, 30) for agent in report.agents]
    figure = style.new_figure(side, side + 1.2 - 0.06 * max(map(len, names)))
    axes = figure.subplots()
    colours = ListedColormap([style.VERMILION, "#F5F5F5", style.BLUE])
    axes.imshow(cells, cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
    step = -(-report.n // _MOST)
    axes.set_yticks(range(0, report.n, step), names[::step])
    axes.set_xticks(range(0, report.n, step), [str(k + 1) for k in range(0, report.n, step)], rotation=90)
    axes.set_ylabel("agent of the row, best first")
    axes.set_xlabel("agent, by place")
    axes.tick_params(length=0)
    inks = {
        style.BLUE: "row is told to be above",
        "#F5F5F5": "not told apart",
        style.VERMILION: "row is told to be below",
    }
    keys = [Patch(color=ink, label=words) for ink, words in inks.items()]
    figure.legend(handles=keys, loc="outside lower center", ncols=3 if side > 5.5 else 1)
    decided, pairs = int(report.beats.sum()), report.n * (report.n - 1) // 2
    caption = (
        f"Which of {report.n} agents are told to be above which, all claims together right with probability "
        f"{report.confidence:.0%}: {decided:,} of {pairs:,} pairs. Agents stand in the order of the leaderboard."
    )
    table = report.table("beats") if decided else report.table("neighbours")
    return finish(figure, table, caption, f"Matrix of {report.n} agents; {decided} of {pairs} pairs are told apart.")


# ---- Tests ---------------------------------------------------------------------------------------


_NAMED = 20  # tests up to which each has its name beside its point


@figure("suite-tests", "difficulty", "discrimination")
def suite_tests(report: SuiteReport) -> Drawing:
    """Draw difficulty and discrimination of every test; they need a model of responses (ten agents or more)."""
    tests = [test for test in report.tests if test.discrimination is not None]
    if not tests:
        raise InputError(f"a figure of tests needs a model of responses: {report.n} agents are too few, give ten")
    figure = style.new_figure(style.DOUBLE, 4.2)
    axes = figure.subplots()
    style.grid(axes)
    slopes = np.array([test.discrimination.value for test in tests])
    hard = np.array([test.difficulty.value for test in tests])
    if len(tests) <= 3 * _NAMED:
        style.interval_bars(axes, "x", [test.difficulty for test in tests], slopes, ink=style.PALE)
        style.interval_bars(axes, "y", [test.discrimination for test in tests], hard, ink=style.PALE)
    bad = np.array([test.suspicious for test in tests])
    axes.plot(hard[~bad], slopes[~bad], "o", color=style.BLUE, zorder=3, label=f"{report.by} in order")
    if bad.any():
        words = "better agents are worse: look at its key" if report.by == "items" else "better agents are worse"
        axes.plot(hard[bad], slopes[bad], "X", color=style.VERMILION, markersize=7, zorder=4, label=words)
    named = [k for k in np.lexsort((hard, np.round(slopes, 0))) if len(tests) <= _NAMED or bad[k]]
    for turn, k in enumerate(named):
        at = (4, 3 if turn % 2 else -8)
        axes.annotate(tests[k].test, (hard[k], slopes[k]), at, textcoords="offset points", fontsize=style.SMALL)
    axes.axhline(0, color=style.BLACK, linewidth=0.6)
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("difficulty (1 − expected performance at average ability)")
    axes.set_ylabel("discrimination (slope in ability)")
    style.legend_below(figure, axes, 2)
    where = "Bars and brackets are" if len(tests) <= 3 * _NAMED else "The table has"
    caption = (
        f"{len(tests)} {report.by} through the results of {report.n} agents; no training, and no AIQ. Difficulty and "
        f"discrimination by the graded response model. Upper right: hard, and telling good agents from average ones. "
        f"{style.interval_sentence([test.difficulty for test in tests], where)}"
    )
    hardest = sorted(tests, key=lambda test: -test.difficulty.value)[:5]
    difficulties = ", ".join(f"{test.test} {test.difficulty.value:.2f}" for test in hardest)
    alt = f"Difficulty and discrimination of {len(tests)} tests; the hardest are {difficulties}."
    return finish(figure, report.table("tests"), caption, alt)


@figure("suite-agreement", "distance by agreement")
def suite_agreement(report: SuiteReport) -> Drawing:
    """Draw distances between tests by agreement of agents, alike tests side by side."""
    if report.agreement is None:
        raise InputError(f"{len(report.tests)} tests have too many pairs for a matrix; take fewer")
    order = _side_by_side(report.agreement)
    cells = report.agreement[np.ix_(order, order)]
    names = [report.tests[k].test for k in order]
    side = min(style.DOUBLE, max(style.SINGLE, 0.2 * len(names) + 2.2))
    figure = style.new_figure(side, 0.85 * side + 0.3)
    axes = figure.subplots()
    colours = matplotlib.colormaps[style.SEQUENTIAL].with_extremes(bad="#FFFFFF")
    top = max(1.0, float(np.nanmax(cells)))
    image = axes.imshow(np.ma.masked_invalid(cells), cmap=colours, vmin=0, vmax=top, interpolation="nearest")
    matrix.name_axes(axes, names)
    axes.set_xlabel("")
    axes.set_ylabel("")
    matrix.colour_bar(figure, axes, image, "distance by agreement\n(1 − correlation over agents)")
    caption = (
        f"Distances between {len(names)} {report.by} by agreement of {report.n} agents, 1 − Pearson's correlation: 0 "
        "where agents differ alike, 1 where one says nothing of the other, above 1 where better agents are worse; "
        "white: cannot be had. This is not the paper's dissimilarity, which needs training on both tests together. "
        "Alike tests stand side by side."
    )
    if len(order) < len(report.tests):
        gone = counted(len(report.tests) - len(order), report.by[:-1])
        caption += f" Not drawn: {gone} with which no other has enough agents in common, or on which all score alike."
    alt = f"Heat map of distances by agreement of {len(names)} tests."
    return finish(figure, report.table("agreement"), caption, alt)


def _side_by_side(agreement: npt.NDArray[np.float64]) -> list[int]:
    """Return the places of the tests that have a distance to another, alike ones side by side; all if none has one."""
    places = np.flatnonzero(np.isfinite(agreement).sum(axis=1) > 1)
    if not places.size:
        return list(range(len(agreement)))
    return [int(places[k]) for k in matrix.seriation(agreement[np.ix_(places, places)])]


@figure("suite-fewer", "kept", "rank correlation", "verdicts")
def suite_fewer(report: SuiteReport) -> Drawing:
    """Draw how order and verdicts hold on agents left out as tests are dropped; it needs six agents or more."""
    fewer = report.reduction
    if fewer is None:
        raise InputError(f"{report.n} agents are too few to leave some out; give six")
    figure = style.new_figure(style.DOUBLE, 3.0)
    left, right = figure.subplots(1, 2)
    style.grid(left)
    style.grid(right)
    left.fill_between(fewer.kept, fewer.low, fewer.high, color=style.PALE)
    lower = f"lower end of {report.confidence:.0%} of the halves"
    right.plot(fewer.kept, fewer.verdicts_low, ":", color=style.PURPLE, label=lower)
    panels = (
        (left, fewer.rank_correlation, style.GREEN, "rank correlation with all"),
        (right, fewer.verdicts, style.PURPLE, "verdicts kept (share)"),
    )
    for axes, mean, ink, words in panels:
        axes.plot(fewer.kept, mean, "-o", color=ink, markersize=2, label="mean")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel(f"{report.by} kept")
        axes.set_ylabel(f"{words},\nagents left out")
        axes.set_ylim(top=1.02)
    if fewer.enough is not None:
        look = {"color": style.BLACK, "linewidth": 0.8, "linestyle": "--"}
        right.axvline(fewer.enough, label=f"{fewer.enough} are enough", **look)
    right.legend(loc="lower right")
    caption = (
        f"What fewer {report.by} tell of agents left out of the choice; they are dropped one by one as one half of the "
        f"agents chooses, the other half judges, mean and central {report.confidence:.0%} of {fewer.halves} random "
        f"halves. Left: Spearman's correlation of the order with that by all {len(report.tests)}. Right: share of the "
        "pairs that differ by two standard errors on all that keep their order; enough: the lower end is .95."
    )
    return finish(figure, report.table("reduction"), caption, f"Order and verdicts by number of {report.by} kept.")
