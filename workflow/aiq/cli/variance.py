"""The verb ``variance``: where the variance of a finished suite's scores comes from, and what to spend next."""

from __future__ import annotations

import click

from aiq.cli._written import FILE
from aiq.cli.measures import as_json
from aiq.cli.options import setting
from aiq.cli.output import emit_json, emit_shown
from aiq.config.suite import Configuration


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--csv", type=FILE, metavar="TABLE.csv", help="write the table, one row per agent and one of all")
@setting(Configuration, "value", over=True)
@as_json
def variance(config: str, csv: str | None, value: str | None, json_: bool) -> None:
    """Where the variance of a finished suite's scores comes from, and what the next core-hour should be spent on.

    Sources are taken as known exactly, alone and together: the pool, the domains alone at the ends of the mixtures, the
    mixtures, the agents' trainings, and for AIQ per dimension (--value volume) the number of dimensions. Their shares
    add up to 1. Nothing is trained.

    \b
    Example:
      aiq variance config/quickstart.yaml
    """
    from aiq import storage
    from aiq.config.load import read
    from aiq.tasks.sensitivity.variance import variances
    from aiq.tasks.shown.variance import variance as shown

    found = variances(read(config), config, value=value)
    if csv is not None:
        storage.write_table(csv, found.table())
    if json_:
        emit_json(found.as_dict())
        return
    for one in shown(found):
        emit_shown(one)


COMMANDS = (variance,)
