"""The verb ``compare``: runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from aiq.cli._written import FIGURE
from aiq.cli.measures import as_json, confidence
from aiq.cli.output import emit_json, emit_shown


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--pool", "pools", type=click.IntRange(1), multiple=True, help="pool size, in policies; once per size to compare"
)
@click.option("-o", "--output", type=FIGURE, metavar="FIGURE.png", help="draw the comparison; .png or .svg")
@confidence
@as_json
def compare(runs: tuple[str, ...], pools: tuple[int, ...], output: str | None, json_: bool, **how: Any) -> None:
    """Finished runs side by side, and how far each is from the first: RUN is a results folder.

    Settings that differ, complexities, dissimilarities, dimensions, agents and their order. Differences have
    intervals; they are paired where both runs used the same policies (same seed, same design of pool, mixtures'
    network or agent).

    \b
    Example, one run at two pool sizes:
      aiq compare results/quickstart --pool 32 --pool 64
    """
    from aiq.storage.files import replacing
    from aiq.tasks.comparing import compare_runs
    from aiq.tasks.shown.comparison import comparison
    from aiq.tasks.suite.reporting.stored import read_stored

    found = compare_runs([read_stored(run) for run in runs], pools=pools, **how)
    if output is not None:
        from aiq.figures import render, run_comparison

        with replacing(output) as temporary:
            temporary.write_bytes(render(run_comparison(found), Path(output).suffix))
    if json_:
        emit_json(found.as_dict())
        return
    for shown in comparison(found):
        emit_shown(shown)


COMMANDS = (compare,)
