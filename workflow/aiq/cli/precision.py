"""The verb ``precision``: where the variance of a suite's scores comes from, what to spend next, and its rounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from aiq.cli._written import TABLE
from aiq.cli.measures import as_json
from aiq.cli.options import configured, setting
from aiq.cli.output import emit_json, emit_shown
from aiq.config.suite import Configuration


@click.command()
@configured
@click.option("--csv", type=TABLE, metavar="TABLE.csv", help="write the shares, one row per agent and one of all")
@setting(Configuration, "value", over=True)
@as_json
def precision(config: str, csv: str | None, value: str | None, json_: bool) -> None:
    """Where the variance of a suite's scores comes from, and what the next core-hour should be spent on.

    Sources are taken as known exactly, alone and together: the pool, the domains alone at the ends of the mixtures, the
    mixtures, the agents' trainings, and for AIQ per dimension (--value volume) the number of dimensions. Their shares
    add up to 1.

    With precision in the configuration also its rounds: what each grew, cost and gave, and what the next one would
    grow. Nothing is trained and nothing is changed; aiq run CONFIG runs the rounds.

    \b
    Example:
      aiq precision my-suite.yaml
    """
    from aiq import storage
    from aiq.config.load import read
    from aiq.explain.rounds import Goal
    from aiq.explain.variance import variances
    from aiq.plans.run import Run, SuiteRun
    from aiq.report import explained as rounds
    from aiq.report import explained as variance

    raw = read(config)
    run: SuiteRun = Run.of(raw, "aiq", config)
    goal = Goal(raw, config) if run.configuration.precision is not None else None
    value = value or (None if goal is None else goal.quantity)
    begins = goal is not None and csv is None and not Path(run.layout.scores).exists()
    found = None if begins else variances(raw, config, value=value)
    if csv is not None and found is not None:
        storage.write_table(csv, found.table())
    ahead: dict[str, Any] = {}
    if goal is not None:
        ahead = {**goal.rounds.as_dict(), "spent": goal.rounds.spent, "next": goal.ahead()}
    if json_:
        emit_json({**({} if found is None else found.as_dict()), **ahead})
        return
    shown = () if found is None else variance.variance(found)
    for one in (*shown, *(() if goal is None else rounds.precision(goal.rounds))):
        emit_shown(one)
    if goal is not None:
        click.echo(ahead["next"])


COMMANDS = (precision,)
