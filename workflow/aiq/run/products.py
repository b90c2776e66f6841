"""Figures and tables of a run of any measure, made as its plan declares them; what a finished run tells of itself.

Measures of named units need besides these only functions of their own: ``run``, ``reduce`` and ``figures``.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from aiq import figures, storage
from aiq.config.base import fingerprint
from aiq.errors import AiqError, StorageError
from aiq.figures import Drawing
from aiq.figures.drawing import SUFFIXES, lacking
from aiq.plans.base import Job
from aiq.plans.layout import Files
from aiq.plans.products import Products
from aiq.plans.run import AnyRun, measure_of
from aiq.plans.units import Unit
from aiq.records.table import Table
from aiq.run.costing import THREADED, Sample
from aiq.run.job import LOGGER, read_units, settled
from aiq.storage import hdf5
from aiq.storage.files import replacing, write_beside
from aiq.storage.records import pack_value

Draw = Callable[[], Drawing]

STAGES = (
    "domains",
    "programs",
    "trials",
    "tests",
    "episodes",
    "agents",
    "mixtures",
    "alone",
    "baseline",
    "plays",
    "outside",
    "complexity",
    "entropy",
)
"""Stages in the order in which they are told; what is new to this list comes after them."""


@dataclass(frozen=True)
class Made:
    """What a job can draw and tabulate, by name; nothing is drawn or tabulated before it is asked for."""

    figures: Mapping[str, Draw] = field(default_factory=dict)
    tables: Mapping[str, Callable[[], Table]] = field(default_factory=dict)


def save(layout: Files, drawings: Mapping[str, Draw]) -> None:
    """Draw and write each figure; a figure is drawn only when its turn has come, so memory stays small."""
    for name, draw in drawings.items():
        drawing = draw()
        for suffix in SUFFIXES:
            with replacing(layout.figure(name, suffix)) as temporary:
                temporary.write_bytes(figures.render(drawing, suffix))
        storage.write_table(layout.figure(name, "csv"), drawing.table)
        with replacing(layout.figure(name, "txt")) as temporary:
            temporary.write_text(drawing.caption + "\n", encoding="utf-8")


def publish(run: AnyRun, tables: Mapping[str, Table]) -> None:
    """Write tables, and beside each (``tables/provenance``) the configuration, code and host that made it."""
    versions = run.plan.versions()
    made_by = fingerprint("configuration", settled(run.configuration))
    settings = run.configuration.model_dump(mode="json")
    for name, table in tables.items():
        storage.write_table(run.layout.table(name), table)
        beside, of = run.layout.provenance(name), run.layout.table(name)
        write_beside(beside, of, made_by, run.configuration.seed, versions, settings)


FATAL = (StorageError, OSError, MemoryError)
"""What no analysis is spared: files that are missing, a full disk, too little memory."""


def make_products(run: AnyRun, name: str) -> None:
    """Draw the figures and write the tables that one job makes: those that the plan has, and no others.

    Where an analysis fails that the run can do without, its log holds the whole of it, and a sentence stands in the
    place of its figures and tables, so that the page is written all the same.
    """
    (declared,) = (made for made in run.plan.products() if made.name == name)
    try:
        made = makers(run, declared)
        save(run.layout, {figure: made.figures[figure] for figure in declared.figure_names(run.plan)})
        publish(run, {table: made.tables[table]() for table in declared.table_names(run.plan)})
    except FATAL:
        raise
    except Exception as error:
        if not declared.beside:
            raise
        _say_why(run, declared, error)


def makers(run: AnyRun, declared: Products) -> Made:
    """Return what a job of products can draw and tabulate, and perhaps more."""
    made: Made = measure_of(run.configuration.measure).part("show")(run, declared)
    return made


def _say_why(run: AnyRun, declared: Products, error: Exception) -> None:
    log = run.layout.log(declared.name)
    said = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    why = said if isinstance(error, AiqError) else f"the job {declared.name} failed ({said}); see {log}"
    LOGGER.exception("%s is not computed", declared.name)
    save(run.layout, {figure: lambda: lacking(why) for figure in declared.figure_names(run.plan)})
    publish(run, {table: Table.lacking(why) for table in declared.table_names(run.plan)})


def not_computed(run: AnyRun) -> dict[str, tuple[str, str]]:
    """Return job -> why and first file of the analyses that failed in a run, as their tables say it."""
    reasons = {}
    for made in run.plan.products():
        files = [run.layout.table(name) for name in made.table_names(run.plan)]
        if made.beside and files and Path(files[0]).exists():
            why = storage.read_published(files[0]).why_lacking
            if why is not None:
                reasons[made.name] = (why, files[0])
    return reasons


def read_settings(folder: str | Path) -> Mapping[str, Any]:
    """Return the configuration that made a folder's tables, every default written out; empty where it was not kept.

    Raises:
        StorageError: what is beside a table is no JSON object.
    """
    beside = sorted(Path(folder).glob("tables/provenance/*.json"), key=lambda path: path.stat().st_mtime)
    if not beside:
        return {}
    try:
        record = json.loads(beside[-1].read_text(encoding="utf-8"))
        return dict(record.get("settings", {}))
    except (ValueError, AttributeError, TypeError) as error:
        raise StorageError(f"{beside[-1]} is damaged ({error}); remove it and run the configuration again") from error


def benchmarks(layout: Files, threads: int = 1, since: float = 0.0) -> list[tuple[str, int, float, float]]:
    """Return stage, jobs, wall seconds and core-hours of every stage that a run, of any measure, has gone through.

    ``threads``: cores that a training job holds; ``since``: only jobs that ended after this moment, by the file system.
    """
    root = Path(layout.benchmark("x")).parent
    folders = {path.name for path in root.iterdir() if path.is_dir()} if root.is_dir() else set()
    rows = []
    for stage in (*(name for name in STAGES if name in folders), *sorted(folders - set(STAGES)), "reduction"):
        files = sorted((root / stage).rglob("*.tsv")) if stage != "reduction" else sorted(root.glob("*.tsv"))
        wall = [job_seconds(path) for path in files if path.stat().st_mtime > since]
        if wall:
            cores = threads if stage in THREADED else 1
            rows.append((stage, len(wall), sum(wall), sum(wall) * cores / 3600))
    return rows


def job_seconds(path: str | Path) -> float:
    """Return the wall seconds of one benchmark file (the last run, if a job was run again); 0 where there is none."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
    except FileNotFoundError:
        return 0.0
    return float(rows[-1]["s"]) if rows else 0.0


