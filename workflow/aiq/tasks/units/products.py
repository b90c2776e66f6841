"""Figures and tables of a measure of units, from its stored tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from aiq.figures import Drawing
from aiq.records.table import Table
from aiq.tasks.shell.publishing import Made, Needs
from aiq.tasks.units.jobs import AnyRun, read_tables


def show_units(run: AnyRun, needs: Needs) -> Made:
    """Return what the measure's own functions draw, and its tables."""
    tables = read_tables(run, needs["result"][0])
    drawn: Mapping[str, Callable[..., Drawing]] = run.plan.measure.part("figures") if run.plan.measure.figures else {}

    def table(name: str) -> Table:
        return tables[name]

    return Made(
        {name: partial(draw, tables) for name, draw in drawn.items()}, {name: partial(table, name) for name in tables}
    )


MAKERS: Mapping[str, Callable[[Any, Needs], Made]] = {"show_units": show_units}
"""By the name of the job."""
