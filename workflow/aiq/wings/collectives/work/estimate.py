"""What a run that measures collectives will cost: some episodes of every kind of group in every test."""

from __future__ import annotations

from typing import Any

from aiq.plans.cost.asked import START
from aiq.storage.records import pack
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
from aiq.wings.collectives import cost
from aiq.wings.collectives.equations import simulate
from aiq.wings.collectives.run import CollectivesRun as Run
from aiq.wings.collectives.work.jobs import settings

EPISODES = 20  # episodes that are timed


def estimate(run: Run, progress: Report) -> Cost:
    """Time some episodes of every kind of group in every test."""
    c = run.configuration
    start = process_start("aiq.wings.collectives.work.jobs")
    seconds, modelled, size, count = 0.0, 0.0, 0.0, 0
    for test in run.plan.tests.values():
        how = settings(c, test)
        jobs = sum(job.test == test.name for job in run.plan.jobs)
        for kind in test.kinds:
            progress(f"timing {kind} in {test.name}")
            block = min(EPISODES, c.jobs.episodes_per_block)
            found = []

            def some(kind: str = kind, how: Any = how, block: int = block, found: list[Any] = found) -> None:
                found[:] = simulate([kind], how, c.seed, 0, block)

            seconds += timed(some) / block * test.episodes
            modelled += cost.episodes(c, 1, test.episodes).seconds - START
            units = test.episodes / block
            size += shard_bytes("episodes", [pack(found[0])], units, jobs / len(test.kinds))
            count += test.episodes
    jobs = len(run.plan.jobs)
    episodes = StageCost("episodes", jobs, count, seconds + jobs * start, seconds, size + jobs * JOB_BYTES)
    figures = 2 + len(c.by_complexity.patterns if c.by_complexity else [])
    stages, plan = (episodes, products(3, figures, start, 3 * JOB_BYTES)), run.plan
    return Cost(
        stages,
        start,
        factors={"episodes": seconds / modelled},
        asked=Request.of(plan.requests()),
        outputs=outputs(plan),
    )
