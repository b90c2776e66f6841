"""The verbs ``read``, ``suite`` and ``compare``, and the options of all that take results of other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aiq.api.results import Result
from aiq.cli.verbs import FIGURE, FOLDER, HTML, TABLE, Answer, answers, check_not_read, every, settings, write_drawing
from aiq.config.measures import DIFFERENCES, OfSuites, OfTables
from aiq.errors import InputError
from aiq.records.observations import MISSING
from aiq.records.table import Display, counted, left_out

if TYPE_CHECKING:
    from aiq.records.observations import Observations
    from aiq.records.suite_report import SuiteReport

confidence = settings(OfTables, "confidence")
seed = click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="root of the resampling")

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


# ---- A suite seen through results, runs and agents side by side ----------------------------------


OF_SUITE = ("by", "items_in", "at", "power", "alpha", "differences", "resamples", "halves", "confidence", "seed")
"""Options of ``suite`` that are not about reading."""


@click.command()
@click.argument("table", metavar="TABLE")
@source_options("keep")
@click.option(
    "--by", type=click.Choice(["tests", "items"]), help="what is counted  [default: items where there are items]"
)
@click.option(
    "--items-in", type=click.Choice(["rows", "columns"]), help="where a table of agents × items has its items"
)
@settings(OfSuites, "at", "power", "alpha")
@click.option(
    "--difference", "differences", type=float, multiple=True, default=DIFFERENCES, show_default=True,
    help="difference for which the number of tests needed is given; may be repeated",
)  # fmt: skip
@settings(OfSuites, "resamples", "halves")
@click.option("-o", "--output", type=FOLDER, metavar="FOLDER", help="folder for all tables (CSV) and figures")
@click.option("--page", type=HTML, metavar="PAGE.html", help="page to write: leaderboard, who beats whom, tests")
@click.option("--figure", type=FIGURE, metavar="FILE.png", help="leaderboard to draw: .png, .svg or .pdf")
@confidence
@seed
@answers
def suite(table: str, output: str | None, page: str | None, figure: str | None, missing: str, **how: Any) -> Answer:
    """A suite seen through results alone: agents × tests or items, no training. This is not the AIQ of the paper.

    TABLE is anything that aiq read reads. Which agents are told apart, with ranks that hold all together; the smallest
    difference that the suite detects and how many items a smaller one needs; for each test difficulty, discrimination
    and which other test predicts it; which tests can go, suspicious items, and few anchors for a new agent. It ends in
    three sentences that can be quoted.

    \b
    Example:
      printf 'agent,A,B,C\\nme,.9,.4,.6\\nyou,.8,.5,.7\\nthey,.2,.1,.3\\n' > table.csv
      aiq suite table.csv
    """
    from aiq.report.results import suite as display
    from aiq.suites import suite as look

    options = {name: how.pop(name) for name in OF_SUITE}
    if how["cluster"] in ("test", "domain"):
        options["cluster"] = how["cluster"]
        how["cluster"] = None
    if output is not None and Path(output).resolve() == Path(table).resolve():
        raise InputError(f"-o {output} is what is read; give another folder")
    inside = [] if output is None else [Path(output) / name for name in ("tables", "figures")]
    check_not_read(table, *inside, *(name for name in (page, figure) if name is not None))
    report = look(read_source(table, missing="keep", **how), missing=missing, **options)
    written = list(_write(report, table, output, page, figure))
    *tables, last = display(report)
    return Answer(report.as_dict, (*tables, *(f"wrote {path}" for path in written), last))


def _write(report: SuiteReport, name: str, output: str | None, page: str | None, figure: str | None) -> Iterator[str]:
    if output is not None or page is not None:
        from aiq.report import results as suite_files
    if output is not None:
        suite_files.write_folder(report, output)
        yield output
    if page is not None:
        beside = output is not None and Path(page).resolve().parent == Path(output).resolve()
        suite_files.write_page(report, page, Path(name).name, beside)
        yield page
    if figure is not None:
        from aiq.figures import suite_leaderboard

        write_drawing(suite_leaderboard(report), figure)
        yield figure


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--pool", type=click.IntRange(1), multiple=True, help="pool size, in policies; once per size to compare")
@click.option("--agents", nargs=2, metavar="A B", help="two agents of one table of results")
@source_options("keep")
@settings(OfSuites, "power", "alpha")
@click.option("-o", "--output", type=FIGURE, metavar="FIGURE.png", help="draw the runs side by side: .png, .svg, .pdf")
@confidence
@answers
def compare(
    runs: tuple[str, ...], agents: tuple[str, str] | None, output: str | None, missing: str, **how: Any
) -> Result:
    """Finished runs side by side, and how far each is from the first: RUN is a results folder; or two agents.

    Of runs: settings that differ, complexities, dissimilarities, dimensions, agents and their order. Differences have
    intervals; they are paired where both runs used the same policies (same seed, same design of pool, mixtures'
    network or agent). Of two tables of items, or two agents of one table: the difference paired by item, with
    cluster-robust errors, and what the smallest difference is that so many items find.

    \b
    Example, two agents on the same items; and the run of aiq init my-suite at two pool sizes:
      printf 'agent,item,score\\nme,1,1\\nme,2,1\\nme,3,0\\nyou,1,0\\nyou,2,1\\nyou,3,0\\n' > items.csv
      aiq compare items.csv --agents me you
      aiq compare results/my-suite --pool 32 --pool 64
    """
    from aiq.api.comparison import compare, has_items, is_table

    own = {name: how.pop(name) for name in ("pool", "power", "alpha", "confidence")}
    if not agents and not any(is_table(run) for run in runs):
        given = [name for name, value in how.items() if value] + ["missing"] * (missing != "keep")
        if given:
            raise InputError(f"--{given[0].replace('_', '-')} is about tables of results; of runs leave it out")
        compared: Result = compare(*runs, **own)
    else:
        own["cluster"] = how["cluster"] if how["cluster"] in ("test", "domain") else None
        how["cluster"] = None if own["cluster"] else how["cluster"]
        tables = [read_source(run, missing=missing, **{**how, "items": how["items"] or has_items(run)}) for run in runs]
        compared = compare(*tables, agents=agents or None, **own)
    if output is not None:
        write_drawing(compared.plot(), output)
    return compared


COMMANDS = (read, suite, compare)
