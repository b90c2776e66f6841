"""The verbs ``suite`` and ``compare``: a suite seen through results alone, runs or two agents side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aiq.api.results import Result
from aiq.cli.options import FIGURE, FOLDER, HTML, check_not_read, confidence, seed
from aiq.cli.sources import read_source, source_options
from aiq.cli.verbs import Answer, answers, write_drawing
from aiq.errors import InputError

if TYPE_CHECKING:
    from aiq.records.suite_report import SuiteReport

OF_SUITE = ("by", "items_in", "at", "power", "alpha", "differences", "resamples", "halves", "confidence", "seed")
"""Options of ``suite`` that are not about reading."""

power = click.option("--power", default=0.8, show_default=True, help="probability of finding the smallest difference")


@click.command()
@click.argument("table", metavar="TABLE")
@source_options("keep")
@click.option(
    "--by", type=click.Choice(["tests", "items"]), help="what is counted  [default: items where there are items]"
)
@click.option(
    "--items-in", type=click.Choice(["rows", "columns"]), help="where a table of agents × items has its items"
)
@click.option(
    "--at", default=0.5, show_default=True, help="performance whose location on the scale of ability is given"
)
@power
@click.option("--alpha", default=0.05, show_default=True, help="level of the tests for differences")
@click.option(
    "--difference", "differences", type=float, multiple=True, default=(0.01, 0.02, 0.05, 0.1), show_default=True,
    help="difference for which the number of tests needed is given; may be repeated",
)  # fmt: skip
@click.option("--resamples", default=200, show_default=True, type=click.IntRange(2, 100_000), help="resamples of runs")
@click.option(
    "--halves", default=50, show_default=True, type=click.IntRange(2, 10_000),
    help="random halves of the agents by which the dropping of tests is judged",
)  # fmt: skip
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
@power
@click.option("--alpha", default=0.05, show_default=True, help="level of the test for a difference")
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


COMMANDS = (suite, compare)
