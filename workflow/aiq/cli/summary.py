"""The verb ``summary``: what a finished run found, what it cost, and where its report lies."""

from __future__ import annotations

from pathlib import Path

import click

from aiq.cli.measures import print_scores
from aiq.cli.output import emit_json, emit_table


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def summary(config: str, json_: bool) -> None:
    """The agents' table of a finished run, its cost, and where its report lies.

    \b
    Example:
      aiq summary config/quickstart.yaml
    """
    from aiq.config import load
    from aiq.tasks.job import Run
    from aiq.tasks.summary import cost, scores

    run = Run.of(load(config).model_dump())
    found = scores(run)
    table = cost(run)
    if json_:
        stages = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        emit_json(
            {
                **found.scores.as_dict(),
                "failed": found.failed,
                "unscored": dict(found.unscored),
                "cost": stages,
                "report": run.layout.report,
            }
        )
        return
    emit_table(table.columns, table.rows, title="what the run cost")
    print_scores(found.scores)
    scored = found.scores
    if scored.replicates_flat:
        share = scored.replicates_flat / scored.replicates
        click.echo(f"in {share:.0%} of the bootstrap the suite has no volume in {scored.dimensions} dimensions")
    if found.failed:
        click.echo(f"{found.failed} trainings or repetitions of agents diverged or failed and were left out")
    for agent, reason in found.unscored.items():
        click.echo(f"not scored: {agent} ({reason})")
    report = Path(run.layout.report)
    click.echo(
        f"report: {report.resolve()}" if report.exists() else f"tables and figures: {Path(run.layout.root).resolve()}"
    )


COMMANDS = (summary,)
