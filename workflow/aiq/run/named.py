"""What a measure of named units needs besides its own functions: ``run``, ``reduce`` and ``figures``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from aiq.errors import AiqError
from aiq.figures import Drawing
from aiq.plans.base import Job
from aiq.plans.products import Products
from aiq.plans.run import AnyRun
from aiq.plans.units import Unit
from aiq.records.table import Table
from aiq.run.estimate import Sample
from aiq.run.products import Made
from aiq.run.units import read_units
from aiq.storage import hdf5
from aiq.storage.records import pack_value


def run_unit(run: AnyRun, unit: Unit, at: Job) -> Callable[[str], Any]:
    """Return what runs a unit."""
    return lambda name: pack_value(run.plan.measure.part("run")(run.configuration, name))


def reduce_units(run: AnyRun, job: None, at: Job) -> dict[str, Any]:
    """Reduce what all units gave to the tables of the measure.

    Raises:
        AiqError: the measure gives no table.
    """
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
