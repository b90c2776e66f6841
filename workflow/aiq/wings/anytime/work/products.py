"""Figures and tables of the anytime test, from stored results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aiq.records.table import Table
from aiq.tasks.shell.publishing import Draw, Made, Needs
from aiq.wings.anytime.figures import anytime_budget, anytime_complexity, anytime_trace
from aiq.wings.anytime.run import AnytimeRun as Run
from aiq.wings.anytime.work.jobs import ClassResult, read_results, read_tests


def draw_tests(run: Run, needs: Needs) -> Made:
    """Return Υ against the budget, the traces of ξ and R, and the reward against the complexity."""
    found = read_results(run, needs["results"])
    tests = {
        name: read_tests(run, name, [run.layout.job(job) for job in run.plan.of_class(name)])
        for name in run.plan.classes
    }
    drawings: dict[str, Draw] = {
        "anytime-budget": lambda: anytime_budget([p for result in found for p in result.points]),
        "anytime-trace": lambda: anytime_trace(tests),
        "anytime-complexity": lambda: anytime_complexity([r for result in found for r in result.rewards]),
    }
    return Made(drawings)


def table(found: Sequence[ClassResult]) -> Table:
    """Return Υ and ξ of every agent in every class at every budget."""
    columns = ("class", "agent", "measure", "budget", "upsilon", "upsilon_low", "upsilon_high")
    columns += ("level", "level_low", "level_high", "tests", "unfinished")
    rows = [
        (
            *(result.environments, p.agent, p.measure, p.budget),
            *p.upsilon.cells(),
            *(*p.level.cells(), p.level.n, p.unfinished),
        )
        for result in found
        for p in result.points
    ]
    return Table.of(columns, rows)


def endings(found: Sequence[ClassResult]) -> Table:
    """Return how the tests ended."""
    rows = [(result.environments, e.agent, e.status, e.tests) for result in found for e in result.endings]
    return Table.of(("class", "agent", "status", "tests"), rows)


def tabulate(run: Run, needs: Needs) -> Made:
    """Return the tables of a run."""
    found = read_results(run, needs["results"])
    return Made(tables={"anytime": lambda: table(found), "endings": lambda: endings(found)})


MAKERS: Mapping[str, Callable[[Run, Needs], Made]] = {"draw_anytime": draw_tests, "tabulate_anytime": tabulate}
"""By the name of the job."""
