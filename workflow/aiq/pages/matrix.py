"""Dissimilarities on the page: all pairs as cells, and the mixture curves of those that the page holds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

from aiq.figures import style
from aiq.pages.parts import INK, Drawn, Sources, Trace
from aiq.pages.series import axis, optional, short, trace, words
from aiq.plans.charts import Matrix
from aiq.records.table import Cell, Table

Pair = tuple[str, str]
_CURVES = (
    ("observed", "observed", style.BLUE, "solid", "circle"),
    ("line", "straight line (no loss by mixing)", INK, "dash", None),
    ("control", "control (each domain alone)", INK, "dashdot", "square"),
    ("told", "told which domain", style.GREEN, "dot", "triangle-up"),
)


def view(declared: Matrix, sources: Sources, cells: Table, asked: Sequence[Pair], most: int) -> Drawn:
    """Return the matrix with the curves of its pairs.

    Args:
        declared: tables and columns.
        sources: all tables.
        cells: one row per cell that has a value, as beside the figure ``dissimilarity-matrix``.
        asked: pairs whose curves are asked for.
        most: of how many pairs curves are kept; those asked for come first, then the most and the least different.
    """
    table = sources.tables[declared.table]
    names = list(dict.fromkeys(str(name) for name in cells.column("a")))
    rows, columns = ([names.index(str(name)) for name in table.column(end)] for end in ("a", "b"))
    chosen = _chosen(cells)
    values = [
        {"title": said, **_numbers(table, column, chosen)}
        for column, said in declared.values
        if any(x is not None for x in optional(table, column))
    ]
    completed = [
        (names.index(str(a)), names.index(str(b)), short(v))
        for a, b, v, measured in zip(*(cells.column(c) for c in ("a", "b", "dissimilarity", "measured")), strict=True)
        if not measured
    ]
    size = {pair: float(found[0] or 0.0) for pair, found in chosen.items()}
    pairs = [(str(a), str(b)) for a, b in zip(table.column("a"), table.column("b"), strict=True)]
    kept = notable(pairs, size, asked, most)
    curves = _curves(sources.figures[declared.curves], kept)
    places = zip(cells.column("a"), cells.column("b"), cells.column("told_apart"), strict=True)
    alike = [[names.index(str(a)), names.index(str(b))] for a, b, apart in places if not apart]
    more = {
        "names": names, "rows": rows, "columns": columns, "values": values, "completed": completed, "alike": alike,
        "curves": curves, "first": _first(pairs, size, curves),
    }  # fmt: skip
    note = "Choose a cell, with the mouse or with the arrow keys, to see how the two domains mix."
    if len(kept) < len(pairs):
        note += (
            f" The page holds the curves of {len(kept)} of {len(pairs)} pairs: those asked for in page.pairs, then the "
            "most and the least different, and domains with themselves; curves of all pairs are in the folder figures."
        )
    return Drawn("matrix", height=min(720, 300 + 34 * len(names)), more=more, note=note)


def _chosen(cells: Table) -> dict[Pair, tuple[Cell, Cell, Cell]]:
    """Return the value with its interval of each cell: of the area that makes the space."""
    columns = (cells.column(name) for name in ("a", "b", "dissimilarity", "low", "high"))
    return {(str(a), str(b)): (v, low, high) for a, b, v, low, high in zip(*columns, strict=True)}


def _numbers(table: Table, column: str, chosen: dict[Pair, tuple[Cell, Cell, Cell]]) -> dict[str, list[float | None]]:
    """Return values and intervals of all pairs; the dissimilarity is the one that makes the space."""
    if column == "dissimilarity":
        pairs = zip(table.column("a"), table.column("b"), strict=True)
        three = [chosen.get((str(a), str(b)), (None, None, None)) for a, b in pairs]
        found = [list(cells) for cells in zip(*three, strict=True)]
    else:
        found = [optional(table, column + end) for end in ("", "_low", "_high")]
    return {name: [short(x) for x in cells] for name, cells in zip(("value", "low", "high"), found, strict=True)}


def notable(pairs: Sequence[Pair], size: dict[Pair, float], asked: Sequence[Pair], most: int) -> list[Pair]:
    """Return at most ``most`` pairs: those asked for in their order, then by turns the most and the least different.

    Domains with themselves come last.
    """
    wanted = [pair for a, b in asked for pair in pairs if set(pair) == {a, b} and (a == b) == (pair[0] == pair[1])]
    others = sorted((p for p in pairs if p[0] != p[1]), key=lambda p: -size.get(p, size.get(p[::-1], 0.0)))
    half = (len(others) + 1) // 2
    turns = chain.from_iterable(zip_longest(others[:half], others[half:][::-1]))
    order = [*wanted, *(pair for pair in turns if pair), *(pair for pair in pairs if pair[0] == pair[1])]
    return list(dict.fromkeys(order))[: max(most, len(set(wanted)))]


def _first(pairs: Sequence[Pair], size: dict[Pair, float], curves: dict[str, Any]) -> str:
    """Return the pair that is shown first: the most different one."""
    known = [pair for pair in pairs if "+".join(pair) in curves]
    return "+".join(max(known, key=lambda pair: size.get(pair, 0.0))) if known else ""


def _curves(table: Table, kept: Sequence[Pair]) -> dict[str, Any]:
    groups: dict[Pair, list[dict[str, Cell]]] = {pair: [] for pair in kept}
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        pair = (str(cells["a"]), str(cells["b"]))
        if pair in groups:
            groups[pair].append(cells)
    shown = [one for rows in groups.values() for one in rows]
    ends = _ends(shown)
    return {"+".join(pair): _view(pair, rows, ends) for pair, rows in groups.items() if rows}


def _ends(rows: Sequence[dict[str, Cell]]) -> list[float]:
    """Return the ends of the performance axis that all pairs share."""
    columns = ("observed", "observed_low", "observed_high", "line", "control", "told")
    values = [float(v) for one in rows for c in columns if (v := one.get(c)) is not None] or [0.0, 1.0]
    low, high = min(values), max(values)
    pad = max(0.05 * (high - low), 0.01)
    return [max(-0.02, low - pad), min(1.02, high + pad)]


def _view(pair: Pair, rows: Sequence[dict[str, Cell]], ends: list[float]) -> dict[str, Any]:
    p = [short(one["p"]) for one in rows]
    data: list[Trace] = []
    if any(one["observed_low"] is not None for one in rows):
        around = [short(one["observed_high"]) for one in rows] + [short(one["observed_low"]) for one in rows][::-1]
        data.append(
            trace("interval", p + p[::-1], around, mode="lines", line={"width": 0}, fill="toself", hoverinfo="skip",
                  fillcolor="rgba(0,114,178,0.18)")
        )  # fmt: skip
    for column, said, ink, dash, symbol in _CURVES:
        values = [one[column] for one in rows]
        if all(value is None for value in values):
            continue
        ranges = [(one["observed_low"], one["observed_high"]) if column == "observed" else () for one in rows]
        told = [
            f"{said}<br>p = {x:g}: {words(v, *r)}" for x, v, r in zip(p, values, ranges, strict=True) if x is not None
        ]
        more: dict[str, Any] = {"mode": "lines", "line": {"color": ink, "width": 2, "dash": dash}}
        if symbol:
            more |= {"mode": "lines+markers", "marker": {"color": ink, "symbol": symbol, "size": 7}}
        data.append(trace(said, p, [short(v) for v in values], text=told, hoverinfo="text", **more))
    layout = {
        "title": {"text": f"{pair[0]} and {pair[1]}" if pair[0] != pair[1] else f"{pair[0]} with itself"},
        "xaxis": axis(f"proportion p of {pair[0]}", range=[-0.02, 1.02]),
        "yaxis": axis("performance on the mixture", range=ends),
    }
    return {"data": data, "layout": layout}
