"""Charts from the tables of figures, as the plans declare them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from aiq.figures import style
from aiq.pages import curves, matrix, space
from aiq.pages.parts import MUTED, Choice, Drawn, Sources, Trace
from aiq.pages.series import axis, bars, looks, optional, short, trace, words
from aiq.plans import charts
from aiq.records.table import Cell, Table

SHOWN = 10  # lines that are drawn at first
MARKED = 25  # points of a line up to which each has a mark


def chart(declared: charts.Chart, name: str, sources: Sources, pairs: Sequence[tuple[str, str]], most: int) -> Drawn:
    """Return the chart of a figure.

    Args:
        declared: the chart as the plan declares it.
        name: the figure.
        sources: tables beside figures and tables of results.
        pairs: pairs of domains whose mixture curves are asked for.
        most: of how many pairs the page holds curves.
    """
    table = sources.figures[name]
    make: dict[type, Callable[[], Drawn]] = {
        charts.Lines: lambda: lines(declared, table, sources.words),  # type: ignore[arg-type]
        charts.Dots: lambda: dots(declared, table, sources.words),  # type: ignore[arg-type]
        charts.Stack: lambda: stack(declared, table),  # type: ignore[arg-type]
        charts.Spectrum: lambda: spectrum(table),
        charts.Curves: lambda: curves.complexity(table, sources.words),
        charts.SpaceView: lambda: space.view(declared, table, sources),  # type: ignore[arg-type]
        charts.Matrix: lambda: matrix.view(declared, sources, table, pairs, most),  # type: ignore[arg-type]
    }
    return make[type(declared)]()


# ---- lines ---------------------------------------------------------------------------------------


def lines(declared: charts.Lines, table: Table, said: Mapping[str, str]) -> Drawn:
    """Return lines against a number: one view per quantity and word of each facet."""
    facets = [Choice(name, tuple(_distinct(table, name))) for name in declared.facets if name in table.columns]
    quantities = Choice("shown", tuple(title for _, title in declared.y))
    choices = ([quantities] if len(declared.y) > 1 else []) + [one for one in facets if len(one.words) > 1]
    views = {}
    for chosen in product(*(range(len(one.words)) for one in choices)):
        picked = {one.label: one.words[k] for one, k in zip(choices, chosen, strict=True)}
        column, title = declared.y[chosen[0] if len(declared.y) > 1 else 0]
        rows = [k for k in range(len(table.rows)) if all(
            str(table.column(name)[k]) == word for name, word in picked.items() if name != "shown"
        )]  # fmt: skip
        views[",".join(map(str, chosen))] = _lines_view(declared, _rows(table, rows), column, said.get(title, title))
    return Drawn("plain", tuple(choices), views)


def _lines_view(declared: charts.Lines, table: Table, column: str, title: str) -> dict[str, Any]:
    names = _distinct(table, declared.by) if declared.by else [""]
    text = any(isinstance(x, str) for x in table.column(declared.x[0]))
    data = []
    for index, name in enumerate(names):
        rows = [k for k in range(len(table.rows)) if not declared.by or str(table.column(declared.by)[k]) == name]
        mine = _rows(table, rows)
        shown: dict[str, Any] = {} if index < SHOWN else {"visible": "legendonly"}
        called = f"{declared.by} {name}" if name.replace(".", "").isdigit() else name
        data.append(_line(declared, mine, column, called, index) | shown)
    across: dict[str, Any] = {"type": "category"} if text else {"type": "log"} if declared.log_x else {}
    if declared.log_x and not text:
        across |= _plain_ticks([short(x) for x in _middle(declared, table)])
    upright = {"type": "log", "dtick": 1, "tickformat": "~g"} if column in declared.log_y else {}
    return {"data": data, "layout": {"xaxis": axis(declared.title, **across), "yaxis": axis(title, **upright)}}


def _line(declared: charts.Lines, table: Table, column: str, name: str, index: int) -> Trace:
    at = [x if isinstance(x, str) else short(x) for x in _middle(declared, table)]
    values, low, high = (optional(table, column + end) for end in ("", "_low", "_high"))
    more: dict[str, Any] = looks(index, declared.joined)
    if declared.joined and len(at) > MARKED:
        more["mode"] = "lines"
    if (upright := bars(values, low, high)) is not None:
        more["error_y"] = upright | {"color": style.colour(index)}
    first = declared.x[0]
    aside = [optional(table, first + end) if declared.ranged else [None] * len(at) for end in ("_low", "_high")]
    if declared.ranged and (flat := bars(table.column(first), *aside)) is not None:
        more["error_x"] = flat | {"color": style.colour(index)}
    told = [
        f"<b>{name}</b><br>{words(x, left, right)}: {words(*y)}"
        for x, left, right, y in zip(at, *aside, zip(values, low, high, strict=True), strict=True)
    ]
    return trace(name, at, [short(v) for v in values], text=told, hoverinfo="text", **more)


def _middle(declared: charts.Lines, table: Table) -> list[Cell]:
    """Return the places along the horizontal axis."""
    columns = [table.column(name) for name in declared.x]
    if len(columns) == 1:
        return columns[0]
    return [sum(float(part or 0.0) for part in parts) / len(parts) for parts in zip(*columns, strict=True)]


def _plain_ticks(values: Sequence[float | None]) -> dict[str, Any]:
    """Return ticks of a logarithmic axis at some of the values themselves, far enough apart to be read."""
    known = sorted({value for value in values if value is not None and value > 0})
    if not known:
        return {}
    apart = max((math.log(known[-1]) - math.log(known[0])) / 6, 1e-9)
    kept = [known[0]]
    for value in known[1:]:
        kept += [value] if math.log(value / kept[-1]) >= apart else []
    return {"tickvals": kept, "ticktext": [f"{value:g}" for value in kept]}


# ---- dots and bars -------------------------------------------------------------------------------


def dots(declared: charts.Dots, table: Table, units: Mapping[str, str]) -> Drawn:
    """Return one row per word, with dots and intervals."""
    names = [str(name) for name in table.column(declared.label)]
    known = [(c, w) for c, w in declared.values if any(cell is not None for cell in optional(table, c))]
    data = []
    for index, (column, said) in enumerate(known):
        values, low, high = (optional(table, column + end) for end in ("", "_low", "_high"))
        shift = 0.5 * (index + 0.5) / len(known) - 0.25
        more: dict[str, Any] = looks(index, joined=False)
        if (across := bars(values, low, high)) is not None:
            more["error_x"] = across | {"color": style.colour(index)}
        told = [f"<b>{n}</b><br>{said} {words(*v)}" for n, v in zip(names, zip(values, low, high), strict=True)]  # noqa: B905
        places = [k + shift for k in range(len(names))]
        data.append(trace(said, [short(v) for v in values], places, text=told, hoverinfo="text", **more))
    across = {"range": [declared.ends[0] - 0.02, declared.ends[1] + 0.02]} if declared.ends else {"rangemode": "tozero"}
    upright = {
        "tickvals": list(range(len(names))), "ticktext": names, "range": [len(names) - 0.5, -0.5], "ticks": "",
        "showgrid": False, "zeroline": False,
    }  # fmt: skip
    layout = {"xaxis": axis(units.get(declared.title, declared.title), **across), "yaxis": upright}
    height = min(4000, 110 + max(26, 13 * len(known)) * len(names))
    return Drawn("plain", views={"": {"data": data, "layout": layout}}, height=height)


def stack(declared: charts.Stack, table: Table) -> Drawn:
    """Return bars put together from parts."""
    data: list[Trace] = []
    for index, name in enumerate(_distinct(table, declared.by)):
        rows = [k for k, cell in enumerate(table.column(declared.by)) if str(cell) == name]
        mine = _rows(table, rows)
        told = [
            f"<b>{name}</b><br>{declared.x} {x}: {float(y or 0):.1%}"
            for x, y in zip(mine.column(declared.x), mine.column(declared.y), strict=True)
        ]
        shape = ("", "/", ".", "x", "-", "\\")[index // len(style.COLOURS) % 6]
        data.append(
            {
                "type": "bar", "name": name, "x": mine.column(declared.x), "text": told, "hoverinfo": "text",
                "textposition": "none", "y": [short(y) for y in mine.column(declared.y)],
                "marker": {"color": style.colour(index), "pattern": {"shape": shape}},
            }
        )  # fmt: skip
    across, upright = declared.titles
    layout = {
        "barmode": "stack", "xaxis": axis(across, dtick=1), "yaxis": axis(upright, tickformat=".0%"), "bargap": 0.3,
    }  # fmt: skip
    return Drawn("plain", views={"": {"data": data, "layout": layout}})


def spectrum(table: Table) -> Drawn:
    """Return the eigenvalues above 0 on a logarithmic axis, the sizes of those below 0, and the thresholds."""
    place, value = table.column("dimension"), [float(v or 0.0) for v in table.column("eigenvalue")]
    data = []
    kept = table.column("kept")
    for said, keep, sign, ink, symbol in (
        ("kept", True, 1, style.BLUE, "circle"),
        ("dropped", False, 1, style.BLUE, "circle-open"),
        ("below 0 (its size)", False, -1, style.VERMILION, "triangle-down-open"),
    ):
        rows = [k for k, v in enumerate(value) if v * sign > 0 and (sign < 0 or bool(kept[k]) is keep)]
        if rows:
            data.append(_eigenvalues(table, rows, sign, said, {"color": ink, "symbol": symbol, "size": 9}))
    limits = [(k, t) for k, t in zip(place, table.column("threshold"), strict=True) if t is not None and float(t) > 0]
    if limits:
        mark = {"symbol": "line-ew-open", "size": 22, "color": style.VERMILION, "line": {"width": 2}}
        told = [f"noise threshold of dimension {k}: {words(t)}" for k, t in limits]
        at, sizes = [k for k, _ in limits], [short(t) for _, t in limits]
        data.append(trace("noise threshold", at, sizes, mode="markers", marker=mark, text=told, hoverinfo="text"))
    sizes = [abs(v) for v in value if v] or [1.0]
    floor = 0.5 * max(min(sizes), 1e-4 * max(sizes))
    ends = [math.log10(floor), math.log10(2 * max(sizes))]
    layout = {
        "xaxis": axis("dimension", dtick=1 if len(place) <= 20 else 10),
        "yaxis": axis("eigenvalue (logarithmic)", type="log", tickformat="~g", dtick=1, range=ends),
    }
    return Drawn("plain", views={"": {"data": data, "layout": layout}})


def _eigenvalues(table: Table, rows: Sequence[int], sign: int, said: str, mark: dict[str, Any]) -> Trace:
    """Return some eigenvalues; an interval that reaches 0 has no lower end on a logarithmic axis."""
    mine = _rows(table, rows)
    value = [float(v or 0.0) for v in mine.column("eigenvalue")]
    low, high = mine.column("low"), mine.column("high")
    told = [f"dimension {k}: {words(*v)}" for k, v in zip(mine.column("dimension"), zip(value, low, high), strict=True)]  # noqa: B905
    more: dict[str, Any] = {"mode": "markers", "marker": mark, "text": told, "hoverinfo": "text"}
    if sign > 0 and (reach := bars(value, low, high)) is not None:
        short_of_0 = [
            min(d or 0.0, 0.999 * v) if (least is None or float(least) > 0) else 0.999 * v
            for d, v, least in zip(reach["arrayminus"], value, low, strict=True)
        ]
        more["error_y"] = reach | {"color": MUTED, "arrayminus": short_of_0}
    return trace(said, mine.column("dimension"), [short(abs(v)) for v in value], **more)


def _distinct(table: Table, column: str) -> list[str]:
    """Return the words of a column, in order of first occurrence."""
    return list(dict.fromkeys(str(cell) for cell in table.column(column)))


def _rows(table: Table, rows: Sequence[int]) -> Table:
    return Table.of(table.columns, [table.rows[k] for k in rows])
