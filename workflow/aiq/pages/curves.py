"""Complexity curves, one domain at a time, with the trials behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiq.figures import style
from aiq.pages.parts import INK, Choice, Drawn, Trace
from aiq.pages.series import axis, short, trace, words
from aiq.records.table import Cell, Table

TRIALS = 20000  # dots on a whole page


def complexity(table: Table, said: Mapping[str, str]) -> Drawn:
    """Return the complexity curve of each domain.

    Args:
        table: bins and trials of all domains, as beside the figure ``complexity-panel``.
        said: words of axes with the units of the run.
    """
    found: dict[str, list[dict[str, Cell]]] = {}
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        found.setdefault(str(cells["domain"]), []).append(cells)
    trials = sum(cells["kind"] == "trial" for rows in found.values() for cells in rows)
    step = max(1, -(-trials // TRIALS))
    size = said.get("policy size", "policy size")
    views = {str(k): _view(rows, step, size) for k, rows in enumerate(found.values())}
    thinned = f" Of the {trials} trials one in {step} is drawn." if step > 1 else ""
    note = "Choose a domain. Dots are single trials; the area under the blue steps is the complexity." + thinned
    return Drawn("plain", (Choice("domain", tuple(found)),), views, note=note)


def _view(rows: Sequence[dict[str, Cell]], step: int, words_of_size: str) -> dict[str, Any]:
    """Return bins and trials of one domain."""
    bins = [one for one in rows if one["kind"] == "bin" and one["size"] is not None]
    trials = [one for one in rows if one["kind"] == "trial" and one["performance"] is not None][::step]
    first = rows[0]
    data = []
    if bins:
        data.append(_steps(bins, "size", "smallest size (area: complexity)", style.BLUE, "solid", filled=True))
        if any(one["smallest"] not in (None, one["size"]) for one in bins):
            data.append(_steps(bins, "smallest", "smallest of all policies", INK, "dash"))
        told = [
            f"performance {words(one['performance_low'])} to {words(one['performance_high'])}<br>"
            f"size {words(one['size'])} ({one['filling']})" for one in bins
        ]  # fmt: skip
        at, size = [short(one["performance"]) for one in bins], [short(one["size"]) for one in bins]
        mark = {"color": style.BLUE, "size": 9, "opacity": 0}
        data.append(trace("bins", at, size, mode="markers", marker=mark, text=told, hoverinfo="text", showlegend=False))
    mark = {"color": INK, "size": 6, "opacity": 0.45}
    told = [f"trial<br>performance {words(one['performance'])}, size {words(one['size'])}" for one in trials]
    at, size = [short(one["performance"]) for one in trials], [short(one["size"]) for one in trials]
    data.append(trace("trials", at, size, mode="markers", marker=mark, text=told, hoverinfo="text"))
    title = f"{first['domain']}: complexity {words(first['mccp'], first['mccp_low'], first['mccp_high'])}"
    layout = {
        "title": {"text": title},
        "xaxis": axis("performance", range=[-0.02, 1.02]),
        "yaxis": axis(words_of_size, rangemode="tozero"),
    }
    return {"data": data, "layout": layout}


def _steps(
    bins: Sequence[dict[str, Cell]], column: str, name: str, ink: str, dash: str, *, filled: bool = False
) -> Trace:
    x, y = [], []
    for one in bins:
        x += [short(one["performance_low"]), short(one["performance_high"])]
        y += [short(one[column])] * 2
    more: dict[str, Any] = {"mode": "lines", "line": {"color": ink, "width": 2, "dash": dash}, "hoverinfo": "skip"}
    if filled:
        more |= {"fill": "tozeroy", "fillcolor": "rgba(86,180,233,0.28)"}
    return trace(name, x, y, **more)
