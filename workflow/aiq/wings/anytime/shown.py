"""What a run of anytime tests shows: figures, tables, what its page opens with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from aiq import storage
from aiq.pages import Opening
from aiq.plans.products import Products
from aiq.records.table import Cell, Table
from aiq.run.products import Made
from aiq.run.units import read_stored
from aiq.wings.anytime.figures import anytime_budget, anytime_complexity, anytime_trace
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
    columns = ("class", "agent", "measure", "budget", "upsilon", "upsilon_low", "upsilon_high")
    columns += ("level", "level_low", "level_high", "tests", "unfinished")
    rows = [
        (
            *(result.environments, p.agent, p.measure, p.budget),
            *p.upsilon.cells(),
            *(*p.level.cells(), p.level.n, p.unfinished),
        )
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
    table = storage.read_published(run.layout.table("anytime"))
    last: dict[tuple[Cell, Cell], dict[str, Cell]] = {}
    for cells in table.rows:
        row = dict(zip(table.columns, cells, strict=True))
        last[row["class"], row["agent"]] = row
    rows = sorted(last.values(), key=lambda row: (str(row["class"]), -float(row["upsilon"] or 0.0)))
    wanted = ("class", "agent", "budget", "upsilon", "upsilon_low", "upsilon_high", "level", "level_low", "level_high")
    apart = [_apart(one, other) for one, other in combinations(rows, 2) if one["class"] == other["class"]]
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


def _apart(one: dict[str, Cell], other: dict[str, Cell]) -> bool:
    """Return whether two intervals have nothing in common; without intervals nothing is known."""
    ends = [row[f"upsilon_{end}"] for row in (one, other) for end in ("low", "high")]
    if any(end is None for end in ends):
        return False
    low, high, low_, high_ = (float(end or 0.0) for end in ends)
    return low > high_ or low_ > high
