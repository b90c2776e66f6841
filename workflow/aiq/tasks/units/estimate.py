"""What a run of a measure of units will cost: its first unit, timed, for all of them."""

from __future__ import annotations

from aiq.storage.records import pack_value
from aiq.tasks.shell.costing import (
    JOB_BYTES,
    Cost,
    Report,
    Request,
    StageCost,
    outputs,
    process_start,
    products,
    shard_bytes,
    timed,
)
from aiq.tasks.units.jobs import AnyRun


def estimate(run: AnyRun, progress: Report) -> Cost:
    """Time one unit; the others are counted by what they say of their seconds, relative to it."""
    plan, c = run.plan, run.configuration
    start, units = process_start("aiq.tasks.units.jobs"), list(plan.units.values())
    progress(f"timing {units[0].name}")
    gave = []
    seconds = timed(lambda: gave.append(plan.measure.part("run")(c, units[0].name)))
    work = seconds * sum(unit.seconds for unit in units) / units[0].seconds
    jobs, drawn = len(units), sum(len(made.figure_names(plan)) for made in plan.products())
    size = shard_bytes("unit", [pack_value(gave[0])], jobs, jobs) + jobs * JOB_BYTES
    stages = (StageCost("units", jobs, jobs, work + jobs * start, work, size), products(2, drawn, start))
    return Cost(stages, start, asked=Request.of(plan.requests()), outputs=outputs(plan))
