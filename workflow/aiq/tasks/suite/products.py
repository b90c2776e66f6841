"""What draws and tabulates each of the products that the plan of a suite declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aiq.plans.products import Products
from aiq.plans.run import SuiteRun as Run
from aiq.tasks.shell.publishing import Made, Needs
from aiq.tasks.suite.reporting.figures import complexity_figures, dissimilarity_figures, space_figures
from aiq.tasks.suite.reporting.known_baselines import compare_known_baselines
from aiq.tasks.suite.reporting.tabulate import baseline_report, suite_tables, variance_report

MAKERS: Mapping[str, Callable[[Run, Needs], Made]] = {
    "compare_known_baselines": compare_known_baselines,
    "draw_complexity": complexity_figures,
    "draw_dissimilarity": dissimilarity_figures,
    "draw_space": space_figures,
    "write_tables": suite_tables,
    "explain_variance": variance_report,
    "report_baseline": baseline_report,
}
"""By the name of the job."""


def show(run: Run, declared: Products) -> Made:
    """Return what a job draws and tabulates."""
    return MAKERS[declared.maker](run, declared.needs(run.plan))
