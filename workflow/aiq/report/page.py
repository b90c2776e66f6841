"""The page of a run of any measure, from the figures and tables that the run has published."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from PIL import Image

from aiq import pages, storage
from aiq.errors import StorageError, redo_command
from aiq.figures import style
from aiq.figures.space import faces
from aiq.pages import Numbers, Opening, Page, PageFigure, Section, Turnable, number_words
from aiq.plans.products import Figure
from aiq.plans.run import AnyRun, measure_of
from aiq.plans.run import SuiteRun as Run
from aiq.records.estimate import Floats
from aiq.records.matrix import relative_sentence
from aiq.records.table import Cell, Table, bounds, counted
from aiq.report.summary import main_table, rounds_of, summarise
from aiq.run.products import benchmarks
from aiq.run.upkeep.crate import NAME
from aiq.storage.files import replacing

_COLUMNS = {
    "rank": "rank",
    "agent": "agent",
    "value": "headline",
    "per_dimension": "AIQ per dimension",
    "mean": "mean performance",
    "probability_above_next": "probability above the next",
}
"""Columns of the table of agents that the page opens with, and their headings there."""
SURE = 0.95
"""Probability from which on neighbours in an order count as told apart."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Tables that the page is made from, by name: those beside figures, and those of results."""

    figures: Mapping[str, Table]
    tables: Mapping[str, Table]


def opening(run: Run) -> tuple[Opening, list[tuple[str, str]]]:
    """Return the main table with its sentences, and facts.

    Raises:
        StorageError: a table is missing.
    """
    c = run.configuration
    space = storage.read_published(run.layout.table("space"))
    facts = [
        ("domains", str(len(c.domains))),
        ("dimensions", str(sum(name.startswith("axis_") for name in space.columns))),
        ("policies of the pool", str(c.pool.size)),
        ("repetitions of a mixture", str(c.dissimilarity.repetitions)),
    ]
    if not run.plan.scored:
        return _domains(run, space), facts
    table = storage.read_published(run.layout.table("agents"))
    scored = [row for row in table.dicts if row["rank"] is not None]
    unscored = [row for row in table.dicts if row["rank"] is None]
    said = [*_trust(run, scored), *(_sentence(f"{row['agent']}: {row['method']}") for row in unscored)]
    headings = dict(zip(bounds(*_COLUMNS), bounds(*_COLUMNS.values()), strict=True))
    there = [name for name in headings if name in table.columns]
    lead = Table.of([headings[name] for name in there], [[row[name] for name in there] for row in scored])
    facts.insert(0, ("agents", str(len(scored))))
    return Opening("Agents", lead, [*said, *_kin(run), *_grown_in_rounds(run)]), facts


def _kin(run: Run) -> list[str]:
    twins = run.configuration.dissimilarity.twins
    return [relative_sentence(storage.read_published(run.layout.table("relative")))] if twins else []


def _grown_in_rounds(run: Run) -> list[str]:
    rounds = rounds_of(run)
    if rounds is None or not rounds.stop:
        return []
    grown = counted(len(rounds.rounds) - 1, "round")
    said = f"Grown in {grown} ({rounds.spent:.3g} core-hours in all): {rounds.says}."
    return [said, "Rounds stop when intervals happen to be narrow, so these are on average somewhat too narrow."]


def _trust(run: Run, scored: Sequence[Mapping[str, Cell]]) -> list[str]:
    first = "There is one agent alone, so there is no order."
    if len(scored) != 1:
        first = told_apart([str(row["agent"]) for row in scored], [row["probability_above_next"] for row in scored])
    return [
        f"{first} Brackets are {run.configuration.quotient.confidence:.0%} intervals.",
        *(f"Warning: {words.rstrip('.')}." for words in _distinct([row["warnings"] for row in scored])),
        *(_sentence(words) for words in _distinct([row["note"] for row in scored])),
    ]


def told_apart(names: Sequence[str], sure: Sequence[Any]) -> str:
    """Return the sentence on which neighbours in an order are told apart, by the probability of each to be above."""
    pairs = [(a, b, float(p)) for (a, b), p in zip(pairwise(names), sure, strict=False) if p is not None]
    if not pairs:
        return "How sure the order is has not been measured."
    unsure = [f"{a} and {b} ({p:.2f})" for a, b, p in pairs if p < SURE]
    if not unsure:
        return f"Every agent is above the next one, as a pair, with a probability of at least {SURE:.0%}."
    return (
        f"{len(pairs) - len(unsure)} of {len(pairs)} neighbours in this order are told apart with a probability of at "
        f"least {SURE:.0%}; not told apart: {', '.join(unsure)}."
    )


