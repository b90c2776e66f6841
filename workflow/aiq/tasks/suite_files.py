"""Files of a suite seen through results alone: tables, figures, page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aiq import figures
from aiq.errors import InputError
from aiq.figures import Drawing, style
from aiq.records.estimate import Estimate
from aiq.records.suite_report import TABLES, SuiteReport
from aiq.records.table import Table
from aiq.storage.files import replacing
from aiq.storage.tables import write_table
from aiq.suites.agreement import NOT_THE_PAPERS

if TYPE_CHECKING:
    from aiq.pages.parts import Drawn

FIGURES = {
    "suite-leaderboard": "Leaderboard with ranks and groups",
    "suite-beats": "Who is told to be above whom",
    "suite-tests": "Tests by difficulty and discrimination",
    "suite-fewer": "What fewer tests tell",
    "suite-agreement": "Which tests are alike: distances by agreement of agents",
}
_NAME = 42  # letters of an agent in the first table
_NAMED = 40  # tests whose intervals are drawn
_CELLS = 160  # tests or agents of a matrix that can be hovered over; larger ones are a picture alone


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
            figures.render(drawing, "png"), _chart(name, report),
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


def _chart(name: str, report: SuiteReport) -> Drawn | None:
    """Return what can be hovered over, None where a picture says as much."""
    if name == "suite-beats" and report.beats is not None and report.n <= _CELLS:
        names = [agent.agent for agent in report.agents]
        colours = [[0, style.VERMILION], [0.5, "#F5F5F5"], [1, style.BLUE]]
        words = {-1.0: "is told to be below", 0.0: "is not told apart from", 1.0: "is told to be above"}
        ticks = {
            "tickvals": [-1, 0, 1],
            "ticktext": ["row below", "not told apart", "row above"],
            "title": {"text": ""},
        }
        found = report.beats - report.beats.T
        return _matrix(names, found, colours, (-1.0, 1.0), lambda v: words[v], "agents, best first", ticks)
    if name == "suite-agreement" and len(report.tests) <= _CELLS:
        from aiq.figures.suite_tests import side_by_side

        order = side_by_side(report)
        names = [report.tests[k].test for k in order]
        cells = report.agreement[np.ix_(order, order)]
        told = {"title": {"text": "distance", "side": "right"}}
        return _matrix(
            names,
            cells,
            "Cividis",
            (0.0, max(1.0, float(np.nanmax(cells)))),
            lambda v: f"distance by agreement {v:.2f} to",
            report.by,
            told,
        )
    return _scatter(report) if name == "suite-tests" else None


def _matrix(
    names: list[str], cells: np.ndarray, colours: object, ends: tuple[float, float], says: Callable[[float], str],
    what: str, bar: Mapping[str, object],
) -> Drawn:  # fmt: skip
    """Return a matrix whose cells say their pair; of many names the axes say only what they are."""
    from aiq.pages.parts import Drawn

    known = np.isfinite(cells)
    text = [
        [f"<b>{a}</b><br>{says(float(cells[i, j]))}<br><b>{b}</b>" if known[i, j] else "" for j, b in enumerate(names)]
        for i, a in enumerate(names)
    ]
    data = {
        "type": "heatmap", "z": [[round(float(v), 4) if np.isfinite(v) else None for v in row] for row in cells],
        "text": text, "hoverinfo": "text", "colorscale": colours, "zmin": ends[0], "zmax": ends[1],
        "colorbar": bar,
    }  # fmt: skip
    ticks = {"tickvals": list(range(len(names))), "ticktext": names, "ticks": "", "showgrid": False, "automargin": True}
    large = len(names) > 40
    layout = {
        "xaxis": {**ticks, "showticklabels": not large, "title": {"text": what if large else ""}},
        "yaxis": {
            **ticks,
            "autorange": "reversed",
            "showticklabels": not large,
            "title": {"text": what if large else ""},
        },
    }
    return Drawn("plain", views={"": {"data": [data], "layout": layout}}, height=min(900, 260 + 14 * len(names)))


def _scatter(report: SuiteReport) -> Drawn:
    """Return difficulty and discrimination of every test, with its name to be seen; intervals where tests are few."""
    from aiq.pages.parts import Drawn
    from aiq.pages.series import axis, trace

    data = []
    few = len(report.tests) <= _NAMED
    for suspicious, ink, symbol in ((False, style.BLUE, "circle"), (True, style.VERMILION, "x")):
        mine = [(t, d) for t in report.tests if (d := t.discrimination) is not None and t.suspicious is suspicious]
        if mine:
            told = [
                f"<b>{t.test}</b><br>difficulty {t.difficulty.value:.3f}<br>discrimination {d.value:.2f}"
                for t, d in mine
            ]
            x, y = [t.difficulty for t, _ in mine], [d for _, d in mine]
            name = "better agents are worse" if suspicious else "in order"
            marker = {"color": ink, "symbol": symbol, "size": 8}
            more: dict[str, Any] = {"error_x": _bars(x), "error_y": _bars(y)} if few else {}
            values = [round(one.value, 5) for one in x], [round(one.value, 4) for one in y]
            data.append(trace(name, *values, text=told, hoverinfo="text", mode="markers", marker=marker, **more))
    layout = {
        "xaxis": axis("difficulty (1 − expected performance at average ability)", range=[-0.03, 1.03]),
        "yaxis": axis("discrimination (slope in ability)"),
    }
    return Drawn("plain", views={"": {"data": data, "layout": layout}})


def _bars(numbers: Sequence[Estimate]) -> dict[str, object]:
    """Return the bars of intervals."""
    ends = [one.interval or (one.value, one.value) for one in numbers]
    up = [round(high - one.value, 4) for one, (_, high) in zip(numbers, ends, strict=True)]
    down = [round(one.value - low, 4) for one, (low, _) in zip(numbers, ends, strict=True)]
    return {"type": "data", "array": up, "arrayminus": down, "thickness": 1, "width": 0}
