"""The intelligence space on the page: places, their intervals, hulls of suite and agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aiq.figures import style
from aiq.figures.solid import faces
from aiq.pages.parts import Sources, Turnable, optional, short, words
from aiq.records.arrays import Floats
from aiq.records.table import Table

AGENTS = 30


def turnable(places: Table, sources: Sources) -> Turnable:
    """Return the space with the hulls of the suite and of the best agents.

    Args:
        places: places of the domains with their intervals, as beside the figure ``space-solid``.
        sources: all tables; ``performance`` scales the points of agents, ``complexity`` has the lengths.
    """
    own = [row for row in places.rows if row[0] is None]
    table = Table.of(places.columns, own)
    domains = [str(name) for name in table.column("domain")]
    axes = [column for column in places.columns if column.startswith("dimension_") and column[10:].isdigit()]
    points = np.array([[float(x or 0.0) for x in table.column(name)] for name in axes]).T
    low, high = ([[short(x) for x in optional(table, f"{name}_{end}")] for name in axes] for end in ("low", "high"))
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
            for name, scale, ink in zip(names, scales, _inks(len(names)), strict=True)
        ],
        "colours": [style.colour(k) for k in range(len(domains))],
    }
    left = f" Hulls of the best {AGENTS} of {len(agents)} agents can be drawn." if len(agents) > AGENTS else ""
    beyond = f" In three dimensions the first three of {len(axes)} are shown." if len(axes) > 3 else ""
    note = (
        "Turn the space with the mouse, or with the arrow keys once it has the focus; + and − zoom, 0 goes back. "
        "Choose two dimensions to see it from the front." if len(axes) > 2 else
        "Hulls of the suite and of agents are switched on and off beside the chart."
    )  # fmt: skip
    return Turnable(data, note + left + beyond)


def _faces(points: Floats) -> list[list[float | None]]:
    """Return the triangles of the hull of points and origin in the first three dimensions, nine numbers each."""
    if points.shape[1] < 3:
        return []
    found = faces(np.vstack([np.zeros(3), points[:, :3]]))
    return [] if found is None else [[short(x) for x in triangle.ravel()] for triangle in found]


def _inks(count: int) -> list[str]:
    return [style.BLUE, *(style.colour(k) for k in range(1, count))]


def _agents(domains: list[str], sources: Sources) -> Mapping[str, Floats]:
    """Return the mean performances of each agent (domains,), best agents first; none where nobody was scored."""
    table = sources.tables.get("performance")
    if table is None:
        return {}
    sums: dict[str, dict[str, list[float]]] = {}
    columns = (table.column(name) for name in ("agent", "domain", "performance"))
    for agent, domain, value in zip(*columns, strict=True):
        sums.setdefault(str(agent), {}).setdefault(str(domain), []).append(float(value or 0.0))
    means = {
        agent: np.array([np.mean(found[domain]) for domain in domains])
        for agent, found in sums.items()
        if all(domain in found for domain in domains)
    }
    ranked = sources.tables.get("agents")
    order = [] if ranked is None else [str(name) for name in ranked.column("agent")]
    return {name: means[name] for name in sorted(means, key=lambda n: order.index(n) if n in order else len(order))}


def _lengths(domains: list[str], sources: Sources) -> list[str]:
    table = sources.tables.get("complexity")
    if table is None or "normalised" not in table.columns:
        return [""] * len(domains)
    columns = (table.column(name) for name in ("domain", "normalised", "normalised_low", "normalised_high"))
    found: dict[str, Any] = {str(n): words(*v) for n, *v in zip(*columns, strict=True)}
    return [found.get(name, "") for name in domains]


def _titles(sources: Sources, count: int) -> list[str]:
    table = sources.figures.get("contributions")
    shares: dict[int, float] = {}
    if table is not None:
        for dimension, part in zip(table.column("dimension"), table.column("part_of_space"), strict=True):
            shares[int(dimension or 0)] = shares.get(int(dimension or 0), 0.0) + float(part or 0.0)
    return [f"dimension {k}" + (f" ({shares[k]:.0%})" if k in shares else "") for k in range(1, count + 1)]
