"""The verb ``prefetch``: the data of a configuration are brought here, before jobs run where there is no network."""

from __future__ import annotations

import click

from aiq.cli.output import emit_json, emit_table


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def prefetch(config: str, json_: bool) -> None:
    """Download the data that a configuration's domains need and that are not here yet, and check all of them.

    For clusters whose nodes have no network: call it once where there is one, on a file system that nodes see.
    Files go below data_root, whole or not at all. Called again it changes nothing. Nothing is trained or submitted.

    \b
    Example:
      aiq prefetch config/quickstart.yaml
    """
    from aiq.config.load import read
    from aiq.tasks.prefetch import prefetch as fetch_all

    raw = read(config)
    root = str(raw.get("data_root") or "data")
    found = fetch_all(raw, lambda what: click.echo(what, err=True))
    total = sum(one.size for one in found)
    if json_:
        emit_json({"data_root": root, "data": [one.as_dict() for one in found], "bytes": total})
        return
    if not found:
        click.echo("this configuration has no domains, so there is nothing to fetch")
        return
    rows = [(one.data, ", ".join(one.domains), one.done, one.files, one.size / 1e6) for one in found]
    emit_table(("data", "domains", "done", "files", "megabytes"), rows)
    new = sum(one.done == "downloaded" for one in found)
    click.echo(f"{new} data sets downloaded, {len(found) - new} needed none; {total / 1e6:.1f} MB in all")


COMMANDS = (prefetch,)
