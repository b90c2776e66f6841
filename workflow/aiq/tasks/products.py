"""Figures and tables of a run of any measure, as its plan declares them."""

from __future__ import annotations

from pathlib import Path

from aiq import storage
from aiq.errors import AiqError, StorageError
from aiq.figures.drawing import lacking
from aiq.plans.products import Products
from aiq.plans.registry import measure_of
from aiq.plans.run import AnyRun
from aiq.records.table import Table
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.shell.publishing import Made, publish, save

FATAL = (StorageError, OSError, MemoryError)
"""What no analysis is spared: files that are missing, a full disk, too little memory."""


def make_products(run: AnyRun, name: str) -> None:
    """Draw the figures and write the tables that one job makes: those that the plan has, and no others.

    Where an analysis fails that the run can do without, its log holds the whole of it, and a sentence stands in the
    place of its figures and tables, so that the page is written all the same.

    Args:
        run: the run of any measure.
        name: name of the job, as declared in its plan.
    """
    (declared,) = (made for made in run.plan.products() if made.name == name)
    try:
        _make(run, declared)
    except FATAL:
        raise
    except Exception as error:
        if not declared.beside:
            raise
        _say_why(run, declared, error)


def _make(run: AnyRun, declared: Products) -> None:
    """Draw and tabulate."""
    made = shown(run, declared)
    save(run.layout, {figure: made.figures[figure] for figure in declared.figure_names(run.plan)})
    publish(run, {table: made.tables[table]() for table in declared.table_names(run.plan)})


def shown(run: AnyRun, declared: Products) -> Made:
    """Return what a job of products can draw and tabulate, and perhaps more."""
    made: Made = measure_of(run.configuration.measure).part("show")(run, declared)
    return made


def _say_why(run: AnyRun, declared: Products, error: Exception) -> None:
    """Put a sentence in the place of figures and tables."""
    log = run.layout.log(declared.name)
    said = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    why = said if isinstance(error, AiqError) else f"the job {declared.name} failed ({said}); see {log}"
    LOGGER.exception("%s is not computed", declared.name)
    save(run.layout, {figure: lambda: lacking(why) for figure in declared.figure_names(run.plan)})
    publish(run, {table: Table.lacking(why) for table in declared.table_names(run.plan)})


def not_computed(run: AnyRun) -> dict[str, tuple[str, str]]:
    """Return job -> why and first file of the analyses that failed in a run, as their tables say it."""
    found = {}
    for made in run.plan.products():
        files = [run.layout.table(name) for name in made.table_names(run.plan)]
        if made.beside and files and Path(files[0]).exists():
            why = storage.read_published(files[0]).why_lacking
            if why is not None:
                found[made.name] = (why, files[0])
    return found
