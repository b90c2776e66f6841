"""The page of a run of any measure, from the figures and tables that the run has published."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from PIL import Image

from aiq import pages, storage
from aiq.errors import StorageError, redo_command
from aiq.pages import Numbers, Opening, Page, PageFigure, Section, Sources, told_apart
from aiq.plans import growth
from aiq.plans.products import Figure, Products
from aiq.plans.run import AnyRun, measure_of
from aiq.plans.run import SuiteRun as Run
from aiq.records.dissimilarity_parts import relative_sentence
from aiq.records.table import Cell, Table
from aiq.report.summary import main_table, summarise
from aiq.run.costing import benchmarks
from aiq.run.upkeep.crate import NAME
from aiq.storage.files import replacing

_COLUMNS = ("rank", "agent", "value", "per_dimension", "mean", "probability_above_next")
_WORDS = {
    "value": "headline",
    "per_dimension": "AIQ per dimension",
    "mean": "mean performance",
    "probability_above_next": "probability above the next",
}


def opening(run: Run) -> tuple[Opening, list[tuple[str, str]]]:
    """Return the main table with its sentences, and facts.

    Raises:
        StorageError: a table is missing.
    """
    c = run.configuration
    space = storage.read_published(run.layout.table("space"))
    dimensions = sum(name.startswith("axis_") for name in space.columns)
    facts = [
        ("domains", str(len(c.domains))),
        ("dimensions", str(dimensions)),
        ("policies of the pool", str(c.pool.size)),
        ("repetitions of a mixture", str(c.dissimilarity.repetitions)),
    ]
    if not run.plan.scored:
        return _domains(run, space), facts
    table = storage.read_published(run.layout.table("agents"))
    scored = [row for row in table.rows if row[0] is not None]
    facts.insert(0, ("agents", str(len(scored))))
    words = [*_trust(run, table), *_kin(run), *_grown_in_rounds(run)]
    return Opening("Agents", _agents(Table.of(table.columns, scored)), words), facts


def _kin(run: Run) -> list[str]:
    """Return the sentence on the tests that are most alike, where twins tell it."""
    twins = run.configuration.dissimilarity.twins
    return [relative_sentence(storage.read_published(run.layout.table("relative")))] if twins else []


def _grown_in_rounds(run: Run) -> list[str]:
    """Return the sentence on precision as the goal: how many rounds there were, and why they stopped."""
    found = growth.read(run.layout.precision) if run.configuration.precision is not None else None
    if found is None or not found.stop:
        return []
    count = len(found.rounds) - 1
    said = f"Grown in {count} round{'' if count == 1 else 's'} ({found.spent:.3g} core-hours in all): {found.says}."
    return [said, "Rounds stop when intervals happen to be narrow, so these are on average somewhat too narrow."]


def _agents(table: Table) -> Table:
    names = [name for name in _COLUMNS if name in table.columns]
    wanted = [c for name in names for c in (name, f"{name}_low", f"{name}_high") if c in table.columns]
    called = [_named(name) for name in wanted]
    return Table.of(called, [[row[table.columns.index(name)] for name in wanted] for row in table.rows])


def _named(column: str) -> str:
    """Return the heading of a column, the ends of intervals as they belong to it."""
    for end in ("_low", "_high"):
        base = column.removesuffix(end)
        if base != column and base in _WORDS:
            return _WORDS[base] + end
    return _WORDS.get(column, column)


def _trust(run: Run, table: Table) -> list[str]:
    """Return the sentences: the order, what intervals are, warnings, who could not be scored."""
    scored = [dict(zip(table.columns, row, strict=True)) for row in table.rows if row[0] is not None]
    sure = [None if (p := row["probability_above_next"]) is None else float(p) for row in scored]
    confidence = run.configuration.quotient.confidence
    first = told_apart([str(row["agent"]) for row in scored], sure[:-1] if len(sure) > 1 else [])
    if len(scored) == 1:
        first = "There is one agent alone, so there is no order."
    said = [f"{first} Brackets are {confidence:.0%} intervals."]
    said += [f"Warning: {words.rstrip('.')}." for words in _distinct([row["warnings"] for row in scored])]
    said += [_sentence(words) for words in _distinct([row["note"] for row in scored])]
    said += [_sentence(f"{row[1]}: {row[table.columns.index('method')]}") for row in table.rows if row[0] is None]
    return said


def _distinct(cells: Sequence[Cell]) -> list[str]:
    """Return the sentences of some cells, each once."""
    return list(dict.fromkeys(part for cell in cells if cell for part in str(cell).split("; ")))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def _domains(run: Run, space: Table) -> Opening:
    said = [f"Warning: {words.rstrip('.')}." for words in _distinct(space.column("warnings"))]
    first = f"Nobody is scored. Brackets are {run.configuration.complexity.confidence:.0%} intervals."
    return Opening("Domains", main_table(run), [first, *said, *_kin(run)])


def write_page(run: AnyRun) -> None:
    """Write the page of a run.

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
        settings=yaml.safe_dump(run.configuration.model_dump(mode="json"), sort_keys=False, allow_unicode=True),
        origin=_origin(run),
        crate=NAME if (Path(run.layout.page).parent / NAME).exists() else "",
    )
    made = pages.render(page)
    with replacing(run.layout.page) as temporary:
        temporary.write_bytes(made)


