"""The page of a made-up suite: tables as a run publishes them."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
from PIL import Image

from aiq import pages
from aiq.pages import Numbers, Opening, Page, PageFigure, Section
from aiq.records.table import Table
from aiq.report.page import Sources, turnable
from aiq.seeding import generator

WORDS = ("digits", "wine", "breast-cancer", "cartpole-images", "gravity", "mnist", "svhn", "cifar100")


def _around(values: np.ndarray, half: float) -> list[tuple[float, float, float]]:
    return [(float(v), float(v - half), float(v + half)) for v in values]


@cache
def sources(domains: int, dimensions: int, agents: int) -> Sources:
    """All tables of a suite."""
    rng = generator(5, "page")
    called = [WORDS[k % 8] + (f"-{k // 8}" if k >= 8 else "") for k in range(domains)]
    points = np.abs(rng.normal(size=(domains, dimensions))) * np.linspace(1, 0.2, dimensions)
    points /= np.linalg.norm(points, axis=1).max()
    axes = [f"dimension_{k + 1}{end}" for k in range(dimensions) for end in ("", "_low", "_high")]
    places = [(None, n, 0.02, *(x for c in _around(p, 0.03) for x in c)) for n, p in zip(called, points, strict=True)]
    squares = points**2 / (points**2).sum()
    reached = np.clip(rng.uniform(0.4, 1, (agents, domains)), 0, 1)
    figures = {
        "space-solid": Table.of(("agent", "domain", "bootstrap_displacement", *axes), places),
        "contributions": Table.of(
            ("domain", "dimension", "coordinate", "part_of_space", "share_of_dimension"),
            [
                (n, k + 1, float(points[i, k]), float(squares[i, k]), 0.1)
                for k in range(dimensions)
                for i, n in enumerate(called)
            ],
        ),
        "agents": _agents(agents),
    }
    performance = [
        (f"agent-{a}", n, float(np.clip(reached[a, i] + 0.01 * r, 0, 1)), r)
        for a in range(agents)
        for i, n in enumerate(called)
        for r in range(2)
    ]
    tables = {
        "agents": _agents(agents),
        "performance": Table.of(("agent", "domain", "performance", "repetition"), performance),
        "complexity": Table.of(
            ("domain", "normalised", "normalised_low", "normalised_high"),
            [(n, *_around(np.array([np.linalg.norm(p)]), 0.02)[0]) for n, p in zip(called, points, strict=True)],
        ),
        "dissimilarity": _pairs(called, points),
    }
    return Sources(figures, tables)


def _agents(count: int) -> Table:
    numbers = ("per_dimension", "relative", "geometric_mean", "mean")
    columns = [c for n in numbers for c in (n, f"{n}_low", f"{n}_high")]
    rows = []
    for k in range(count):
        values = [cell for n in range(4) for cell in _around(np.array([0.9 - 0.5 * k / count - 0.03 * n]), 0.02)[0]]
        rows.append(
            (k + 1, f"agent-{k}", *values, 0.97 if k < count - 1 else None, "the number of dimensions is unsure")
        )
    return Table.of(("rank", "agent", *columns, "probability_above_next", "warnings"), rows)


def _pairs(called: list[str], points: np.ndarray) -> Table:
    """The table of pairs."""
    rng, rows = generator(7, "page"), []
    for i, a in enumerate(called):
        for j in range(i, len(called)):
            distance = float(0.03 * np.linalg.norm(points[i] - points[j]) + 0.001 * rng.uniform())
            rows.append((a, called[j], distance, 0.9 * distance, 1.1 * distance, 5, 0))
    columns = ("a", "b", "dissimilarity", "dissimilarity_low", "dissimilarity_high", "repetitions", "failed")
    return Table.of(columns, rows)


def picture() -> bytes:
    """A picture as figures make them."""
    stream = io.BytesIO()
    grey = np.tile(np.linspace(0, 255, 700).astype(np.uint8), (500, 1))
    Image.fromarray(grey).save(stream, "PNG")
    return stream.getvalue()


def page(domains: int, dimensions: int, agents: int) -> bytes:
    """A whole page."""
    tables = sources(domains, dimensions, agents)
    turned = {"space-solid": turnable(tables.figures["space-solid"], tables)}
    figures = [
        PageFigure(
            n, n.replace("-", " "), f"About {n}.", f"Picture of {n}.", Numbers(n, "figures", table), picture(),
            turned.get(n),
        )
        for n, table in tables.figures.items()
    ]  # fmt: skip
    numbers = [Numbers(n, "tables", t) for n, t in tables.tables.items()]
    columns = ("rank", "agent", "per_dimension", "per_dimension_low", "per_dimension_high")
    kept = [[row[column] for column in columns] for row in tables.tables["agents"].dicts]
    return pages.render(
        Page(
            title="a made suite", measure="Artificial Intelligence Quotient", facts=[("domains", str(domains))],
            opening=Opening("Agents", Table.of(columns, kept), ["Neighbours are told apart."]),
            sections=[Section("figures", "Figures", figures), Section("tables", "Tables", tables=numbers)],
            settings="name: made <suite>\n", origin=[("aiq", "0")],
        )
    )  # fmt: skip
