"""The figure and the tables of where the variance of the scores comes from."""

from __future__ import annotations

from aiq import figures
from aiq.plans.run import SuiteRun as Run
from aiq.tasks.sensitivity.variance import split
from aiq.tasks.shell.publishing import Made, Needs


def variance_report(run: Run, needs: Needs) -> Made:
    """Return the shares of every source as a figure and a table, and the table of what to spend next."""
    found = split(run, run.configuration.page.variance)
    return Made({"variance": lambda: figures.variance(found)}, {"variance": found.table, "advice": found.advised})