# ---- measures of named units ---------------------------------------------------------------------


def run_unit(run: AnyRun, unit: Unit, at: Job) -> Callable[[str], Any]:
    """Return what runs a unit."""
    return lambda name: pack_value(run.plan.measure.part("run")(run.configuration, name))


def reduce_units(run: AnyRun, job: None, at: Job) -> dict[str, Any]:
    """Reduce what all units gave to the tables of the measure."""
    gave = {name: tree for _, name, tree in read_units(run, "run_unit", lambda tree: tree)}
    tables: Mapping[str, Table] = run.plan.measure.part("reduce")(run.configuration, gave)
    if not tables:
        raise AiqError(f"reduce of the measure {run.plan.measure.name!r} gives no table; give at least the main one")
    tree = {name: json.dumps([table.columns, table.rows]) for name, table in tables.items()}
    return {"names": json.dumps([*tables]), **tree}


def read_tables(run: AnyRun) -> dict[str, Table]:
    """Return the tables of a run by name, the main one first."""
    ((path, (kind, fingerprint)),) = run.plan.results().items()
    _, tree = hdf5.read(path, kind, fingerprint)
    with hdf5.fitting(kind, path):
        return {name: Table.of(*json.loads(str(tree[name]))) for name in json.loads(str(tree["names"]))}


def show(run: AnyRun, declared: Products) -> Made:
    """Return what the measure's own functions draw, and its tables."""
    tables, measure = read_tables(run), run.plan.measure
    drawn: Mapping[str, Callable[..., Drawing]] = measure.part("figures") if measure.figures else {}
    return Made(
        {name: partial(draw, tables) for name, draw in drawn.items()},
        {name: partial(tables.__getitem__, name) for name in tables},
    )


def main_table(run: AnyRun) -> Table:
    """Return the first table that the measure's ``reduce`` gives."""
    return next(iter(read_tables(run).values()))


def samples(run: AnyRun) -> Iterator[Sample]:
    """Yield the first unit; the others are counted by what they say of their seconds, relative to it."""
    units = list(run.plan.units.values())
    first, seconds = units[0].name, sum(unit.seconds for unit in units)

    def work() -> Any:
        return pack_value(run.plan.measure.part("run")(run.configuration, first))

    yield Sample(first, work, seconds / units[0].seconds, len(units), len(units))
