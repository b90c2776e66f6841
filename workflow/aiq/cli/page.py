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
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def page(config: str, json_: bool) -> None:
    """Make the page of a finished run of any measure again: one file that needs no network.

    A run makes its page itself (RESULTS/index.html). This verb makes it again from the figures and tables that are
    there, for instance after the settings under the key page have changed.

    \b
    Example:
      aiq page my-suite.yaml
    """
    from aiq.config.load import read
    from aiq.plans.run import Run
    from aiq.tasks.page import write_page

    run: AnyRun = Run.of(read(config), origin=config)
    write_page(run)
    path = Path(run.layout.page)
    if json_:
        emit_json({"page": run.layout.page, "bytes": path.stat().st_size})
    else:
        click.echo(f"page: {path.resolve()} ({path.stat().st_size / 1e6:.1f} MB)")


COMMANDS = (page,)
