"""Figures and tables of a run of any measure: made as its plan declares them, each table with what made it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiq import figures, storage
from aiq.config.base import fingerprint
from aiq.errors import AiqError, StorageError
from aiq.figures import Drawing
from aiq.figures.drawing import SUFFIXES, lacking
from aiq.plans.layout import Files
from aiq.plans.products import Products
from aiq.plans.run import AnyRun, measure_of
from aiq.records.table import Table
from aiq.run.job import LOGGER, settled
from aiq.storage.files import replacing, write_beside

Draw = Callable[[], Drawing]


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
