"""What a finished run of a measure of units found."""

from __future__ import annotations

from aiq.records.table import Table
from aiq.tasks.units.jobs import AnyRun, read_tables


def main_table(run: AnyRun) -> Table:
    """The first table that the measure's ``reduce`` gives."""
    return next(iter(read_tables(run, run.layout.result).values()))
