"""The verb ``shards``: audit what a configuration has produced so far."""

from __future__ import annotations

import sys

import click
from rich.progress import Progress

from aiq.cli.output import emit_json, emit_table

FOUND_BAD = 1


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--quick", is_flag=True, help="read headers only, do not verify the content hashes")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def shards(config: str, quick: bool, json_: bool) -> int:
    """Audit the shards of a configuration: complete, missing, stale, corrupt; exit status 1 when any is bad.

    \b
    Example:
      aiq shards config/quickstart.yaml
    """
    from aiq.config import Layout, Plan, load
    from aiq.tasks.audit import STATES, audit, redo
    from aiq.tasks.job import Run

    configuration = load(config)
    run = Run(configuration, Plan(configuration), Layout(configuration))
    with Progress(disable=json_ or not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task("shards")
        found = audit(run, deep=not quick, progress=lambda done, n: bar.update(task, completed=done, total=n))
    command = redo(config, found.bad) if found.bad else None
    if json_:
        states = {state: [p for p, s in found.shards.items() if s == state] for state in STATES}
        emit_json(
            {
                **states,
                "reasons": found.reasons,
                "superseded": found.superseded,
                "temporary": found.temporary,
                "redo": command,
            }
        )
        return FOUND_BAD if found.bad else 0
    kinds = list(dict.fromkeys(found.kinds.values()))
    rows = [(kind, *(found.count(state, kind) for state in STATES)) for kind in kinds]
    emit_table(["kind", *STATES], rows)
    for path, reason in list(found.reasons.items())[:20]:
        click.echo(f"{found.shards[path]}: {reason if found.shards[path] == 'corrupt' else f'{path}: {reason}'}")
    if found.superseded:
        click.echo(f"{len(found.superseded)} shards of an earlier size or cut lie beside them and may be removed")
    if found.temporary:
        click.echo(
            f"{len(found.temporary)} unfinished files of killed jobs may be removed: {' '.join(found.temporary[:5])}"
        )
    if command:
        click.echo(
            f"redo exactly these: {command if len(command) < 4000 else 'run snakemake; it makes what is missing'}"
        )
    return FOUND_BAD if found.bad else 0


COMMANDS = (shards,)
