"""The verb that reads what other programs wrote."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from aiq.cli._written import FILE
from aiq.cli.measures import as_json
from aiq.cli.output import emit_json, emit_table
from aiq.cli.sources import print_warnings, read_source, source_options

if TYPE_CHECKING:
    from aiq.records.results import Results

_MOST = 20  # skipped things named on the screen; all of them stand in --json


@click.command()
@click.argument("source", metavar="SOURCE")
@click.option("-o", "--output", type=FILE, metavar="TABLE.csv", help="table to write, for aiq score and aiq suite")
@source_options("keep")
@as_json
def read(source: str, output: str | None, json_: bool, **how: Any) -> None:
    """Results of other programs as a table agent,domain,performance[,se][,repetition] in [0, 1].

    SOURCE is a file or folder of lm-evaluation-harness, Inspect (.json, .eval), HELM, Every Eval Ever, rliable,
    openrlbenchmark or Hugging Face (.eval_results), or a table: one row a result, or agents × tests. Which one it is
    is seen from its content. Scores outside [0, 1] need their range.

    \b
    Example:
      printf 'agent,chess,go\\nme,1200,900\\nyou,1500,\\n' > elo.csv
      aiq read elo.csv --range '*' 0 3000 -o table.csv
    """
    from aiq.storage.tables import write_table

    found = read_source(source, **how)
    if output is not None:
        write_table(output, found.table())
    if json_:
        emit_json(found.as_dict())
        return
    print_results(found)


def print_results(found: Results) -> None:
    """Print how much was read, what was not, and what was done to it."""
    matrix, counts = found.matrix(), found.counts()
    rows = [
        (agent, int((counts[i] > 0).sum()), int(counts[i].sum()), float(matrix[i][counts[i] > 0].mean()))
        for i, agent in enumerate(found.agents)
    ]
    emit_table(["agent", "tests", "results", "mean performance"], rows)
    total = len(found.agents) * len(found.domains)
    click.echo(
        f"{found.n} results of {len(found.agents)} agents on {len(found.domains)} tests (format {found.format}); "
        f"{len(found.missing)} of {total} cells missing"
    )
    for note in found.notes:
        click.echo(note)
    listed = Counter(f"{one.name}: {one.reason}" for one in found.skipped)
    for words in list(listed)[:_MOST]:
        click.echo(f"skipped {words}")
    if len(listed) > _MOST:
        click.echo(f"skipped {len(listed) - _MOST} more, all listed by --json")
    if found.missing:
        gaps = Counter(domain for _, domain in found.missing)
        domain, count = gaps.most_common(1)[0]
        print_warnings([f"missing cells stay missing; {domain} has most of them ({count}); see --missing"])


COMMANDS = (read,)
