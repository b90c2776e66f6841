"""The verb ``summary``: what a finished run found, what it cost, and where its report lies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aiq.cli.output import emit_json, emit_shown, emit_table

if TYPE_CHECKING:
    from aiq.plans.layout import Files
    from aiq.plans.run import AnyRun, SuiteRun
    from aiq.records.known_baselines import BaselineComparison
    from aiq.records.table import Table


NOT_THERE = "the run has written no table of it; aiq variance CONFIG tells it from the results"


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def summary(config: str, json_: bool) -> None:
    """The table of a finished run of any measure, its cost, and where its report lies.

    Of a suite also where the variance of the scores comes from, and what to spend next.

    \b
    Example:
      aiq summary config/quickstart.yaml
    """
    from aiq.config.load import read
    from aiq.plans.run import Run

    show(Run.of(read(config), origin=config), json_)


def show(run: AnyRun, json_: bool = False) -> None:
    """Print what a finished run of any measure found and cost."""
    if run.configuration.measure == "aiq":
        _suite(run, json_)
    else:
        _measure(run, json_)


def _suite(run: SuiteRun, json_: bool) -> None:
    """Print the agents' scores and what the run of a suite cost."""
    from aiq.plans import growth
    from aiq.tasks.shown.known_baselines import known_baselines
    from aiq.tasks.shown.precision import precision
    from aiq.tasks.shown.scores import agents
    from aiq.tasks.shown.variance import variance as split
    from aiq.tasks.suite.reducing.dissimilarity import without_controls
    from aiq.tasks.suite.summary import cost, scores, variance

    note = without_controls(run.configuration)
    found = scores(run)
    table = cost(run)
    sources = variance(run)
    rounds = growth.read(run.layout.precision) if run.configuration.precision is not None else None
    beside = _known_baselines(run)
    if json_:
        stages = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        emit_json(
            {
                **found.scores.as_dict(),
                "failed": found.failed,
                "unscored": dict(found.unscored),
                "cost": stages,
                "report": run.layout.report,
                "notes": [note] if note else [],
                **({} if beside is None else {"known_baselines": beside.as_dict()}),
                "variance": None if sources is None else sources.as_dict(),
                **({} if rounds is None else {"precision": {**rounds.as_dict(), "spent": rounds.spent}}),
            }
        )
        return
    if beside is not None:
        emit_shown(known_baselines(beside, run.configuration.name))
    emit_table(table.columns, table.rows, title="what the run cost")
    emit_shown(agents(found.scores))
    for one in () if sources is None else split(sources):
        emit_shown(one)
    if sources is None:
        click.echo(f"where these intervals come from: {NOT_THERE}")
    for one in () if rounds is None else precision(rounds):
        emit_shown(one)
    if note:
        click.echo(f"dissimilarities: {note}")
    if found.failed:
        click.echo(f"{found.failed} trainings or repetitions of agents diverged or failed and were left out")
    for agent, reason in found.unscored.items():
        click.echo(f"not scored: {agent} ({reason})")
    _spent(table)
    _place(run.layout)


def _known_baselines(run: SuiteRun) -> BaselineComparison | None:
    """Return the rank correlations with known baselines; None where the run has none."""
    from aiq.tasks.suite.reporting.known_baselines import compared, found_or_computed

    if not run.plan.with_known_baselines or not Path(run.layout.known_baselines).exists():
        return None
    return compared(run, found_or_computed(run))


def _measure(run: AnyRun, json_: bool) -> None:
    """Print what a run of another measure found and cost."""
    from aiq.tasks.summary import summarise

    found = summarise(run)
    stages = [dict(zip(found.cost.columns, row, strict=True)) for row in found.cost.rows]
    if json_:
        rows = [dict(zip(found.table.columns, row, strict=True)) for row in found.table.rows]
        emit_json({"measure": found.measure, "results": rows, "cost": stages, "report": found.layout.report})
        return
    emit_table(found.cost.columns, found.cost.rows, title="what the run cost")
    emit_table(found.table.columns, found.table.rows, title=found.title)
    _spent(found.cost)
    _place(found.layout)


def _spent(table: Table) -> None:
    """Say what the run cost in one sentence."""
    total = dict(zip(table.columns, table.rows[-1], strict=True))
    click.echo(
        f"{total['jobs']} jobs held their cores for {total['core_hours_held']:.2f} core-hours (wall time times cores)"
    )


def _place(layout: Files) -> None:
    """Say where the report lies, or where the results do."""
    report = Path(layout.report)
    click.echo(
        f"report: {report.resolve()}" if report.exists() else f"tables and figures: {Path(layout.root).resolve()}"
    )


COMMANDS = (summary,)
