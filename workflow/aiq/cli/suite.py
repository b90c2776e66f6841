"""The verb that looks at a suite through results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aiq.cli._written import FIGURE, FOLDER, HTML
from aiq.cli.measures import as_json, confidence, seed
from aiq.cli.output import emit_json, emit_shown
from aiq.cli.sources import read_source, source_options
from aiq.errors import InputError

if TYPE_CHECKING:
    from aiq.records.suite_report import SuiteReport


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
@click.option("--power", default=0.8, show_default=True, help="probability of finding the smallest difference")
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
@click.option("--figure", type=FIGURE, metavar="FILE.png", help="leaderboard to draw, .png or .svg")
@confidence
@seed
@as_json
def suite(
    table: str, output: str | None, page: str | None, figure: str | None, json_: bool, missing: str, **how: Any
) -> None:
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
    from aiq.report.results import shown
    from aiq.suites import suite as look

    options = (
        "by", "items_in", "at", "power", "alpha", "differences", "resamples", "halves", "confidence", "seed",
    )  # fmt: skip
    settings = {name: how.pop(name) for name in options}
    if how["cluster"] in ("test", "domain"):
        settings["cluster"] = how.pop("cluster")
        how["cluster"] = None
    _check_outputs(table, output, page, figure)
    found = look(read_source(table, missing="keep", **how), missing=missing, **settings)
    written = _write(found, table, output, page, figure)
    if json_:
        emit_json(found.as_dict())
        return
    for one in shown(found)[:-1]:
        emit_shown(one)
    for path in written:
        click.echo(f"wrote {path}")
    emit_shown(shown(found)[-1])


def _check_outputs(table: str, output: str | None, page: str | None, figure: str | None) -> None:
    """Refuse to write over what is read."""
    from pathlib import Path

    given = Path(table).resolve()
    inside = [] if output is None else [Path(output).resolve() / name for name in ("tables", "figures")]
    files = [Path(one).resolve() for one in (page, figure) if one is not None]
    if table != "-" and (given in files or any(one == given or one in given.parents for one in inside)):
        raise InputError(f"{table} would be overwritten by what is written; give other names for the output")


def _write(found: SuiteReport, name: str, output: str | None, page: str | None, figure: str | None) -> list[str]:
    """Write what was asked for, and return its paths."""
    from pathlib import Path

    from aiq.storage.files import replacing

    written = []
    if output is not None or page is not None:
        from aiq.report import results as suite_files
    if output is not None:
        suite_files.write_folder(found, output)
        written.append(output)
    if page is not None:
        beside = output is not None and Path(page).resolve().parent == Path(output).resolve()
        suite_files.write_page(found, page, Path(name).name, beside)
        written.append(page)
    if figure is not None:
        from aiq import figures

        with replacing(figure) as temporary:
            temporary.write_bytes(figures.render(figures.suite_leaderboard(found), Path(figure).suffix))
        written.append(figure)
    return written


COMMANDS = (suite,)
