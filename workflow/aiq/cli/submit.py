"""Submit the missing shards of a configuration as long jobs outside the workflow's controller."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from aiq.cli.main import run as run_command
from aiq.cli.options import opened
from aiq.execution import CLUSTERS, Place

if TYPE_CHECKING:
    from aiq.config import Configuration
    from aiq.plans.layout import SuiteLayout
    from aiq.run.upkeep.submission import Submission

FAILED = 1


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("config", metavar="CONFIG")
@click.option("--cluster", type=click.Choice(CLUSTERS), default="slurm", show_default=True, help="where jobs run")
@click.option("--minutes", type=float, default=60, show_default=True, help="time limit; a longer job is requeued")
@click.option("--grace", type=int, default=90, show_default=True, help="seconds before the limit to requeue at")
@click.option("--parallel", type=int, help="jobs at the same time [default: 200 on slurm, else one a core]")
@click.option("--partition", help="SLURM partition")
@click.option("--account", help="SLURM account")
@click.option("--qos", help="SLURM quality of service")
@click.option("--constraint", help="features that nodes must have")
@click.option("--gpu-type", help="type of the GPU, with device: cuda")
@click.option("--memory", type=float, help="GB a job")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(["trials", "mixtures", "alone", "agents"]), help="only these"
)
@click.option("--every", type=float, help="seconds between two checkpoints, at least [default: the configuration's]")
@click.option("--wait/--no-wait", default=None, help="wait for the jobs of SLURM [default: no; others always]")
def submit_shards(config: str, kinds: tuple[str, ...], every: float | None, wait: bool | None, **options: Any) -> int:
    """Submit the missing shards of a configuration as jobs that go on where they were interrupted.

    They leave the shards that the workflow's rules leave; call aiq run afterwards for all that follows.

    \b
    Example:
      python scripts/submit_shards.py config/benchmark-images.yaml --minutes 240 --partition cpu
    """
    from aiq.config.load import read
    from aiq.run.upkeep.submission import KINDS, missing, submit

    if every is not None and every < 0:
        raise click.UsageError(f"--every is {every:g}, it must be at least 0")
    raw, run = read(config), opened(config, "aiq")
    place = _place(run.configuration, run.layout.submissions, **options)
    os.environ.setdefault("OMP_NUM_THREADS", str(run.configuration.threads))
    shards = missing(run, kinds or KINDS)
    if not shards:
        click.echo("nothing to submit: every shard is complete")
        return 0
    submission = submit(raw, place, shards, every)
    if place.cluster == "slurm":
        first = submission.array.jobs[0].split("_")[0]
        click.echo(f"submitted {len(shards)} jobs as {first}; see squeue --me, and the logs below {place.folder}")
        if not wait:
            click.echo(f"afterwards: aiq run {shlex.quote(config)} --profile slurm")
            return 0
    return _report(submission, run.layout)


def _report(submission: Submission, layout: SuiteLayout) -> int:
    """Print how each job ends, as they end, and return the exit status."""
    total, failed = len(submission.shards), 0
    for done, (shard, outcome) in enumerate(submission.outcomes(), start=1):
        if outcome.error is None:
            click.echo(f"{done} of {total}: {shard} done")
            continue
        failed += 1
        click.echo(f"{done} of {total}: {shard} FAILED: {outcome.error}; logs: {layout.log_of(shard)} {outcome.log}")
    if failed:
        click.echo(f"aiq: {failed} of {total} jobs failed; call this again to go on with what is left", err=True)
    return FAILED if failed else 0


def _place(configuration: Configuration, folder: str, parallel: int | None, **options: Any) -> Place:
    if parallel is None:
        parallel = 200 if options["cluster"] == "slurm" else max(1, (os.cpu_count() or 1) // configuration.threads)
    return Place(
        folder=folder,
        parallel=parallel,
        cpus=configuration.threads,
        gpus=int(configuration.device != "cpu"),
        name=f"aiq-{configuration.name}",
        **options,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status: 0, 1 (a job failed) or 2 (refused, in one sentence)."""
    return run_command(submit_shards, arguments, "submit_shards")