def _distinct(cells: Sequence[Cell]) -> list[str]:
    return list(dict.fromkeys(part for cell in cells if cell for part in str(cell).split("; ")))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def _domains(run: Run, space: Table) -> Opening:
    said = [f"Warning: {words.rstrip('.')}." for words in _distinct(space.column("warnings"))]
    first = f"Nobody is scored. Brackets are {run.configuration.complexity.confidence:.0%} intervals."
    return Opening("Domains", main_table(run), [first, *said, *_kin(run)])


def write_page(run: AnyRun) -> None:
    """Write the page of a run; refused where a figure or table is missing, or the page would be too large.

    Raises:
        StorageError: a figure or table of the run is missing.
        InputError: the page would be too large.
    """
    sources = _sources(run)
    lead, facts = _opening(run)
    page = Page(
        title=run.configuration.name,
        measure=measure_of(run.configuration.measure).title or run.configuration.measure,
        facts=facts,
        opening=lead,
        sections=[*_sections(run, sources), _tables(run, sources)],
        settings=yaml.safe_dump(
            run.configuration.model_dump(mode="json", exclude_computed_fields=True), sort_keys=False, allow_unicode=True
        ),
        origin=_origin(run),
        crate=NAME if (Path(run.layout.page).parent / NAME).exists() else "",
    )
    html = pages.render(page)
    with replacing(run.layout.page) as temporary:
        temporary.write_bytes(html)


def _opening(run: AnyRun) -> tuple[Opening, list[tuple[str, str]]]:
    its = measure_of(run.configuration.measure)
    seed = ("seed", str(run.configuration.seed))
    if its.opening:
        lead, facts = its.part("opening")(run)
        return lead, [*facts, seed]
    summary = summarise(run)
    said = ["What limits these numbers stands in the captions below."]
    return Opening(summary.title.capitalize(), summary.table, said), [seed]


def _paged(run: AnyRun) -> list[tuple[Figure, str]]:
    figures = [figure for products in run.plan.products() for figure in products.figures if figure.paged]
    return [(figure, name) for figure in figures for name in figure.names(run.plan)]


def _sources(run: AnyRun) -> Sources:
    plan, layout = run.plan, run.layout
    tables = [name for products in plan.products() for name in products.table_names(plan)]
    figures = sorted({name for _, name in _paged(run)})
    return Sources(
        {name: storage.read_published(layout.figure(name, "csv")) for name in figures},
        {name: storage.read_published(layout.table(name)) for name in tables},
    )


def _sections(run: AnyRun, sources: Sources) -> list[Section]:
    """Return the figures by category: what a run comes to first, what it rests on after it."""
    by_category: dict[str, list[PageFigure]] = {}
    for figure, name in _paged(run):
        by_category.setdefault(figure.category, []).append(_page_figure(run, figure, name, sources))
    slugs = {category: re.sub(r"[^a-z0-9]+", "-", category.lower()).strip("-") for category in reversed(by_category)}
    return [Section(slug, re.sub(r"^\d+ ", "", category), by_category[category]) for category, slug in slugs.items()]


def _page_figure(run: AnyRun, figure: Figure, name: str, sources: Sources) -> PageFigure:
    path = Path(run.layout.figure(name, "png"))
    try:
        picture = path.read_bytes()
        with Image.open(path) as image:
            alt = str(image.info["Title"])
    except (OSError, KeyError) as error:
        raise StorageError(f"{path} is missing or no picture of aiq's; make it: {redo_command()}") from error
    space = None
    if figure.turned and sources.figures[name].why_lacking is None:
        space = turnable(sources.figures[name], sources)
    caption = storage.read_words(run.layout.figure(name, "txt"))
    numbers = Numbers(name, "figures", sources.figures[name])
    return PageFigure(name, figure.heading(name), caption, alt, numbers, picture, space)


def _tables(run: AnyRun, sources: Sources) -> Section:
    rounds = rounds_of(run)
    tables = {**sources.tables, **({} if rounds is None else {"precision": rounds.table()})}
    return Section("tables", "Tables", tables=[Numbers(n, "tables", table) for n, table in tables.items()])


def _origin(run: AnyRun) -> list[tuple[str, str]]:
    folder = Path(run.layout.provenance("x")).parent
    path = min(folder.glob("*.json"), default=None)
    if path is None:
        raise StorageError(f"{folder} tells of no table; make it: {redo_command()}")
    first = json.loads(path.read_text(encoding="utf-8"))
    software = {k: v for k, v in first["software"].items() if k not in ("seconds", "stages", "host")}
    return [
        *software.items(),
        ("fingerprint of the configuration", first["configuration_hash"]),
        ("versions of the stages", ", ".join(f"{name} {version}" for name, version in first["stages"].items())),
        ("cost", _cost(run)),
    ]


