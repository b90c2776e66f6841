"""What a finished run of a measure with one main table found, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass

from aiq.plans.layout import Files
from aiq.plans.registry import measure_of
from aiq.plans.run import AnyRun
from aiq.records.table import Table
from aiq.tasks.shell.benchmarks import benchmarks


@dataclass(frozen=True)
class Summary:
    """A finished run: its main table, what it cost by stage, and where its files lie."""

    measure: str
    title: str
    table: Table
    cost: Table
    layout: Files


def summarise(run: AnyRun) -> Summary:
    """Return what a finished run found and cost.

    Raises:
        StorageError: it is not finished, or of another configuration.
    """
    measure: str = run.configuration.measure
    its = measure_of(measure)
    spent = benchmarks(run.layout)
    total = ("total", *(sum(row[k] for row in spent) for k in (1, 2, 3)))
    cost = Table.of(("stage", "jobs", "wall_seconds", "core_hours_held"), [*spent, total])
    return Summary(measure, its.heading or its.title or measure, its.part("main_table")(run), cost, run.layout)
