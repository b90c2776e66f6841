"""The verb ``estimate``: what a configuration will cost, before anything runs."""

from __future__ import annotations

import sys

import click

from aiq.cli.output import emit_json, emit_table


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def estimate(config: str, json_: bool) -> None:
    """Jobs, trials, core-hours and disk of a configuration, from short timings of its own trainings.

    \b
    Example:
      aiq estimate config/quickstart.yaml
    """
    from aiq.config import load
    from aiq.tasks.estimate import estimate as measure
    from aiq.tasks.job import Run

    quiet = json_ or not sys.stderr.isatty()
    cost = measure(Run.of(load(config).model_dump()), lambda what: None if quiet else click.echo(what, err=True))
    found = cost.as_dict()
    if json_:
        emit_json(found)
        return
    emit_table(cost.table().columns, cost.table().rows, title="what the run will cost")
    unit = "GPU-hours" if cost.device == "cuda" else "core-hours"
    bound = " at most (the convergence rule may stop earlier)" if cost.upper_bound else ""
    click.echo(
        f"{found['jobs']} jobs, {found['trials']} trainings, {cost.core_hours:.2f} {unit}{bound}, "
        f"{sum(stage.disk_bytes for stage in cost.stages) / 1e6:.0f} MB"
    )


COMMANDS = (estimate,)
