"""Files of a suite seen through results alone: tables, figures, page."""

from __future__ import annotations

from pathlib import Path

from aiq import figures
from aiq.errors import InputError
from aiq.figures import Drawing
from aiq.records.suite_report import TABLES, SuiteReport
from aiq.records.table import Table
from aiq.storage.files import replacing
from aiq.storage.tables import write_table
from aiq.suites.agreement import NOT_THE_PAPERS

FIGURES = {
    "suite-leaderboard": "Leaderboard with ranks and groups",
    "suite-beats": "Who is told to be above whom",
    "suite-tests": "Tests by difficulty and discrimination",
    "suite-fewer": "What fewer tests tell",
    "suite-agreement": "Which tests are alike: distances by agreement of agents",
}
_NAME = 42  # letters of an agent in the first table


def drawings(report: SuiteReport) -> dict[str, Drawing]:
    """Return the figures that these results can have, by name."""
    found = {}
    for name in FIGURES:
        try:
            found[name] = figures.draw(name, report)
        except InputError:  # too few agents for it, or too many for a matrix; the tables say the same
            continue
    return found


def write_folder(report: SuiteReport, folder: str | Path) -> None:
    """Write ``tables/NAME.csv`` and ``figures/NAME.png`` and ``.svg`` of a suite.

    Raises:
        StorageError: nothing can be written there.
    """
    place = Path(folder)
    for name in ("tables", "figures"):
        (place / name).mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        table = report.table(name)
        if table.columns:
            write_table(place / "tables" / f"{name}.csv", table)
    for name, drawing in drawings(report).items():
        for suffix in ("png", "svg", "pdf"):
            with replacing(place / "figures" / f"{name}.{suffix}") as temporary:
                temporary.write_bytes(figures.render(drawing, suffix))
        write_table(place / "figures" / f"{name}.csv", drawing.table)


def write_page(report: SuiteReport, path: str | Path, source: str, beside: bool = False) -> None:
    """Write the page of a suite: one file that needs no network.

    Args:
        report: what results say.
        path: of the page.
        source: what the results are called.
        beside: whether ``write_folder`` wrote tables and figures into the folder of the page.

    Raises:
        InputError: the page would be too large.
    """
    from aiq import __version__, pages

    shown = [
        pages.Shown(
            name, FIGURES[name], drawing.caption, drawing.alt, pages.Numbers(name, "figures", drawing.table),
            figures.render(drawing, "png"),
        )
        for name, drawing in drawings(report).items()
    ]  # fmt: skip
    agents = [figure for figure in shown if figure.name in ("suite-leaderboard", "suite-beats")]
    captions = {"agreement": f"{NOT_THE_PAPERS[0].upper()}{NOT_THE_PAPERS[1:]}."}
    tables = [pages.Numbers(name, "tables", report.table(name), captions.get(name, "")) for name in TABLES]
    page = pages.Page(
        title=source,
        measure="A suite seen through results alone (no training, no AIQ)",
        facts=_facts(report),
        lead=pages.Lead("Leaderboard", _lead(report), [*report.summary, *report.warnings, *report.notes]),
        sections=[
            pages.Section("agents", "Agents", agents),
            pages.Section("tests", report.by.capitalize(), [figure for figure in shown if figure not in agents]),
            pages.Section("tables", "Tables", tables=[one for one in tables if one.table.rows]),
        ],
        settings=f"by: {report.by}\nat: {report.at}\nconfidence: {report.confidence}\nseed: {report.seed}\n",
        origin=[("aiq", __version__), ("results", source)],
        beside=beside,
    )
    with replacing(path) as temporary:
        temporary.write_bytes(pages.render(page))


def _facts(report: SuiteReport) -> list[tuple[str, str]]:
    smallest = report.smallest_difference
    known = smallest.over_tests
    least = "–" if known is None else f"{known:.3f}" if known <= 1 else "above 1"
    return [
        ("agents", f"{report.n:,}"), (report.by, f"{len(report.tests):,}"), ("groups", f"{len(report.groups):,}"),
        ("smallest difference", least), ("missing", f"{report.missing.share:.1%}"),
    ]  # fmt: skip


def _lead(report: SuiteReport) -> Table:
    """Return the best agents in few columns."""
    columns = ("rank", "agent", "value", "value_low", "value_high", "possible ranks", "group")
    rows = [
        (a.rank, a.agent[:_NAME], *a.value.cells(), f"{a.rank_low}–{a.rank_high}", a.group) for a in report.agents[:40]
    ]
    return Table.of(columns, rows)
