"""The page of a run of any measure, from the figures and tables that the run has published."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml
from PIL import Image

from aiq import pages, storage
from aiq.errors import StorageError
from aiq.pages import Lead, Numbers, Page, Section, Shown, Sources
from aiq.plans import growth
from aiq.plans.products import Figure, Products
from aiq.plans.registry import measure_of
from aiq.plans.run import AnyRun
from aiq.records.table import Table
from aiq.storage.files import replacing
from aiq.tasks.shell.benchmarks import benchmarks
from aiq.tasks.summary import summarise
from aiq.tasks.upkeep.crate import NAME


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
        lead=lead,
        sections=[*_sections(run, sources), _tables(run, sources)],
        settings=yaml.safe_dump(run.configuration.model_dump(mode="json"), sort_keys=False, allow_unicode=True),
        origin=_origin(run),
        crate=NAME if (Path(run.layout.page).parent / NAME).exists() else "",
    )
    made = pages.render(page)
    with replacing(run.layout.page) as temporary:
        temporary.write_bytes(made)


def _opening(run: AnyRun) -> tuple[Lead, list[tuple[str, str]]]:
    """Return what the page opens with: main table, how far to trust it, facts."""
    its = measure_of(run.configuration.measure)
    seed = ("seed", str(run.configuration.seed))
    if its.opening:
        lead, facts = its.part("opening")(run)
        return lead, [*facts, seed]
    found = summarise(run)
    return Lead(found.title.capitalize(), found.table, ["What limits these numbers stands in the captions below."]), [
        seed
    ]


def _paged(run: AnyRun) -> list[tuple[Products, Figure, str]]:
    """Return every figure of the page with its job and its name."""
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
    found: dict[str, list[Shown]] = {}
    for _, figure, name in _paged(run):
        found.setdefault(figure.category, []).append(_shown(run, figure, name, sources))
    return [Section(_slug(category), re.sub(r"^\d+ ", "", category), found[category]) for category in reversed(found)]


def _slug(words: str) -> str:
    """Return words as they may stand in an address."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def _shown(run: AnyRun, figure: Figure, name: str, sources: Sources) -> Shown:
    """Return one figure with its picture and words."""
    path = Path(run.layout.figure(name, "png"))
    try:
        picture = path.read_bytes()
        alt = str(Image.open(path).info["Title"])
    except (OSError, KeyError) as error:
        raise StorageError(f"{path} is missing or no picture of aiq's; finish the run first") from error
    space = None
    if figure.turned and sources.figures[name].why_lacking is None:
        space = pages.turnable(sources.figures[name], sources)
    caption = storage.read_words(run.layout.figure(name, "txt"))
    return Shown(
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
    """Return what made the results, from what lies beside the tables, and what they cost."""
    folder = Path(run.layout.provenance("x")).parent
    records: list[dict[str, Any]] = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))
    ]
    if not records:
        raise StorageError(f"{folder} tells of no table; finish the run first")
    first = records[0]
    software = {k: v for k, v in first["software"].items() if k not in ("seconds", "stages", "host")}
    return [
        *software.items(),
        ("fingerprint of the configuration", first["configuration_hash"]),
        ("versions of the stages", ", ".join(f"{name} {version}" for name, version in first["stages"].items())),
        ("cost", _cost(run)),
    ]


def _cost(run: AnyRun) -> str:
    """Return what the run cost, or why that is not known here: a storage brings no job the times of the others."""
    if run.layout.moved:
        return "not known to the job that wrote this page; bring the results here from their storage, then: aiq summary"
    spent = benchmarks(run.layout, getattr(run.configuration, "threads", 1))
    hours, jobs = (sum(row[place] for row in spent) for place in (3, 1))
    return f"{hours:.2f} core-hours held (wall time times cores) in {jobs} jobs"