def _opening(run: AnyRun) -> tuple[Opening, list[tuple[str, str]]]:
    its = measure_of(run.configuration.measure)
    seed = ("seed", str(run.configuration.seed))
    if its.opening:
        lead, facts = its.part("opening")(run)
        return lead, [*facts, seed]
    found = summarise(run)
    return Opening(
        found.title.capitalize(), found.table, ["What limits these numbers stands in the captions below."]
    ), [seed]


def _paged(run: AnyRun) -> list[tuple[Products, Figure, str]]:
    plan = run.plan
    return [(made, f, name) for made in plan.products() for f in made.figures if f.paged for name in f.names(plan)]


def _sources(run: AnyRun) -> Sources:
    """Read the tables of results, and those beside the figures."""
    plan, layout = run.plan, run.layout
    names = {name for _, figure, name in _paged(run)}
    tables = [name for made in plan.products() for name in made.table_names(plan)]
    return Sources(
        {name: storage.read_published(layout.figure(name, "csv")) for name in sorted(names)},
        {name: storage.read_published(layout.table(name)) for name in tables},
    )


def _sections(run: AnyRun, sources: Sources) -> list[Section]:
    """Return the figures by category: what a run comes to first, what it rests on after it."""
    found: dict[str, list[PageFigure]] = {}
    for _, figure, name in _paged(run):
        found.setdefault(figure.category, []).append(_shown(run, figure, name, sources))
    return [Section(_slug(category), re.sub(r"^\d+ ", "", category), found[category]) for category in reversed(found)]


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def _shown(run: AnyRun, figure: Figure, name: str, sources: Sources) -> PageFigure:
    path = Path(run.layout.figure(name, "png"))
    try:
        picture = path.read_bytes()
        with Image.open(path) as image:
            alt = str(image.info["Title"])
    except (OSError, KeyError) as error:
        raise StorageError(f"{path} is missing or no picture of aiq's; make it: {redo_command()}") from error
    space = None
    if figure.turned and sources.figures[name].why_lacking is None:
        space = pages.turnable(sources.figures[name], sources)
    caption = storage.read_words(run.layout.figure(name, "txt"))
    return PageFigure(
        name, figure.heading(name), caption, alt, Numbers(name, "figures", sources.figures[name]), picture, space
    )


def _tables(run: AnyRun, sources: Sources) -> Section:
    found = {**sources.tables, **_rounds(run)}
    return Section("tables", "Tables", tables=[Numbers(n, "tables", table) for n, table in found.items()])


def _rounds(run: AnyRun) -> dict[str, Table]:
    """Return the rounds of a suite that has precision as its goal, as far as they can be seen from here."""
    if getattr(run.configuration, "precision", None) is None:
        return {}
    rounds = growth.read(run.layout.precision)
    return {} if rounds is None else {"precision": rounds.table()}


def _origin(run: AnyRun) -> list[tuple[str, str]]:
    folder = Path(run.layout.provenance("x")).parent
    records: list[dict[str, Any]] = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))
    ]
    if not records:
        raise StorageError(f"{folder} tells of no table; make it: {redo_command()}")
    first = records[0]
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
