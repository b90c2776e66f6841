"""The verb ``claims``: what the papers report, and what of it came out here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aiq.cli._written import REPORT
from aiq.cli.output import emit_json, emit_shown

if TYPE_CHECKING:
    from papers.runs.report import Report


@click.command()
@click.argument("results", metavar="[RESULTS]...", nargs=-1)
@click.option("--only", metavar="ID", multiple=True, help="one claim, such as F10; may be given again")
@click.option("--keep", metavar="TABLE.csv", help="table of an earlier call (-o TABLE.csv); its lines stay, marked, "
              "where RESULTS answer less of a claim")  # fmt: skip
@click.option(
    "-o",
    "--output",
    type=REPORT,
    metavar="FILE",
    help="also write the page (.md), the table (.csv) or all of it (.json)",
)
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def claims(results: tuple[str, ...], only: tuple[str, ...], keep: str | None, output: str | None, json_: bool) -> None:
    """Say of every claim of the papers whether it was reproduced: RESULTS are results folders, or folders of them.

    Without RESULTS the folder results is read, if it is there; what in it is unfinished or cannot be read is left
    out. A claim that no run is about was not run here.

    \b
    Example:
      aiq claims results/experiments --only F10
    """
    from papers.runs.report import report

    folders = results or tuple(place for place in ("results",) if Path(place).is_dir())
    found = report(folders, only, keep, None if results else lambda why: click.echo(f"aiq: {why}", err=True))
    if output is not None:
        from papers.runs.writing import write

        write(found, output)
    if json_:
        emit_json(found.as_dict())
    else:
        show(found)


def show(report: Report) -> None:
    """Print the claims for a person."""
    emit_shown(report.shown())


COMMANDS = (claims,)
