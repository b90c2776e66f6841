"""The verb ``instrument``: what a suite is worth as a measuring instrument, from a finished run or from tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from aiq.cli._written import FIGURE, TABLE
from aiq.cli.measures import as_json, confidence, seed
from aiq.cli.output import emit_json, emit_shown


@click.command()
@click.argument("source", metavar="SOURCE")
@click.argument("performance", metavar="[PERFORMANCE.csv]", required=False)
@click.option(
    "--splits", default=100, show_default=True, type=click.IntRange(2, 10_000),
    help="random halves of the agents by which the dropping of tests is judged",
)  # fmt: skip
@click.option(
    "--replicates", default=200, show_default=True, type=click.IntRange(2, 100_000),
    help="how many of the replicates of the space are used",
)  # fmt: skip
@click.option(
    "-o", "--output", type=FIGURE, metavar="FIGURE.png", help="draw worths and fewer tests; .png, .svg or .pdf"
)
@click.option("--csv", type=TABLE, metavar="TABLE.csv", help="write the table, one row per number")
@confidence
@seed
@as_json
def instrument(
    source: str,
    performance: str | None,
    splits: int,
    replicates: int,
    output: str | None,
    csv: str | None,
    confidence: float,
    seed: int,
    json_: bool,
) -> None:
    """What each test of a suite is worth, which can go, which kind to add, and what moves the agents' numbers.

    SOURCE is a configuration of a finished run, its results folder, or a space made by aiq space; with a space, a table
    agent,domain,performance[,repetition] is needed. Nothing is trained. Of a run seed, confidence and all else
    by which it scores its agents are taken, unless they are given here.

    \b
    Example:
      printf 'domain,complexity\\nA,1\\nB,2\\n' > c.csv
      printf 'a,b,dissimilarity\\nA,B,0.02\\n' > d.csv
      aiq space --complexity c.csv --dissimilarity d.csv -o ab.h5
      printf 'agent,domain,performance\\nme,A,0.9\\nme,B,0.4\\nyou,A,0.5\\nyou,B,0.6\\n' > ours.csv
      aiq instrument ab.h5 ours.csv
    """
    from aiq import storage
    from aiq.storage.files import replacing
    from aiq.tasks.instrument.looking import look
    from aiq.tasks.instrument.sources import judged
    from aiq.tasks.shown.instrument import instrument as shown

    known = judged(source, performance)
    given = {"confidence": confidence, "seed": seed}
    usual = click.get_current_context().get_parameter_source
    asked: dict[str, Any] = {name: given[name] for name in given if usual(name) is not ParameterSource.DEFAULT}
    found = look(known, splits=splits, replicates=replicates, **asked)
    if output is not None:
        from aiq.figures import instrument as figure
        from aiq.figures import render

        with replacing(output) as temporary:
            temporary.write_bytes(render(figure(found), Path(output).suffix))
    if csv is not None:
        storage.write_table(csv, found.table())
    if json_:
        emit_json(found.as_dict())
        return
    for one in shown(found):
        emit_shown(one)


COMMANDS = (instrument,)
