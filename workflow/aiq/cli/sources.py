"""The verb ``read``, and the options of every verb that takes results of other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from aiq.cli.options import TABLE, check_not_read, every
from aiq.cli.verbs import Answer, answers
from aiq.errors import InputError
from aiq.records.observations import MISSING
from aiq.records.table import Display, counted, left_out

if TYPE_CHECKING:
    from aiq.records.observations import Observations


RULES = {
    "keep": "keep them",
    "refuse": "refuse",
    "agents": "leave out agents with one",
    "domains": "leave out domains with one",
    "zero": "count them as zero",
}
"""Rule for missing cells -> what it does."""


def source_options(missing: str, without: tuple[str, ...] = ()) -> Any:
    """Return the options of a verb that takes results of other programs, ``without`` rules that it cannot use."""
    words = [rule for rule in MISSING if rule not in without]
    options: list[Callable[[Any], Any]] = [
        click.option("--format", help="format of the source  [default: seen from its content]"),
        click.option("--metric", multiple=True, help="metric to take where there are several; may be repeated"),
        click.option("--names", help="names of an array's tasks, separated by commas"),
        click.option(
            "--range", "stated", nargs=3, multiple=True, metavar="NAME LOW HIGH", type=(str, float, float),
            help="lowest and highest possible score of a test; * names all others",
        ),
        click.option("--ranges", "file", metavar="FILE.csv", help="columns domain,low,high[,lower_is_better]"),
        click.option("--lower", multiple=True, metavar="NAME", help="test on which lower is better; * names all"),
        click.option("--clip", is_flag=True, help="cut scores outside their range instead of refusing them"),
        click.option(
            "--missing", type=click.Choice(words), default=missing, show_default=True,
            help=f"missing cells: {', '.join(RULES[word] for word in words)}",
        ),
        click.option("--columns", multiple=True, metavar="NAME", help="take this column or test; may be repeated"),
        click.option("--drop", multiple=True, metavar="NAME", help="leave this column or test out; may be repeated"),
        click.option("--rename", multiple=True, metavar="OLD=NEW", help="another name for a column, test or agent"),
        click.option(
            "--keep", type=click.Choice(["apart", "all", "latest"]),
            help="several scores of an agent on a test: tell agents apart, take all as repetitions, or the latest",
        ),
        click.option("--latest", is_flag=True, help="the same as --keep latest"),
        click.option("--items", is_flag=True, help="read every item's score instead of one score a test"),
        click.option("--cluster", metavar="NAME", help="column or field of an item by which items belong together"),
    ]  # fmt: skip
    return every(options)


def read_source(
    source: str, *, names: str | None, stated: tuple[tuple[str, float, float], ...], file: str | None,
    rename: tuple[str, ...], **how: Any,
) -> Observations:  # fmt: skip
    """Return the results of a source by the options of ``source_options``."""
    from aiq.readers import read

    if stated and file:
        raise InputError("ranges are given by --range and by --ranges; give one of the two")
    ranges = file if file else {name: (low, high) for name, low, high in stated}
    for pair in rename:
        if not all(pair.partition("=")[::2]):
            raise InputError(f"--rename is {pair!r}; give OLD=NEW, for example --rename 'Model name=agent'")
    renamed = dict(pair.split("=", 1) for pair in rename)
    return read(source, names=tuple(names.split(",")) if names else (), ranges=ranges, rename=renamed, **how)


@click.command()
@click.argument("source", metavar="SOURCE")
@click.option("-o", "--output", type=TABLE, metavar="TABLE.csv", help="table to write, for aiq score and aiq suite")
@source_options("keep")
@answers
def read(source: str, output: str | None, **how: Any) -> Answer:
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
        check_not_read(source, output)
    results = read_source(source, **how)
    if output is not None:
        with replacing(output) as temporary:
            results.frame.to_csv(temporary, index=False, lineterminator="\n", chunksize=100_000)
    return Answer(results.as_dict, _parts(results))


def _parts(results: Observations) -> Iterator[Display | str]:
    from aiq.api.suites import ReadResult

    (table,) = ReadResult(results).parts()
    yield Display("", table.columns, table.rows)
    counts = results.counts()
    if results.has_items:
        import numpy as np  # late: `aiq --help` loads this module

        key = results.codes("domain") * len(results.names("item")) + results.codes("item")
        yield f"{counted(np.unique(key).size, 'item')}; rows are results on items"
    yield (
        f"{counted(results.n, 'result')} of {counted(len(results.agents), 'agent')} on "
        f"{counted(len(results.domains), 'test')} (format {results.format}); "
        f"{int((counts == 0).sum())} of {counts.size} cells missing"
    )
    yield from results.decisions
    yield from left_out(results.skipped)
    gaps = (counts == 0).sum(axis=0)
    if gaps.any():
        domain = results.domains[int(gaps.argmax())]
        yield f"warning: missing cells stay missing; {domain} has most of them ({gaps.max()}); see --missing"


COMMANDS = (read,)
