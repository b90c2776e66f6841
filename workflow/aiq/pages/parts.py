"""What a page is made of: its parts, the intelligence space, and how far an order of agents can be trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from aiq.figures import style
from aiq.figures.solid import faces
from aiq.records.estimate import Floats
from aiq.records.table import Cell, Table, bounds

AGENTS = 30
DIGITS = 6  # significant digits of numbers in scripts


def short(value: Cell) -> float | None:
    """Return a number with the digits that a picture can show; None where there is none."""
    if value is None or isinstance(value, str) or not math.isfinite(value):
        return None
    return float(f"{float(value):.{DIGITS}g}")


def words(value: Cell, low: Cell = None, high: Cell = None) -> str:
    """Return a number with four significant digits, or with its interval and the decimals that its width calls for."""
    if value is None or isinstance(value, str):
        return "–" if value is None else value
    if low is None or high is None:
        return f"{float(value):.4g}"
    ends = [float(number) for number in (value, low, high)]
    width = max(ends[2] - ends[1], 1e-3 * abs(ends[0]), 1e-12)
    decimals = min(8, max(0, 1 - math.floor(math.log10(width))))
    middle, *around = (f"{end + 0.0:.{decimals}f}" for end in ends)
    return f"{middle} [{', '.join(around)}]"


@dataclass(frozen=True, slots=True)
class Sources:
    """Tables that the page is made from, by name: those beside figures, and those of results."""

    figures: Mapping[str, Table]
    tables: Mapping[str, Table]


@dataclass(frozen=True, slots=True)
class Turnable:
    """The intelligence space as its script takes it, and a sentence on how to turn it."""

    data: Mapping[str, Any]
    note: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table of the page: its name in files, the folder of its file, its words, and what it cannot tell."""

    name: str
    folder: str
    table: Table
    caption: str = ""


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A figure of the page: title, caption, text for those who do not see it, numbers, picture (PNG).

    ``space``: what can be turned beside the picture, None where the picture is all.
    """

    name: str
    title: str
    caption: str
    alt: str
    numbers: Numbers
    picture: bytes
    space: Turnable | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under one heading."""

    name: str
    title: str
    figures: Sequence[PageFigure] = ()
    tables: Sequence[Numbers] = ()


