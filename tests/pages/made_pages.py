"""Pages of made suites: tables as a run publishes them, charts as the plan declares them."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import numpy as np
from PIL import Image

from aiq import pages
from aiq.pages import Lead, Numbers, Page, Section, Shown, Sources
from aiq.plans.registry import PIPELINES
from aiq.records.table import Table
from aiq.seeding import generator

POINTS = 11
WORDS = ("digits", "wine", "breast-cancer", "cartpole-images", "gravity", "mnist", "svhn", "cifar100")


def names(count: int) -> list[str]:
    """Names of domains, as long as people give them."""
    return [WORDS[k % 8] + (f"-{k // 8}" if k >= 8 else "") for k in range(count)]


def _around(values: np.ndarray, half: float) -> list[tuple[float, float, float]]:
    return [(float(v), float(v - half), float(v + half)) for v in values]


@cache
def sources(domains: int, dimensions: int, agents: int, trials: int = 64) -> Sources:
    """All tables of a suite."""
    rng, called = generator(5, "page"), names(domains)
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
        "spectrum": _spectrum(domains, dimensions),
        "agents": _agents(agents),
        "complexity-panel": _curves(called, trials),
        **_pairs(called, points),
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
        "dissimilarity": figures.pop("table of pairs"),
    }
    return Sources(figures, tables, {"policy size": "policy size (log₂ parameters)"})


def _spectrum(domains: int, dimensions: int) -> Table:
    values = [4.0 * 0.45**k for k in range(domains - 1)] + [-0.01]
    rows = [
        (k + 1, v, v * 0.8 if v > 0.05 else -0.01, abs(v) * 1.2, None if k == 0 else 0.05, k < dimensions)
        for k, v in enumerate(values)
    ]
    return Table.of(("dimension", "eigenvalue", "low", "high", "threshold", "kept"), rows)


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


def _curves(called: list[str], trials: int) -> Table:
    rng, rows = generator(6, "page"), []
    for n in called:
        for b in range(30):
            cells = ((b + 0.5) / 30, b / 30, (b + 1) / 30, 6 + 6 * b / 30, "observed", 5 + 5 * b / 30, 0.0)
            rows.append((n, "bin", *cells, 8.9, 8.5, 9.3, 0.1))
        for _ in range(trials):
            cells = (float(rng.uniform()), None, None, float(rng.uniform(4, 12)), None, None, None)
            rows.append((n, "trial", *cells, 8.9, 8.5, 9.3, 0.1))
    columns = ("domain", "kind", "performance", "performance_low", "performance_high", "size", "filling", "smallest")
    return Table.of((*columns, "missed", "mccp", "mccp_low", "mccp_high", "extrapolated_share"), rows)


def _pairs(called: list[str], points: np.ndarray) -> dict[str, Table]:
    """The matrix, the mixture curves of all pairs, and the table of pairs."""
    rng, p = generator(7, "page"), np.linspace(0, 1, POINTS)
    cells, curves, table = [], [], []
    for i, a in enumerate(called):
        for j, b in enumerate(called):
            distance = float(0.03 * np.linalg.norm(points[i] - points[j]) + 0.001 * rng.uniform())
            cells.append((a, b, distance, 0.9 * distance, 1.1 * distance, True, distance > 0.0015))
            if j < i:
                continue
            line = 0.7 + 0.2 * p
            seen = line - 6 * distance * p * (1 - p)
            for k in range(POINTS):
                ends = (float(line[k]), distance, 0.9 * distance, 1.1 * distance, "plain")
                near = (float(seen[k]), float(seen[k] - 0.01), float(seen[k] + 0.01))
                more = (float(line[k] - 0.004), float(seen[k] + 0.003), distance, 0.9 * distance, 1.1 * distance)
                curves.append((a, b, float(p[k]), *near, *ends, *more))
            noise = float(rng.normal() * 0.004)
            table.append((a, b, distance, 0.9 * distance, 1.1 * distance, noise, noise - 0.005, noise + 0.005, 5, 0))
    columns = ("a", "b", "p", "observed", "observed_low", "observed_high", "line", "dissimilarity", "dissimilarity_low")
    columns += ("dissimilarity_high", "chosen", "control", "told", "signed", "signed_low", "signed_high")
    of_cells = ("a", "b", "dissimilarity", "low", "high", "measured", "told_apart")
    of_pairs = ("a", "b", "dissimilarity", "dissimilarity_low", "dissimilarity_high", "transfer", "transfer_low")
    return {
        "dissimilarity-matrix": Table.of(of_cells, cells),
        "mixture-overview": Table.of(columns, curves),
        "table of pairs": Table.of((*of_pairs, "transfer_high", "repetitions", "failed"), table),
    }


def charted(found: Sources, **settings: Any) -> dict[str, Any]:
    """The charts of all figures that the tables hold, as the plan of suites declares them."""
    declared = {f.name: f.chart for made in PIPELINES["aiq"].declared for f in made.figures if f.chart and f.paged}
    asked, most = settings.get("asked", ()), settings.get("most", 300)
    kept = [name for name in declared if name in found.figures]
    return {name: pages.chart(declared[name], name, found, asked, most) for name in kept}


def picture() -> bytes:
    """A picture as figures make them."""
    stream = io.BytesIO()
    grey = np.tile(np.linspace(0, 255, 700).astype(np.uint8), (500, 1))
    Image.fromarray(grey).save(stream, "PNG")
    return stream.getvalue()


def page(domains: int, dimensions: int, agents: int, trials: int = 64) -> bytes:
    """A whole page."""
    found = sources(domains, dimensions, agents, trials)
    shown = [
        Shown(
            n,
            n.replace("-", " "),
            f"About {n}.",
            f"Picture of {n}.",
            Numbers(n, "figures", found.figures[n]),
            picture(),
            c,
        )
        for n, c in charted(found).items()
    ]
    still = found.figures["spectrum"]
    shown.append(Shown("still", "A still figure", "No chart.", "Still.", Numbers("still", "figures", still), picture()))
    tables = [Numbers(n, "tables", t) for n, t in found.tables.items()]
    columns = ("rank", "agent", "per_dimension", "per_dimension_low", "per_dimension_high")
    kept = [[row[found.tables["agents"].columns.index(c)] for c in columns] for row in found.tables["agents"].rows]
    return pages.render(
        Page(
            title="a made suite", measure="Artificial Intelligence Quotient", facts=[("domains", str(domains))],
            lead=Lead("Agents", Table.of(columns, kept), ["Neighbours are told apart."]),
            sections=[Section("figures", "Figures", shown), Section("tables", "Tables", tables=tables)],
            settings="name: made <suite>\n", origin=[("aiq", "0")],
        )
    )  # fmt: skip
