"""The verb ``estimate``: what a configuration will cost, before anything runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from aiq.cli._written import FILE
from aiq.cli.options import configured
from aiq.cli.output import emit_json, emit_table

if TYPE_CHECKING:
    from aiq.run.costing import Cost


@click.command()
@configured
@click.option("--sizes", metavar="SHEET.csv", help="columns domain,train,test,classes,shape where sources do not tell")
@click.option("--measure", is_flag=True, help="time small parts of the work on this machine; needs the data")
@click.option("--save", type=FILE, metavar="FILE", help="measure, and write a calibration")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def estimate(config: str, sizes: str | None, measure: bool, save: str | None, json_: bool) -> None:
    """Jobs, trials, core- and GPU-hours, disk, inodes, largest and longest job of a configuration of any measure.

    The cost model tells them in seconds and reads no data. With --measure short timings of the configuration's own
    work on this machine take its place. The file that --save writes tells the cost model what work costs here. Name
    it in the configuration as jobs.calibration, and jobs are cut and ask for time and memory accordingly.

    \b
    Example:
      aiq estimate my-suite.yaml
    """
    from aiq.config.load import read
    from aiq.run.estimate import estimate as timed
    from aiq.run.estimate import expected, save_calibration

    if sizes is not None and (measure or save is not None):
        raise click.UsageError("--sizes is for the model; with --measure and --save the data are read")
    quiet = json_ or not sys.stderr.isatty()
    raw = read(config)
    if measure or save is not None:
        cost = timed(raw, lambda what: None if quiet else click.echo(what, err=True), origin=config)
    else:
        cost = expected(raw, sizes, origin=config)
    if save is not None:
        save_calibration(raw, cost, save)
    if json_:
        emit_json(cost.as_dict())
        return
    _show(cost)
    if save is not None:
        click.echo(f"calibration: {save}; name it in the configuration as jobs: {{calibration: {save}}}")


def _show(cost: Cost) -> None:
    """Print the stages, the sums, and what they do not hold."""
    emit_table(cost.table().columns, cost.table().rows, title="what the run will cost")
    bound = " at most (the convergence rule may stop earlier)" if cost.upper_bound else ""
    gpu = f", {cost.gpu_hours:.2f} GPU-hours" if cost.gpu_hours else ""
    click.echo(
        f"{cost.jobs} jobs, {cost.trials} trainings, {cost.core_hours:.2f} core-hours{gpu}{bound}, "
        f"{cost.disk_bytes / 1e6:.0f} MB in {cost.inodes} files"
    )
    if cost.files_by:
        each = " and ".join(f"{count:.2g} per {what}" for what, count in cost.files_by.items())
        click.echo(f"of these files about {each}")
    asked = cost.asked
    if asked.largest:
        click.echo(f"the largest job asks for {asked.megabytes} MB ({asked.largest}), the longest for {asked.minutes} "
                   f"minutes ({asked.longest}); retries ask for more")  # fmt: skip
    if cost.modelled:
        click.echo("by the cost model, for the machine of its calibration; --measure times this one")
    if cost.assumed:
        click.echo(f"sizes of {len(cost.assumed)} domains are assumed ({', '.join(cost.assumed[:5])}); see --sizes")
    if cost.left_out:
        click.echo(f"not counted, since nobody knows how long they take: {', '.join(cost.left_out)}")


COMMANDS = (estimate,)
