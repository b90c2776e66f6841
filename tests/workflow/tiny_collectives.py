"""Tiny collectives, and how to make them in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiq.plans.run import Run
from aiq.storage import hdf5
from aiq.wings.collectives.work.jobs import reduce_episodes, run_episodes

TINY: dict[str, Any] = {
    "measure": "collectives",
    "name": "tiny",
    "seed": 3,
    "results": "results/tiny",
    "test": {"iterations": 10, "agents": 2, "learning": {"passes": 5}},
    "by_side": {"sides": [5, 10], "episodes": 40, "kinds": ["random", "local_search", "oracle"]},
    "by_complexity": {"episodes": 40, "kinds": ["local_search"], "patterns": ["segment"]},
    "drawn": {"pictures": 3},
    "jobs": {"episodes_per_block": 20, "blocks_per_job": 2, "kinds_per_job": 3},
}


def jobs(run: Run) -> dict[str, Callable[[], None]]:
    """Return path -> what makes it, in order; the same calls as in ``scripts/``."""
    paths = {run.layout.job(job): job for job in run.plan.jobs}
    made: dict[str, Callable[[], None]] = {
        path: lambda job=job, path=path: run_episodes(run, job.test, job.block, path) for path, job in paths.items()
    }
    return made | {run.layout.result: lambda: reduce_episodes(run, list(paths), run.layout.result)}


def make_shards(raw: dict[str, Any]) -> dict[tuple[str, str], Any]:
    """Make every shard here and return (test, unit) -> content."""
    run = Run.of(raw)
    found = {}
    for job in run.plan.jobs:
        path = run.layout.job(job)
        if not Path(path).exists():
            run_episodes(run, job.test, job.block, path)
        found |= {(job.test, name): tree for name, tree in hdf5.read(path, "episodes")[1].items()}
    return found
