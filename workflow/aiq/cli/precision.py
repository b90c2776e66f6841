"""The verb ``precision``: the rounds of a suite that has a goal, and what the next one would grow and cost."""

from __future__ import annotations

import click

from aiq.cli._written import FILE
from aiq.cli.measures import as_json
from aiq.cli.output import emit_json, emit_shown


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--csv", type=FILE, metavar="TABLE.csv", help="write the rounds, one row per round")
@as_json
def precision(config: str, csv: str | None, json_: bool) -> None:
    """Rounds of a suite with precision as its goal: what each grew, cost and gave, and what the next one would grow.

    Nothing is trained and nothing is changed; aiq run CONFIG runs the rounds.

    \b
    Example:
      aiq precision config/mine.yaml
    """
    from aiq import storage
    from aiq.config.load import read
    from aiq.tasks.precision.rounds import Goal
    from aiq.tasks.shown.precision import precision as shown

    goal = Goal(read(config), config)
    rounds, ahead = goal.rounds, goal.ahead()
    if csv is not None:
        storage.write_table(csv, rounds.table())
    if json_:
        emit_json({**rounds.as_dict(), "spent": rounds.spent, "next": ahead})
        return
    for one in shown(rounds):
        emit_shown(one)
    click.echo(ahead)


COMMANDS = (precision,)