def _cost(run: AnyRun) -> str:
    if run.layout.moved:
        return "not known to the job that wrote this page; bring the results here from their storage, then: aiq summary"
    spent = benchmarks(run.layout, getattr(run.configuration, "threads", 1))
    hours, jobs = (sum(row[place] for row in spent) for place in (3, 1))
    return f"{hours:.2f} core-hours held (wall time times cores) in {jobs} jobs"


# ---- The space that can be turned ----------------------------------------------------------------


AGENTS = 30  # whose hulls can be drawn


def _short(value: Cell) -> float | None:
    """Return a number with six significant digits, which a picture can show; None where there is none."""
    return None if value is None or isinstance(value, str) or not math.isfinite(value) else float(f"{float(value):.6g}")


def turnable(places: Table, sources: Sources) -> Turnable:
    """Return the space with the hulls of the suite and of the best agents.

    ``places`` of the domains with their intervals are those beside the figure ``space-solid``; of all tables,
    ``performance`` scales the points of agents and ``complexity`` has the lengths.
    """
    own = [row for row in places.dicts if row["agent"] is None]
    domains = [str(row["domain"]) for row in own]
    axes = [column for column in places.columns if column.startswith("dimension_") and column[10:].isdigit()]
    points = np.array([[float(row[name] or 0.0) for name in axes] for row in own])
    low, high = ([[_short(row.get(f"{name}_{end}")) for row in own] for name in axes] for end in ("low", "high"))
    agents = _agents(domains, sources)
    names = ["suite", *list(agents)[:AGENTS]]
    scales = [np.ones(len(domains)), *(agents[name] for name in names[1:])]
    data = {
        "domains": domains,
        "points": [[_short(x) for x in row] for row in points],
        "low": low,
        "high": high,
        "titles": _titles(sources, len(axes)),
        "lengths": _lengths(domains, sources),
        "hulls": [
            {"name": name, "scale": [_short(x) for x in scale], "faces": _faces(points * scale[:, None]), "colour": ink}
            for name, scale, ink in zip(names, scales, map(style.colour, count()), strict=False)
        ],
        "colours": [style.colour(k) for k in range(len(domains))],
    }
    left = f" Hulls of the best {AGENTS} of {len(agents)} agents can be drawn." if len(agents) > AGENTS else ""
    beyond = f" In three dimensions the first three of {len(axes)} are shown." if len(axes) > 3 else ""
    where, how = "", "Hulls of the suite and of agents are switched on and off beside the chart."
    if len(axes) > 2:
        where = " of the view from the front"
        how = "Turn the space with the mouse, or with the arrow keys once it has the focus; + and − zoom, 0 goes back. "
        how += "Choose two dimensions to see it from the front."
    bars = f", bars{where} are intervals" if any(end is not None for ends in low for end in ends) else ""
    note = f"Dots are tests, the cross is the empty test (the origin){bars}. {how}{left}{beyond}"
    return Turnable(data, note)


def _faces(points: Floats) -> list[list[float | None]]:
    """Return the triangles of the hull of points and origin in the first three dimensions, nine numbers each."""
    if points.shape[1] < 3:
        return []
    triangles = faces(np.vstack([np.zeros(3), points[:, :3]]))
    return [] if triangles is None else [[_short(x) for x in triangle.ravel()] for triangle in triangles]


def _agents(domains: list[str], sources: Sources) -> Mapping[str, Floats]:
    """Return the mean performances of the agents that have one on every domain, by rank."""
    if "performance" not in sources.tables:
        return {}
    of_agents: dict[str, dict[str, list[float]]] = {}
    for row in sources.tables["performance"].dicts:
        of_agent = of_agents.setdefault(str(row["agent"]), {})
        of_agent.setdefault(str(row["domain"]), []).append(float(row["performance"] or 0.0))
    order = list(map(str, sources.tables["agents"].column("agent"))) if "agents" in sources.tables else []
    return {
        agent: np.array([np.mean(of_agents[agent][domain]) for domain in domains])
        for agent in sorted(of_agents, key=lambda name: order.index(name) if name in order else len(order))
        if of_agents[agent].keys() >= set(domains)
    }


def _lengths(domains: list[str], sources: Sources) -> list[str]:
    table = sources.tables.get("complexity")
    if table is None or "normalised" not in table.columns:
        return [""] * len(domains)
    lengths = {str(row["domain"]): number_words(*(row[name] for name in bounds("normalised"))) for row in table.dicts}
    return [lengths.get(name, "") for name in domains]


def _titles(sources: Sources, count: int) -> list[str]:
    shares: dict[int, float] = {}
    for row in sources.figures["contributions"].dicts if "contributions" in sources.figures else ():
        dimension = int(row["dimension"] or 0)
        shares[dimension] = shares.get(dimension, 0.0) + float(row["part_of_space"] or 0.0)
    return [f"dimension {k}" + (f" ({shares[k]:.0%})" if k in shares else "") for k in range(1, count + 1)]
