"""The verb ``doctor``: what would go wrong, found before anything is submitted; data are brought here if asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from aiq.cli.options import configured
from aiq.cli.output import emit_json, emit_table

if TYPE_CHECKING:
    from aiq.run.prefetch import Fetched

FAILED = 1


@click.command()
@configured
@click.option("--profile", metavar="PROFILE", help="name or folder of the Snakemake profile that will be used")
@click.option("--fetch", is_flag=True, help="first download the data that are not here yet, below data_root")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def doctor(config: str, profile: str | None, fetch: bool, json_: bool) -> int:
    """Look at all that a run needs, and with --profile at the cluster, before a run; exit status 1 when any fails.

    These are the checks that a run starts with (results, store, domains, agents, tables), then data, disk and inodes.

    --fetch is for clusters whose nodes have no network: call it once where there is one, on a file system that nodes
    see. Files come whole or not at all. Called again it changes nothing.

    On a cluster: partitions, their limits of time and memory against the largest and longest job, account and
    quality of service (SLURM is asked, nothing is submitted), and how long it remembers finished jobs.

    \b
    Example:
      aiq doctor my-suite.yaml
    """
    from aiq.config.load import read
    from aiq.run.upkeep.doctor import examine

    raw = read(config)
    fetched = _fetched(raw) if fetch else None
    checks = examine(raw, profile, config)
    if json_:
        there = {} if fetched is None else {"data": [one.as_dict() for one in fetched], **_where(raw, fetched)}
        emit_json({"checks": [check.as_dict() for check in checks], **there})
    else:
        if fetched is not None:
            _show_fetched(fetched)
        for check in checks:
            click.echo(f"{'ok    ' if check.passed else 'FAILED'} {check.name}: {check.says}")
    return 0 if all(check.passed for check in checks) else FAILED


def _fetched(raw: Mapping[str, Any]) -> list[Fetched]:
    """Bring the data of a configuration here."""
    from aiq.run.prefetch import prefetch

    return prefetch(raw, lambda what: click.echo(what, err=True))


def _where(raw: Mapping[str, Any], fetched: Sequence[Fetched]) -> dict[str, object]:
    """Return where the data lie, and their bytes."""
    return {"data_root": str(raw.get("data_root") or "data"), "bytes": sum(one.size for one in fetched)}


def _show_fetched(fetched: Sequence[Fetched]) -> None:
    """Print what each data set needed."""
    if not fetched:
        click.echo("this configuration has no domains, so there is nothing to fetch")
        return
    rows = [(one.data, ", ".join(one.domains), one.done, one.files, one.size / 1e6) for one in fetched]
    emit_table(("data", "domains", "done", "files", "megabytes"), rows)
    new, total = sum(one.done == "downloaded" for one in fetched), sum(one.size for one in fetched)
    click.echo(f"{new} data sets downloaded, {len(fetched) - new} needed none; {total / 1e6:.1f} MB in all")


COMMANDS = (doctor,)
