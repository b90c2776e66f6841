"""The verb ``reduce``: what can be said of a suite before it is finished."""

from __future__ import annotations

import click

from aiq.cli.output import emit_json

SHOWN = 10


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--partial", is_flag=True, help="reduce the domains of which everything is there")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def reduce(config: str, partial: bool, json_: bool) -> None:
    """Reduce what is there of an unfinished suite, and say what is missing.

    Everything is written below RESULTS/partial and says of how many domains it is made. Scores among some domains
    are not those among all: a space of fewer domains has other dimensions. Results of a whole suite are made by
    snakemake.

    \b
    Example:
      aiq reduce config/quickstart.yaml --partial
    """
    from aiq.config.load import read
    from aiq.plans.run import Run, SuiteRun
    from aiq.tasks.suite.reducing.partial import reduce_partially

    if not partial:
        raise click.UsageError("results of a whole suite are made by snakemake; give --partial for those of a part")
    run: SuiteRun = Run.of(read(config), "aiq", origin=config)
    found = reduce_partially(run)
    if json_:
        emit_json(found.as_dict())
        return
    click.echo(f"PARTIAL: {found.share}; without {', '.join(found.missing_domains) or 'none'}")
    for agent in found.scores.agents if found.scores is not None else ():
        click.echo(f"{agent.rank} {agent.agent}: AIQ per dimension {agent.per_dimension.value:.3g} (partial)")
    click.echo(f"{len(found.missing)} shards are not complete: {', '.join(list(found.missing)[:SHOWN])}")
    click.echo(f"written: {', '.join(found.files)}")


COMMANDS = (reduce,)
