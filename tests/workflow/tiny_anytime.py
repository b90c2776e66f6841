"""Tiny anytime tests, and how to make them in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiq.plans.run import Run
from aiq.storage import hdf5
from aiq.wings.anytime.work.jobs import administer_tests, reduce_tests

TINY: dict[str, Any] = {
    "measure": "anytime",
    "name": "tiny",
    "seed": 3,
    "results": "results/tiny",
    "test": {"by": "interactions", "budget": 40},
    "repetitions": 3,
    "classes": {"grid": {"family": "grid"}, "cups": {"family": "cups"}},
    "agents": {"random": {"kind": "random"}, "oracle": {"kind": "oracle"}},
    "resamples": 50,
    "jobs": {"repetitions_per_job": 3},
}


def jobs(run: Run) -> dict[str, Callable[[], None]]:
    """Return path -> what makes it, in order; the same calls as in ``scripts/``."""
    made: dict[str, Callable[[], None]] = {}
    for job in run.plan.jobs:
        path = run.layout.job(job)
        made[path] = lambda job=job, path=path: administer_tests(
            run, job.environments, job.agent, job.first, job.last, path
        )
    for name in run.configuration.classes:
        sources = [run.layout.job(job) for job in run.plan.jobs if job.environments == name]
        path = run.layout.result(name)
        made[path] = lambda name=name, sources=sources, path=path: reduce_tests(run, name, sources, path)
    return made


def make_tests(raw: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Make every shard here and return path -> content."""
    run = Run.of(raw)
    found = {}
    for job in run.plan.jobs:
        path = run.layout.job(job)
        if not Path(path).exists():
            administer_tests(run, job.environments, job.agent, job.first, job.last, path)
        found[path] = hdf5.read(path, "anytime")[1]
    return found
