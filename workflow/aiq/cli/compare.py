"""The verb ``compare``: runs side by side, or two agents on the same items."""

from __future__ import annotations

from pathlib import Path

import click

from aiq.cli._written import FIGURE
from aiq.cli.measures import as_json, confidence
from aiq.cli.output import emit_json, emit_shown


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--pool", "pools", type=click.IntRange(1), multiple=True, help="pool size, in policies; once per size to compare"
)
@click.option("--agents", nargs=2, metavar="A B", help="two agents of one table of results")
@click.option("--cluster", metavar="COLUMN", help="column that says which items belong together  [default: cluster]")
@click.option("--power", default=0.8, show_default=True, help="probability of finding the smallest difference")
@click.option("--alpha", default=0.05, show_default=True, help="level of the test for a difference")
@click.option("-o", "--output", type=FIGURE, metavar="FIGURE.png", help="draw the comparison of runs; .png or .svg")
@confidence
@as_json
def compare(
    runs: tuple[str, ...], pools: tuple[int, ...], agents: tuple[str, str] | None, cluster: str | None,
    power: float, alpha: float, output: str | None, json_: bool, confidence: float,
) -> None:  # fmt: skip
    """Finished runs side by side, and how far each is from the first: RUN is a results folder; or two agents.

    Of runs: settings that differ, complexities, dissimilarities, dimensions, agents and their order. Differences have
    intervals; they are paired where both runs used the same policies (same seed, same design of pool, mixtures'
    network or agent). Of two tables of items, or two agents of one table: the difference paired by item, with
    cluster-robust errors, and what the smallest difference is that so many items find.

    \b
    Example, one run at two pool sizes; and two models on the same items:
      aiq compare results/my-suite --pool 32 --pool 64
      aiq compare one.csv other.csv --cluster passage
    """
    from aiq.api.comparison import ComparisonResult, compare
    from aiq.report.explained import comparison

    found = compare(
        *runs, pool=pools, agents=agents or None, cluster=cluster, power=power, alpha=alpha, confidence=confidence
    )
    if output is not None:
        _draw(found.plot(), output)
    if json_:
        emit_json(found.as_dict())
        return
    for shown in comparison(found.record) if isinstance(found, ComparisonResult) else [found.shown()]:
        emit_shown(shown)


def _draw(drawing: object, output: str) -> None:
    """Write a figure."""
    from aiq.figures import render
    from aiq.storage.files import replacing

    with replacing(output) as temporary:
        temporary.write_bytes(render(drawing, Path(output).suffix))  # type: ignore[arg-type]


COMMANDS = (compare,)
