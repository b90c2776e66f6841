"""Figures and tables of a run of any measure, as its plan declares them."""

from __future__ import annotations

from importlib import import_module

from aiq.plans.run import AnyRun
from aiq.tasks.shell.publishing import Made, publish, save


def make_products(run: AnyRun, name: str) -> None:
    """Draw the figures and write the tables that one job makes: those that the plan has, and no others.

    Args:
        run: the run of any measure.
        name: name of the job, as declared in its plan.
    """
    (declared,) = (made for made in run.plan.products() if made.name == name)
    room = import_module(f"{run.plan.tasks}.products")
    made: Made = room.MAKERS[declared.maker](run, declared.needs(run.plan))
    save(run.layout, {figure: made.figures[figure] for figure in declared.figure_names(run.plan)})
    publish(run, {table: made.tables[table]() for table in declared.table_names(run.plan)})
