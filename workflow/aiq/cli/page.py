"""The verb ``page``: the page of a finished run, made again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aiq.cli.options import configured
from aiq.cli.output import emit_json

if TYPE_CHECKING:
    from aiq.plans.run import AnyRun


@click.command()
@configured
@click.option("--crate", is_flag=True, help="describe the results as a Workflow Run RO-Crate, too; the page links it")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def page(config: str, crate: bool, json_: bool) -> None:
    """Make the page of a finished run of any measure again: one file that needs no network.

    A run makes its page itself (RESULTS/index.html). This verb makes it again from the figures and tables that are
    there, for instance after the settings under the key page have changed.

    With --crate the results folder becomes a Workflow Run RO-Crate, as archives and catalogues read it: a file
    ro-crate-metadata.json names every file with its checksum, the configuration, the seed and all versions. Copies of
    the configuration and of the workflow join the folder. aiq verify checks the checksums, too.

    \b
    Example:
      aiq page my-suite.yaml
    """
    from aiq.config.load import read
    from aiq.plans.run import Run
    from aiq.report.page import write_page
    from aiq.run.upkeep.crate import write_crate

    run: AnyRun = Run.of(read(config), origin=config)
    described = {"crate": str(write_crate(run))} if crate else {}
    write_page(run)
    path = Path(run.layout.page)
    if json_:
        emit_json({"page": run.layout.page, "bytes": path.stat().st_size, **described})
        return
    click.echo(f"page: {path.resolve()} ({path.stat().st_size / 1e6:.1f} MB)")
    for file in described.values():
        click.echo(f"crate: {Path(file).resolve()}")


COMMANDS = (page,)
