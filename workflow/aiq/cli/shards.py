"""The verb ``shards``: audit what a configuration has produced so far, and clear away what killed runs left."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click
from rich.progress import Progress

from aiq.cli.options import configured
from aiq.cli.output import emit_json, emit_table
from aiq.errors import redo_command

if TYPE_CHECKING:
    from aiq.plans.run import AnyRun
    from aiq.run.upkeep.audit import Audit

FOUND_BAD = 1
SHOWN = 20  # bad shards that are explained one by one


@click.command()
@configured
@click.option("--quick", is_flag=True, help="read lengths and headers only, do not verify the checksums")
@click.option("--sweep", "sweep_", is_flag=True, help="remove unfinished files of killed jobs")
@click.option(
    "--older-than", "minutes", type=click.FloatRange(min=0), metavar="MINUTES",
    help="with --sweep: age from which a file counts as left behind (60)",
)  # fmt: skip
@click.option("--cancel-orphans", is_flag=True, help="cancel SLURM jobs of this folder whose controller is gone")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def shards(config: str, quick: bool, sweep_: bool, minutes: float | None, cancel_orphans: bool, json_: bool) -> int:
    """Audit the shards of a configuration: complete, missing, stale, corrupt; exit status 1 when any is bad.

    Configurations of every measure are served. An unfinished file counts as left behind when it has not changed for
    an hour by the clock of its own file system: a shard is written in one go, in seconds. Jobs are cancelled if
    Snakemake submitted them from this folder and this machine, and no such Snakemake runs here any more.

    \b
    Example:
      aiq shards my-suite.yaml
    """
    from aiq.config.load import read
    from aiq.plans.run import Run
    from aiq.run.upkeep.audit import OLD_MINUTES

    if minutes is not None and not sweep_:
        raise click.UsageError("--older-than says what --sweep removes, give --sweep too")
    run: AnyRun = Run.of(read(config), origin=config)
    found = _audited(run, quick, json_)
    cleared = _clear(found, sweep_, OLD_MINUTES if minutes is None else minutes, cancel_orphans)
    command = redo_command() if found.bad else None
    if json_:
        _emit_record(found, command, cleared)
    else:
        _show(found, command, cleared)
    return FOUND_BAD if found.bad else 0


def _audited(run: AnyRun, quick: bool, quiet: bool) -> Audit:
    """Look at every shard, with a bar on a terminal."""
    from aiq.run.upkeep.audit import audit

    with Progress(disable=quiet or not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task("shards")
        return audit(
            run,
            deep=not quick,
            progress=lambda done, n: bar.update(task, completed=done, total=n),
        )


def _clear(found: Audit, sweep_: bool, minutes: float, cancel_orphans: bool) -> dict[str, Any]:
    """Do what was asked for besides looking, and return what was done."""
    cleared: dict[str, Any] = {}
    if cancel_orphans:
        from aiq.run.upkeep.orphans import cancel, find_orphans

        jobs = find_orphans()
        if jobs.orphans:
            cancel(jobs.orphans)
        cleared["cancelled"] = [job.number for job in jobs.orphans]
        cleared["watched"] = [job.number for job in jobs.watched]
        cleared["elsewhere"] = {host: [job.number for job in those] for host, those in jobs.elsewhere.items()}
    if sweep_:
        from aiq.run.upkeep.audit import sweep

        swept = sweep(found.temporary, minutes=minutes)
        cleared["swept"], cleared["kept"] = list(swept.removed), list(swept.kept)
    return cleared


def _emit_record(found: Audit, command: str | None, cleared: dict[str, Any]) -> None:
    """Print one JSON object."""
    from aiq.run.upkeep.audit import STATES

    states = {state: [p for p, s in found.shards.items() if s == state] for state in STATES}
    beside = {"superseded": found.superseded, "temporary": found.temporary}
    emit_json({**states, "reasons": found.reasons, **beside, "redo": command, **cleared})


def _show(found: Audit, command: str | None, cleared: dict[str, Any]) -> None:
    """Print a table, what is wrong with the first bad shards, what lies beside them, and how to redo them."""
    from aiq.run.upkeep.audit import STATES

    kinds = list(dict.fromkeys(found.kinds.values()))
    emit_table(["kind", *STATES], [(kind, *(found.count(state, kind) for state in STATES)) for kind in kinds])
    for path, reason in list(found.reasons.items())[:SHOWN]:
        told = reason.split("; redo it")[0]  # the command stands below, once
        click.echo(f"{found.shards[path]}: {told if found.shards[path] == 'corrupt' else f'{path}: {told}'}")
    if len(found.reasons) > SHOWN:
        click.echo(f"and {len(found.reasons) - SHOWN} more; --json tells all")
    if found.superseded:
        click.echo(f"{len(found.superseded)} shards of an earlier size or cut lie beside them and may be removed")
    if "swept" in cleared:
        click.echo(f"{len(cleared['swept'])} unfinished files of killed jobs removed")
        if cleared["kept"]:
            click.echo(f"{len(cleared['kept'])} are too young to be sure that nobody writes them: {cleared['kept'][0]}")
    elif found.temporary:
        first = shlex.join(found.temporary[:5])
        click.echo(f"{len(found.temporary)} unfinished files of killed jobs may be removed (--sweep): {first}")
    if "cancelled" in cleared:
        click.echo(f"{len(cleared['cancelled'])} orphaned SLURM jobs cancelled")
        if cleared["watched"]:
            click.echo(f"{len(cleared['watched'])} jobs are left to the controller that runs here")
        for host, jobs in cleared["elsewhere"].items():
            click.echo(
                f"{len(jobs)} jobs were submitted from {host}: call this there, or scancel {' '.join(jobs[:20])}"
            )
    if command:
        click.echo(f"make them again and go on with the run: {command}")


COMMANDS = (shards,)
