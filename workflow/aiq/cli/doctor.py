"""The verb ``doctor``: what would go wrong, found before anything is submitted."""

from __future__ import annotations

import click

from aiq.cli.output import emit_json

FAILED = 1


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--profile", metavar="PROFILE", help="name or folder of the Snakemake profile that will be used")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def doctor(config: str, profile: str | None, json_: bool) -> int:
    """Look at all that a run needs, and with --profile at the cluster, before a run; exit status 1 when any fails.

    These are the checks that a run starts with (results, store, domains, agents, tables), then data, disk and inodes.

    On a cluster: partitions, their limits of time and memory against the largest and longest job, account and
    quality of service (SLURM is asked, nothing is submitted), and how long it remembers finished jobs.

    \b
    Example:
      aiq doctor config/quickstart.yaml
    """
    from aiq.config.load import read
    from aiq.tasks.upkeep.doctor import examine

    checks = examine(read(config), profile, config)
    if json_:
        emit_json({"checks": [check.as_dict() for check in checks]})
    else:
        for check in checks:
            click.echo(f"{'ok    ' if check.passed else 'FAILED'} {check.name}: {check.says}")
    return 0 if all(check.passed for check in checks) else FAILED


COMMANDS = (doctor,)