@dataclass(frozen=True, slots=True)
class Opening:
    """What the page opens with: the main table, and the sentences that say how far it can be trusted."""

    title: str
    table: Table
    trust: Sequence[str]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page.

    ``facts`` are short pairs (word, value) under the title; ``settings`` is the configuration as YAML, ``origin``
    pairs (word, value) that tell what made the results. ``beside``: whether tables and pictures lie beside the page;
    ``crate``: the file beside it that describes all of them as an RO-Crate, empty where there is none.
    """

    title: str
    measure: str
    facts: Sequence[tuple[str, str]]
    opening: Opening
    sections: Sequence[Section]
    settings: str
    origin: Sequence[tuple[str, str]]
    beside: bool = True
    crate: str = ""


def undecided(pairs: Sequence[tuple[str, str, bool]], where: str = "") -> str:
    """Return the sentence on how many differences between agents are decided.

    ``pairs``: two names, and whether the interval of their difference leaves 0 out; ``where``: at which episodes, grid
    or the like, with a blank before it.
    """
    if not pairs:
        return "There is one agent alone, so there is nothing to compare."
    open_ = [f"{a} and {b}" for a, b, decided in pairs if not decided]
    if not open_:
        return f"All {len(pairs)} differences between agents{where} are decided: their intervals leave 0 out."
    listed = ", ".join(open_[:8]) + (f" and {len(open_) - 8} more" if len(open_) > 8 else "")
    return (
        f"{len(pairs) - len(open_)} of {len(pairs)} differences between agents{where} are decided: their intervals "
        f"leave 0 out. Not decided: {listed}."
    )


def turnable(places: Table, sources: Sources) -> Turnable:
    """Return the space with the hulls of the suite and of the best agents.

    ``places`` of the domains with their intervals are those beside the figure ``space-solid``; of all tables,
    ``performance`` scales the points of agents and ``complexity`` has the lengths.
    """
    own = [row for row in places.dicts if row["agent"] is None]
    domains = [str(row["domain"]) for row in own]
    axes = [column for column in places.columns if column.startswith("dimension_") and column[10:].isdigit()]
    points = np.array([[float(row[name] or 0.0) for name in axes] for row in own])
    low, high = ([[short(row.get(f"{name}_{end}")) for row in own] for name in axes] for end in ("low", "high"))
    agents = _agents(domains, sources)
    names = ["suite", *list(agents)[:AGENTS]]
    scales = [np.ones(len(domains)), *(agents[name] for name in names[1:])]
    data = {
        "domains": domains,
        "points": [[short(x) for x in row] for row in points],
        "low": low,
        "high": high,
        "titles": _titles(sources, len(axes)),
        "lengths": _lengths(domains, sources),
        "hulls": [
            {"name": name, "scale": [short(x) for x in scale], "faces": _faces(points * scale[:, None]), "colour": ink}
            for name, scale, ink in zip(names, scales, map(style.colour, count()), strict=False)
        ],
        "colours": [style.colour(k) for k in range(len(domains))],
    }
    left = f" Hulls of the best {AGENTS} of {len(agents)} agents can be drawn." if len(agents) > AGENTS else ""
    beyond = f" In three dimensions the first three of {len(axes)} are shown." if len(axes) > 3 else ""
    solid = len(axes) > 2
    bars = any(end is not None for ends in low for end in ends)
    where = " of the view from the front" if solid else ""
    note = f"Dots are tests, the cross is the empty test (the origin){f', bars{where} are intervals' if bars else ''}. "
    if solid:
        note += "Turn the space with the mouse, or with the arrow keys once it has the focus; + and − zoom, 0 goes "
        note += "back. Choose two dimensions to see it from the front."
    else:
        note += "Hulls of the suite and of agents are switched on and off beside the chart."
    return Turnable(data, note + left + beyond)


def _faces(points: Floats) -> list[list[float | None]]:
    """Return the triangles of the hull of points and origin in the first three dimensions, nine numbers each."""
    if points.shape[1] < 3:
        return []
    triangles = faces(np.vstack([np.zeros(3), points[:, :3]]))
    return [] if triangles is None else [[short(x) for x in triangle.ravel()] for triangle in triangles]


def _agents(domains: list[str], sources: Sources) -> Mapping[str, Floats]:
    table = sources.tables.get("performance")
    if table is None:
        return {}
    sums: dict[str, dict[str, list[float]]] = {}
    for row in table.dicts:
        of_agent = sums.setdefault(str(row["agent"]), {})
        of_agent.setdefault(str(row["domain"]), []).append(float(row["performance"] or 0.0))
    means = {
        agent: np.array([np.mean(performances[domain]) for domain in domains])
        for agent, performances in sums.items()
        if all(domain in performances for domain in domains)
    }
    ranked = sources.tables.get("agents")
    order = [] if ranked is None else [str(name) for name in ranked.column("agent")]
    return {name: means[name] for name in sorted(means, key=lambda n: order.index(n) if n in order else len(order))}


def _lengths(domains: list[str], sources: Sources) -> list[str]:
    table = sources.tables.get("complexity")
    if table is None or "normalised" not in table.columns:
        return [""] * len(domains)
    lengths = {str(row["domain"]): words(*(row[name] for name in bounds("normalised"))) for row in table.dicts}
    return [lengths.get(name, "") for name in domains]


def _titles(sources: Sources, count: int) -> list[str]:
    shares: dict[int, float] = {}
    for row in sources.figures["contributions"].dicts if "contributions" in sources.figures else ():
        dimension = int(row["dimension"] or 0)
        shares[dimension] = shares.get(dimension, 0.0) + float(row["part_of_space"] or 0.0)
    return [f"dimension {k}" + (f" ({shares[k]:.0%})" if k in shares else "") for k in range(1, count + 1)]
