"""The verb ``verify``: whether a finished run's numbers are what its shards give."""

from __future__ import annotations

import click

from aiq.cli.output import emit_json

SHOWN = 20  # differences that are printed


@click.command()
@click.argument("results", metavar="RESULTS")
@click.option("--cores", default="all", show_default=True, help="cores that the reductions may use")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def verify(results: str, cores: str, json_: bool) -> int:
    """Check a results folder: read every shard, make every reduction and table again, and compare.

    A shard has a checksum of its bytes. Reductions and tables are made again from the shards, in a folder of their own,
    and compared number by number. Exit status 1 when anything is wrong. Trainings are not repeated: that the shards
    are what their trainings gave is not checked.

    \b
    Example:
      aiq verify results/my-suite
    """
    from aiq.run.upkeep.verify import verify as check

    checked = check(results, cores, lambda words: None if json_ else click.echo(words))
    if json_:
        emit_json(checked.as_dict())
    else:
        for one in checked.wrong[:SHOWN]:
            click.echo(f"wrong: {one.file}: {one.what}")
        if len(checked.wrong) > SHOWN:
            click.echo(f"and {len(checked.wrong) - SHOWN} more; --json tells all")
        count = len({one.file for one in checked.wrong})
        click.echo(f"{checked.checked} files checked, {count or 'none'} of them wrong")
    return 1 if checked.wrong else 0


COMMANDS = (verify,)
