"""Figures and tables of a run: written, each table with a file that tells what made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from aiq import figures, storage
from aiq.config.base import fingerprint
from aiq.figures import Drawing
from aiq.figures.drawing import SUFFIXES
from aiq.plans.layout import Files
from aiq.plans.run import AnyRun
from aiq.records.table import Table
from aiq.storage.files import replacing
from aiq.storage.provenance import write_beside
from aiq.tasks.shell.job import settled

Draw = Callable[[], Drawing]
Needs = Mapping[str, Sequence[str]]  # files by word, as the plan declares them


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
