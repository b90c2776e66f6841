"""What a run of anytime tests shows: figures, tables, what its page opens with.

The anytime test: Υ and ξ against the budget and on the way there, and mean reward against complexity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from aiq import storage
from aiq.errors import InputError
from aiq.figures import drawing, style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.pages import Opening
from aiq.plans.products import Products
from aiq.records.estimate import Estimate
from aiq.records.table import Cell, Table, bounds
from aiq.run.job import read_stored
from aiq.run.products import Made
from aiq.wings.anytime.equations.administer import AnytimeRun, BudgetPoint, ComplexityReward
from aiq.wings.anytime.work import ClassResult, Exams, read_tests


def read_results(run: Exams) -> list[ClassResult]:
    """Return what the classes reduced to, in the order of the plan."""
    return [read_stored(run, "reduce_anytime", ClassResult, name) for name in run.plan.classes]


def show(run: Exams, declared: Products) -> Made:
    """Return Υ against the budget, the traces of ξ and R, the reward against the complexity, and the tables."""
    results = read_results(run)
    return Made(
        {
            "anytime-budget": lambda: anytime_budget([p for result in results for p in result.points]),
            "anytime-trace": lambda: anytime_trace({name: read_tests(run, name) for name in run.plan.classes}),
            "anytime-complexity": lambda: anytime_complexity([r for result in results for r in result.rewards]),
        },
        {"anytime": lambda: table(results), "endings": lambda: endings(results)},
    )


def table(results: Sequence[ClassResult]) -> Table:
    """Return Υ and ξ of every agent in every class at every budget."""
    columns = ("class", "agent", "measure", "budget", *bounds("upsilon"), *bounds("level"), "tests", "unfinished")
    rows = [
        (p.environments, p.agent, p.measure, p.budget, *p.upsilon.cells(), *p.level.cells(), p.level.n, p.unfinished)
        for result in results
        for p in result.points
    ]
    return Table.of(columns, rows)


def endings(results: Sequence[ClassResult]) -> Table:
    """Return how the tests ended."""
    rows = [(result.environments, e.agent, e.status, e.tests) for result in results for e in result.endings]
    return Table.of(("class", "agent", "status", "tests"), rows)


def main_table(run: Exams) -> Table:
    """The upsilon of every agent in every class at the last budget that it has."""
    results = read_results(run)
    last = {(result.environments, point.agent): point for result in results for point in result.points}
    rows = [(made, agent, p.budget, *p.upsilon.cells()) for (made, agent), p in last.items()]
    return Table.of(("class", "agent", "budget", "upsilon", "low", "high"), rows)


def opening(run: Exams) -> tuple[Opening, list[tuple[str, str]]]:
    """Return Υ and the level at the largest budget, how far to trust them, and facts.

    Raises:
        StorageError: a table is missing.
    """
    last = {(row["class"], row["agent"]): row for row in storage.read_published(run.layout.table("anytime")).dicts}
    rows = sorted(last.values(), key=lambda row: (str(row["class"]), -float(row["upsilon"] or 0.0)))
    wanted = ("class", "agent", "budget", *bounds("upsilon"), *bounds("level"))
    apart = [_apart(first, second) for first, second in combinations(rows, 2) if first["class"] == second["class"]]
    count = int(rows[0]["tests"] or 0) if rows else 0
    said = [
        f"{sum(apart)} of {len(apart)} pairs of agents of one class have intervals of Υ that do not overlap; of the "
        "others the order is not established by these tests.",
        "Υ compares agents in one class of environments only: values of different classes have different meanings.",
    ]
    facts = [
        ("agents", str(len({row["agent"] for row in rows}))),
        ("classes of environments", str(len({row["class"] for row in rows}))),
        ("tests of each agent", str(count)),
    ]
    called = [name.replace("upsilon", "Υ").replace("level", "level ξ") for name in wanted]
    return Opening("Agents", Table.of(called, [[row[name] for name in wanted] for row in rows]), said), facts


def _apart(first: dict[str, Cell], second: dict[str, Cell]) -> bool:
    """Return whether two intervals have nothing in common; without intervals nothing is known."""
    low, high, low_, high_ = (row[f"upsilon_{end}"] for row in (first, second) for end in ("low", "high"))
    if low is None or high is None or low_ is None or high_ is None:
        return False
    return float(low) > float(high_) or float(low_) > float(high)


UNITS = {"interactions": "interactions", "seconds": "s"}
_FAINT = 5


@figure("anytime-budget", "Υ", "complexity level ξ", "budget (interactions)", "agent-1")
def anytime_budget(points: Sequence[BudgetPoint]) -> Drawing:
    """Draw Υ (above) and ξ (below) of every agent against the budget, one column a class of environments."""
    if not points:
        raise InputError("there is no result of the anytime test to be drawn; give a budget in which a test begins")
    classes = _unique(point.environments for point in points)
    figure, axes = _panels(classes, 2, 1.75, ("Υ", "complexity level ξ"))
    for (above, below), name in zip(axes.T, classes, strict=True):
        for place, pick in ((above, lambda p: p.upsilon), (below, lambda p: p.level)):
            _curves(place, points, name, lambda p: p.budget, pick)
            _logarithmic(place, "x")
        _of_rewards(above)
        _logarithmic(below, "y")
        below.set_xlabel(f"budget ({UNITS[points[0].measure]})")
    _key(figure, axes[0])
    caption = (
        f"The anytime test stopped at different budgets, in {len(classes)} class{'es' * (len(classes) > 1)} of "
        "environments: above Υ, the mean reward over environments; below the complexity level ξ that the test had "
        "reached. Shaded: 95% bootstrap intervals over tests and environments. Both horizontal axes and ξ are "
        "logarithmic."
    )
    last = {(p.environments, p.agent): p for p in points}
    words = "; ".join(f"{c} {a} {style.number(p.upsilon.value)}" for (c, a), p in last.items())
    table = Table.of(
        ("class", "agent", "budget", *bounds("upsilon"), *bounds("level")),
        [(p.environments, p.agent, p.budget, *p.upsilon.cells(), *p.level.cells()) for p in points],
    )
    return finish(figure, table, caption, f"Υ at the largest budget: {words}.")


@figure("anytime-complexity", "mean reward R", "complexity H", "agent-1")
def anytime_complexity(rewards: Sequence[ComplexityReward]) -> Drawing:
    """Draw the mean reward of every agent against the complexity H, one picture a class of environments."""
    if not rewards:
        raise InputError(
            "there is no reward by complexity to be drawn; give a budget in which environments are finished"
        )
    classes = _unique(reward.environments for reward in rewards)
    figure, axes = _panels(classes, 1, 2.2, ("mean reward R",))
    for place, name in zip(axes[0], classes, strict=True):
        _curves(place, rewards, name, lambda r: float(np.sqrt(max(r.low, 0.5) * r.high)), lambda r: r.estimate)
        _of_rewards(place)
        _logarithmic(place, "x")
        place.set_xlabel("complexity H")
    _key(figure, axes[0])
    caption = (
        "Mean reward over environments of like complexity H, of which each class has its own measure. An agent meets "
        "high complexities only if the test raised ξ so far, so curves end where agents stopped rising. Shaded: 95% "
        "bootstrap intervals over tests; none where one test alone came so far."
    )
    table = Table.of(
        ("class", "agent", "complexity_low", "complexity_high", *bounds("reward"), "environments"),
        [(r.environments, r.agent, r.low, r.high, *r.estimate.cells(), r.estimate.n) for r in rewards],
    )
    best, count = max(rewards, key=lambda r: r.high), len({reward.agent for reward in rewards})
    words = f"the highest complexity, {style.number(best.low)} to {style.number(best.high)}, was met by {best.agent}"
    return finish(figure, table, caption, f"Mean reward by complexity of {count} agents; {words}.")


@figure("anytime-trace", "complexity level ξ", "mean reward R", "environments finished", "agent-1")
def anytime_trace(tests: Mapping[str, Mapping[str, Sequence[AnytimeRun]]]) -> Drawing:
    """Draw ξ (above) and R (below) of the tests, by class and agent, against the number of the environment."""
    rows = [
        (name, agent, run.repetition, k + 1, row.complexity, row.level, row.next_level, row.interactions, row.reward)
        for name, agents in tests.items()
        for agent, runs in agents.items()
        for run in runs
        for k, row in enumerate(run.rows)
    ]
    if not rows:
        raise InputError("no test finished an environment, so there is no trace to be drawn; give a larger budget")
    classes, names = _unique(row[0] for row in rows), _unique(agent for agents in tests.values() for agent in agents)
    figure, axes = _panels(classes, 2, 1.75, ("complexity level ξ", "mean reward R"))
    for (above, below), name in zip(axes.T, classes, strict=True):
        for agent, runs in tests[name].items():
            index = names.index(agent)
            _trace(above, [[row.next_level for row in run.rows] for run in runs], index, agent)
            _trace(below, [[row.reward for row in run.rows] for run in runs], index, agent)
        _logarithmic(above, "y")
        below.set_xlabel("environments finished")
        _of_rewards(below)
        below.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    _key(figure, axes[0])
    caption = (
        "The course of the anytime test: above the complexity level ξ after each environment (logarithmic), below the "
        f"mean reward R in it. Thick: mean over tests; faint: up to {_FAINT} single tests of each agent."
    )
    columns = ("class", "agent", "test", "environment", "complexity", "level", "next_level", "interactions", "reward")
    alt = f"Traces of {len(names)} agents in {len(classes)} classes of environments: level and reward after each one."
    return finish(figure, Table.of(columns, rows), caption, alt)


FIGURES = {name: draw for name, draw in drawing.FIGURES.items() if name.startswith("anytime-")}


def _unique(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))


def _panels(classes: Sequence[str], rows: int, height: float, labels: Sequence[str]) -> tuple[Figure, Any]:
    """Return a figure with small pictures, a column a class with its title, a row a label; and its axes (rows, n)."""
    count = len(classes)
    width = style.SINGLE if count == 1 else min(style.DOUBLE, 2.35 * count)
    figure = style.new_figure(width, height * rows + 0.9)
    axes = figure.subplots(rows, count, sharex="col" if rows > 1 else False, squeeze=False)
    for place, name in zip(axes[0], classes, strict=True):
        place.set_title(name, fontsize=style.SMALL)
    for place, label in zip(axes[:, 0], labels, strict=True):
        place.set_ylabel(label)
    for place in axes.flat:
        style.grid(place)
    return figure, axes


def _key(figure: Figure, axes: Sequence[Axes]) -> None:
    handles: dict[str, Any] = {}
    for place in axes:
        for handle, label in zip(*place.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    columns = 3 if figure.get_figwidth() < 5 else 5
    longest = max(len(label) for label in handles)
    columns = max(1, min(columns, len(handles), int(figure.get_figwidth() * 17 / (longest + 7))))
    figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=columns)


def _logarithmic(axes: Axes, which: str) -> None:
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(LogLocator(subs=(1.0,) if high / low > 50 else (1.0, 2.0, 5.0), numticks=6))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _of_rewards(axes: Axes) -> None:
    """Show the whole range of mean rewards, with a line at 0."""
    axes.axhline(0, color=style.GREY, linewidth=0.6, zorder=1)
    axes.set_ylim(-1.05, 1.05)


def _curves(
    axes: Axes, records: Sequence[Any], name: str, x: Callable[[Any], float], estimate: Callable[[Any], Estimate]
) -> None:
    for index, agent in enumerate(_unique(record.agent for record in records)):
        own = [record for record in records if (record.environments, record.agent) == (name, agent)]
        if own:
            estimates, places = [estimate(record) for record in own], [x(record) for record in own]
            axes.fill_between(places, *style.bounds(estimates), color=style.colour(index), alpha=0.15, linewidth=0)
            _line(axes, places, [e.value for e in estimates], index, agent, 3)


def _trace(axes: Axes, runs: Sequence[Sequence[float]], index: int, label: str) -> None:
    """Draw the mean of some tests where at least half of them go on, and a few single ones faintly."""
    for values in runs[:_FAINT]:
        axes.plot(np.arange(1, len(values) + 1), values, color=style.colour(index), alpha=0.2, linewidth=0.6)
    lengths = np.array([len(values) for values in runs])
    most = int(np.sort(lengths)[(lengths.size - 1) // 2])
    means = [float(np.mean([values[k] for values in runs if len(values) > k])) for k in range(most)]
    _line(axes, np.arange(1, most + 1), means, index, label, 2.5)


def _line(axes: Axes, x: Any, y: Sequence[float], index: int, label: str, size: float) -> None:
    marker, line = style.marker(index), style.line(index)
    axes.plot(x, y, ms=size, label=label, color=style.colour(index), marker=marker, linestyle=line)
