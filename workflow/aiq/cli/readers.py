"""The verb that reads what other programs wrote."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from aiq.cli._written import TABLE
from aiq.cli.measures import as_json
from aiq.cli.output import emit_json, emit_table
from aiq.cli.sources import print_warnings, read_source, source_options
from aiq.errors import InputError
from aiq.records.table import counted

if TYPE_CHECKING:
    from aiq.records.observations import Observations

_MOST = 20  # skipped things named on the screen; all of them stand in --json


@click.command()
@click.argument("source", metavar="SOURCE")
@click.option("-o", "--output", type=TABLE, metavar="TABLE.csv", help="table to write, for aiq score and aiq suite")
@source_options("keep")
@as_json
def read(source: str, output: str | None, json_: bool, **how: Any) -> None:
    """Results of other programs as a table agent,domain,performance[,se][,repetition][,item] in [0, 1].

    SOURCE is a file or folder of lm-evaluation-harness, Inspect (.json, .eval), HELM, MTEB, timm, Every Eval Ever,
    SWE-bench (lists of resolved instances), rliable, openrlbenchmark or Hugging Face (.eval_results), or a table: one
    row a result, or agents × tests, as CSV, TSV, Parquet, Excel or JSON. Which one it is is seen from its content.
    --items reads every item's score. Every decision about scale, direction and columns is printed.

    \b
    Example:
      printf 'agent,chess,go\\nme,1200,900\\nyou,1500,\\n' > elo.csv
      aiq read elo.csv --range '*' 0 3000 -o table.csv
    """
    from aiq.storage.files import replacing

    if output is not None:
        _check_output(source, output)
    found = read_source(source, **how)
    if output is not None:
        with replacing(output) as temporary:
            found.frame.to_csv(temporary, index=False, lineterminator="\n", chunksize=100_000)
    if json_:
        emit_json(found.as_dict())
        return
    print_results(found)


def _check_output(source: str, output: str) -> None:
    """Refuse to write over what is read."""
    from pathlib import Path

    given, target = Path(source).resolve(), Path(output).resolve()
    if source != "-" and (target == given or (target.exists() and given in target.parents)):
        raise InputError(f"-o {output} would overwrite what is read; give another name, outside {source}")


def print_results(found: Observations) -> None:
    """Print how much was read, what was not, and what was done to it."""
    matrix, counts = found.wide().to_numpy(), found.counts()
    rows = [
        (agent, int((counts[i] > 0).sum()), int(counts[i].sum()), float(matrix[i][counts[i] > 0].mean()))
        for i, agent in enumerate(found.agents)
    ]
    emit_table(["agent", "tests", "results", "mean performance"], rows)
    total = len(found.agents) * len(found.domains)
    if found.has_items:
        click.echo(f"{counted(len(found.names('item')), 'item')}; rows are results on items")
    click.echo(
        f"{counted(found.n, 'result')} of {counted(len(found.agents), 'agent')} on "
        f"{counted(len(found.domains), 'test')} (format {found.format}); "
        f"{int((counts == 0).sum())} of {total} cells missing"
    )
    for note in found.decisions:
        click.echo(note)
    listed = Counter(f"{one.name}: {one.reason}" for one in found.skipped)
    for words in list(listed)[:_MOST]:
        click.echo(f"skipped {words}")
    if len(listed) > _MOST:
        click.echo(f"skipped {len(listed) - _MOST} more, all listed by --json")
    gaps = (counts == 0).sum(axis=0)
    if gaps.any():
        domain = found.domains[int(gaps.argmax())]
        print_warnings([f"missing cells stay missing; {domain} has most of them ({gaps.max()}); see --missing"])


COMMANDS = (read,)
