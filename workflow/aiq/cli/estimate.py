"""The verb ``estimate``: what a configuration will cost, before anything runs."""

from __future__ import annotations

import sys

import click

from aiq.cli.output import emit_json, emit_table


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--save", type=click.Path(dir_okay=False), metavar="FILE", help="write what was measured as calibration")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def estimate(config: str, save: str | None, json_: bool) -> None:
    """Jobs, trials, core-hours and disk of a configuration of any measure, from short timings of its own work.

    The file that --save writes tells the cost model what work costs on this machine. Name it in the configuration
    as jobs.calibration, and jobs are cut and ask for time accordingly.

    \b
    Example:
      aiq estimate config/quickstart.yaml
    """
    from aiq.config.load import read
    from aiq.tasks.estimate import estimate as measure
    from aiq.tasks.estimate import save_calibration

    quiet = json_ or not sys.stderr.isatty()
    raw = read(config)
    cost = measure(raw, lambda what: None if quiet else click.echo(what, err=True))
    if save is not None:
        save_calibration(raw, cost, save)
    found = cost.as_dict()
    if json_:
        emit_json(found)
        return
    emit_table(cost.table().columns, cost.table().rows, title="what the run will cost")
    unit = "GPU-hours" if cost.device == "cuda" else "core-hours"
    bound = " at most (the convergence rule may stop earlier)" if cost.upper_bound else ""
    click.echo(
        f"{cost.jobs} jobs, {cost.trials} trainings, {cost.core_hours:.2f} {unit}{bound}, "
        f"{cost.disk_bytes / 1e6:.0f} MB"
    )
    if cost.left_out:
        click.echo(f"not counted, since nobody knows how long they take: {', '.join(cost.left_out)}")
    if save is not None:
        click.echo(f"calibration: {save}; name it in the configuration as jobs: {{calibration: {save}}}")


COMMANDS = (estimate,)
