"""Run one unit of a measure, and reduce all of them to tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aiq.errors import AiqError
from aiq.plans.run import Run
from aiq.plans.units import KIND, UnitsPlan
from aiq.records.table import Table
from aiq.storage import hdf5, shards
from aiq.storage.records import pack_value

AnyRun = Run[Any, UnitsPlan, Any]


def run_unit(run: AnyRun, unit: str, target: str) -> None:
    """Run one unit and store what it gives."""
    plan, c = run.plan, run.configuration
    gave = plan.measure.part("run")(c, unit)
    shards.write(target, KIND, plan.unit(unit), c.seed, {unit: shards.Unit(plan.unit(unit), pack_value(gave))})


def reduce_units(run: AnyRun, sources: Sequence[str | Path], target: str) -> None:
    """Reduce what all units gave to the tables of the measure.

    Raises:
        AiqError: the measure gives no table.
    """
    plan, c = run.plan, run.configuration
    gave = {}
    for name, path in zip(plan.units, sources, strict=True):
        gave[name] = shards.read(path, KIND, plan.unit(name))[name].tree
    tables: Mapping[str, Table] = plan.measure.part("reduce")(c, gave)
    if not tables:
        raise AiqError(f"reduce of the measure {plan.measure.name!r} gives no table; give at least the main one")
    tree = {name: json.dumps([table.columns, table.rows]) for name, table in tables.items()}
    hdf5.write(target, hdf5.Header("reduced units", plan.result(), c.seed), {"names": json.dumps([*tables]), **tree})


def read_tables(run: AnyRun, source: str | Path) -> dict[str, Table]:
    """Return the tables of a run by name, the main one first.

    Raises:
        StorageError: they are missing, or of another configuration.
    """
    _, tree = hdf5.read(source, "reduced units", run.plan.result())
    with hdf5.fitting("reduced units", source):
        return {name: Table.of(*json.loads(str(tree[name]))) for name in json.loads(str(tree["names"]))}
