"""A suite seen through results alone: tables for people, files, page."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from aiq.errors import InputError
from aiq.records.suite_report import TABLES, PairedDifference, SuiteReport
from aiq.records.table import Display, Table, counted, left_out, warned
from aiq.storage.files import replacing
from aiq.storage.tables import write_table
from aiq.suites.relations import NOT_THE_PAPERS

if TYPE_CHECKING:
    from aiq.figures import Drawing

MOST = 20  # rows on a screen


def leaderboard(report: SuiteReport) -> Display:
    """Return the best agents, each with its ranks, its group and how far it is above the next."""
    level = f"{report.confidence:.0%}"
    below = {neighbour.a: neighbour for neighbour in report.neighbours}
    gaps = report.missing.cells > 0
    rows = []
    for agent in report.agents[:MOST]:
        near = below.get(agent.agent)
        ranks = str(agent.rank_low) if agent.rank_low == agent.rank_high else f"{agent.rank_low}–{agent.rank_high}"
        apart = (None, None) if near is None else (near.difference, near.p_adjusted)
        missing = (agent.tests, agent.bounds) if gaps else ()
        rows.append(
            (agent.rank, agent.agent, agent.value.value, agent.value.interval, ranks, agent.group, *apart, *missing)
        )
    more = (report.by, "bounds") if gaps else ()
    columns = ("rank", "agent", "value", level, "possible ranks", "group", "above next", "p (Holm)", *more)
    return Display("agents", columns, tuple(rows), _left(report.n, "agents"))


def tests(report: SuiteReport) -> Display:
    """Return the tests: of many the suspicious and the hardest."""
    level = f"{report.confidence:.0%}"
    chosen = sorted(report.tests, key=lambda test: (not test.suspicious, -test.difficulty.value))[:MOST]
    kept = report.tests if len(report.tests) <= MOST else chosen
    columns = (report.by[:-1], "difficulty", level, "discrimination", level, "predicted", level, "by")
    rows = []
    for test in kept:
        name = f"{test.test} (suspicious)" if test.suspicious else test.test
        estimates = (test.difficulty, test.discrimination, test.redundancy)
        cells = [cell for e in estimates for cell in ((None, None) if e is None else (e.value, e.interval))]
        rows.append((name, *cells, test.predicted_by or "–"))
    return Display(report.by, columns, tuple(rows), _left(len(report.tests), report.by))


def _left(count: int, what: str) -> tuple[str, ...]:
    return (f"{count - MOST} more {what}: -o FOLDER, --page or --json",) if count > MOST else ()


def suite(report: SuiteReport) -> list[Display]:
    """Return both tables; with the last what was done, what the numbers cannot tell, and what can be quoted."""
    last = tests(report)
    said = (*last.sentences, *report.notes, *warned(report.warnings), *report.summary)
    return [leaderboard(report), replace(last, sentences=said)]


def difference(paired: PairedDifference) -> Display:
    """Return the difference of two agents, and what it rests on."""
    level = f"{paired.confidence:.0%}"
    columns = ("difference", level, "p", paired.of, "clusters", "above on", "below on", "smallest difference")
    row = (
        paired.difference, paired.interval, paired.p, paired.items, paired.clusters, paired.wins, paired.losses,
        "above 1" if (paired.smallest_difference or 0) > 1 else paired.smallest_difference,
    )  # fmt: skip
    said = [*paired.decisions, *left_out(paired.skipped), f"{paired.a} − {paired.b}, {paired.method}"]
    clear = paired.interval is not None and (paired.interval[0] > 0 or paired.interval[1] < 0)
    level_of_p = round(1 - paired.confidence, 12)
    if paired.p is not None and clear != (paired.p < level_of_p):
        said.append(
            f"the interval {'leaves out' if clear else 'holds'} 0, while p is not "
            f"{'below' if clear else 'above'} {level_of_p:g}: two tests of the same items; verdicts go by p"
        )
    if paired.bounds is not None:
        lacking = paired.only_first + paired.only_second
        said.append(
            f"{counted(lacking, paired.of[:-1])} {'is' if lacking == 1 else 'are'} answered by one of the two alone "
            f"({paired.only_first} by {paired.a}, {paired.only_second} by {paired.b}); with any scores there, the "
            f"difference lies between {paired.bounds[0]:.3f} and {paired.bounds[1]:.3f}"
        )
    if paired.share_of_epochs is not None:
        said.append(
            f"more answers to the same {paired.of} would take away {paired.share_of_epochs:.0%} of the squared error"
        )
    least = paired.smallest_difference
    if least is None and paired.clusters > 1:
        said.append(f"the difference is the same on all {paired.of}, so how small a one is found is not known")
    elif least is not None and least > 1:
        said.append(f"{counted(paired.items, paired.of[:-1])} alone: even a difference of 1 may be missed")
    elif least is not None:
        said.append(f"differences below {least:.3f} are missed more often than {1 - paired.power:.0%} of the time")
    return Display(f"{paired.a} and {paired.b}", columns, (row,), tuple(said))


FIGURES = {
    "suite-leaderboard": "Leaderboard with ranks and groups",
    "suite-beats": "Who is told to be above whom",
    "suite-tests": "{} by difficulty and discrimination",
    "suite-fewer": "What fewer {} tell",
    "suite-agreement": "Which {} are alike: distances by agreement of agents",
}


@lru_cache(maxsize=1)
def drawings(report: SuiteReport) -> dict[str, Drawing]:
    """Return the figures that these results can have, by name; drawn once for a folder and a page."""
    from aiq import figures  # with matplotlib

    drawn = {}
    for name in FIGURES:
        try:
            drawn[name] = figures.draw(name, report)
        except InputError:  # too few agents for it, or too many for a matrix; the tables say the same
            continue
    return drawn


def write_folder(report: SuiteReport, folder: str | Path) -> None:
    """Write ``tables/NAME.csv`` and ``figures/NAME.png``, ``.svg``, ``.pdf`` and ``.csv`` of a suite.

    Raises:
        StorageError: nothing can be written there.
    """
    from aiq import figures

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
    """Write the page of a suite, one file that needs no network; refused where it would be too large.

    ``source``: what the results are called; ``beside``: whether ``write_folder`` wrote into the folder of the page.

    Raises:
        InputError: the page would be too large.
    """
    from aiq import __version__, figures, pages

    page_figures = []
    for name, drawing in drawings(report).items():
        title = FIGURES[name].format(report.by)
        numbers, picture = pages.Numbers(name, "figures", drawing.table), figures.render(drawing, "png")
        title = title[:1].upper() + title[1:]
        page_figures.append(pages.PageFigure(name, title, drawing.caption, drawing.alt, numbers, picture))
    agents = [figure for figure in page_figures if figure.name in ("suite-leaderboard", "suite-beats")]
    captions = {"agreement": f"{NOT_THE_PAPERS[0].upper()}{NOT_THE_PAPERS[1:]}."}
    tables = [pages.Numbers(name, "tables", report.table(name), captions.get(name, "")) for name in TABLES]
    page = pages.Page(
        title=source,
        measure="A suite seen through results alone (no training, no AIQ)",
        facts=_facts(report),
        opening=pages.Opening("Leaderboard", _lead(report), [*report.summary, *report.warnings, *report.notes]),
        sections=[
            pages.Section("agents", "Agents", agents),
            pages.Section("tests", report.by.capitalize(), [figure for figure in page_figures if figure not in agents]),
            pages.Section("tables", "Tables", tables=[numbers for numbers in tables if numbers.table.rows]),
        ],
        settings=f"by: {report.by}\nat: {report.at}\nconfidence: {report.confidence}\nseed: {report.seed}\n",
        origin=[("aiq", __version__), ("results", source)],
        beside=beside,
    )
    with replacing(path) as temporary:
        temporary.write_bytes(pages.render(page))


def _facts(report: SuiteReport) -> list[tuple[str, str]]:
    smallest = report.smallest_difference
    over_tests = smallest.over_tests
    least = "–" if over_tests is None else f"{over_tests:.3f}" if over_tests <= 1 else "above 1"
    return [
        ("agents", f"{report.n:,}"), (report.by, f"{len(report.tests):,}"), ("groups", f"{len(report.groups):,}"),
        ("smallest difference", least), ("missing", f"{report.missing.share:.1%}"),
    ]  # fmt: skip


def _lead(report: SuiteReport) -> Table:
    columns = ("rank", "agent", "value", "value_low", "value_high", "possible ranks", "group")
    rows = [(a.rank, a.agent, *a.value.cells(), f"{a.rank_low}–{a.rank_high}", a.group) for a in report.agents[:40]]
    return Table.of(columns, rows)
