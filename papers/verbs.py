"""The verbs ``claims``, what the papers report and what came out here, and ``experiment``, a figure of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aiq.cli.verbs import FIGURE, FILE, PAGE, REPORT, emit_display, emit_json, say, write_drawing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from papers.costs import PaperCost
    from papers.report import Report


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
    from papers.report import report, write

    folders = results or (("results",) if Path("results").is_dir() else ())
    answers = report(folders, only, keep, None if results else lambda why: say(f"aiq: {why}"))
    if output is not None:
        write(answers, output)
    _emit(answers, json_)


INTERRUPTED = 130


@click.command()
@click.argument("name", metavar="[ID]", required=False)
@click.option("--scale", type=click.Choice(["small", "paper"]), default="small", show_default=True,
              help="minutes on 2 cores, or as published")  # fmt: skip
@click.option("--data-root", metavar="FOLDER", envvar="AIQ_DATA_ROOT", show_envvar=True,
              help="folder where data sets lie or are downloaded to")  # fmt: skip
@click.option("--results", metavar="FOLDER", help="results folder in the place of the file's")
@click.option("--profile", default="local", show_default=True, metavar="P", help="where jobs run")
@click.option("--cores", metavar="N", help="cores of this machine [default: the profile's]")
@click.option("--resume", is_flag=True, help="go on after an accident")
@click.option("--yes", is_flag=True, help="agree that finished work of other settings is made anew")
@click.option("--only-write", is_flag=True, help="write the configuration and print its path; run nothing")
@click.option("--costs", is_flag=True, help="instead: what all figures cost at the paper's scale, by the cost model")
@click.option("-o", "--output", type=FILE, metavar="FILE",
              help="draw the figure (.png, .svg, .pdf), tell its caption; with --costs write the page")  # fmt: skip
@click.option("--reading", type=click.Choice(["default", "paper"]), default="default", show_default=True,
              help="with -o, of a suite: numbers as the defaults or as the paper takes them")  # fmt: skip
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
@click.argument("arguments", metavar="[-- SNAKEMAKE ARGUMENTS]", nargs=-1, type=click.UNPROCESSED)
def experiment(
    name: str | None, scale: str, data_root: str | None, results: str | None, only_write: bool, costs: bool,
    output: str | None, reading: str, json_: bool, **how: str,
) -> int:  # fmt: skip
    """Run the experiment of a figure, such as f10, and say what came out of its claims.

    Experiments that show the same trainings share a results folder, so nothing is trained twice. Called again it
    makes what is missing and no more. With --costs nothing runs, and no ID is needed.

    There are f05 to f29, one for each figure of results of the paper of 2025 (22 is a picture of a world), and
    f17-classes (without CIFAR100), f23-view and f23-balls (Figure 23 with the other view). The small scale takes 1 to
    18 minutes on 2 cores; docs/runs/experiments.md has the table.

    \b
    Example:
      aiq experiment f10 --data-root data -o f10.png
    """
    if output is not None:
        (PAGE if costs else FIGURE).convert(output, None, None)
    if costs:
        return _costs(output, json_)
    if name is None:
        raise click.UsageError("give the experiment of a figure, such as f10, or --costs")
    from aiq.run.call import Snakemake
    from papers.planned import keep, planned, run_experiment

    plan = planned(name, scale, data_root=data_root, results=results)
    summary = {"experiment": name, "scale": scale, "results": str(plan.run.layout.root)}
    if only_write:
        keep(plan)
        if json_:
            emit_json({**summary, "configuration": plan.file, "claims": []})
        else:
            click.echo(plan.file)
        return 0
    status = run_experiment(plan, json_, say, **how)
    if status == INTERRUPTED:
        raise click.Abort
    if status:
        return status
    from papers.report import of_experiment

    report = of_experiment(plan)
    if output is not None and not Snakemake(plan.file, arguments=tuple(how["arguments"])).only_looks:
        from papers.drawing import draw_experiment

        drawing = draw_experiment(plan, reading)
        write_drawing(drawing, output)
        say(drawing.caption)
    _emit(report, json_, summary)
    return 0


def _costs(output: str | None, json_: bool) -> int:
    from papers.costs import paper_cost, write_costs

    cost = paper_cost()
    if output is not None:
        write_costs(cost, output)
    _emit(cost, json_)
    return 0


def _emit(report: Report | PaperCost, json_: bool, summary: Mapping[str, str] | None = None) -> None:
    if json_:
        emit_json({**(summary or {}), **report.as_dict()})
    else:
        emit_display(report.display())


COMMANDS = (claims, experiment)
