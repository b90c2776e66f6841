"""A tiny run of the algorithmic quotient, and how to make it in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tiny

from aiq import storage
from aiq.plans.run import Run
from aiq.wings.algorithmic.records import Quotients
from aiq.wings.algorithmic.work import jobs as tasks

Q = {"agent": "q", "trace": 0.5, "rate": 0.5, "epsilon": 0.1, "discount": 0.6}
TINY: dict[str, Any] = {
    "measure": "algorithmic",
    "name": "tiny",
    "seed": 7,
    "results": "r",
    "programs": {"count": 400},
    "runs": 200,
    "agents": [
        {"name": "q", "lengths": [30], **Q},
        {"name": "aixi", "agent": "mc-aixi", "lengths": [12], "simulations": 2, "depth": 3, "horizon": 1},
    ],
}


def jobs(run: Run) -> dict[str, Callable[[], None]]:
    """Return path -> what makes it, in the order of the rules."""
    plan, layout = run.plan, run.layout
    made: dict[str, Callable[[], None]] = {}
    programs = [layout.program_job(job) for job in plan.program_jobs]
    for job, path in zip(plan.program_jobs, programs, strict=True):
        made[path] = lambda job=job, path=path: tasks.sample_blocks(run, job.first, job.last, path)
    made[layout.sample] = lambda: tasks.gather_programs(run, programs, layout.sample, layout.sample_text)
    runs = [layout.run_of(episodes) for episodes in plan.episodes.values()]
    for ((agent, length), episodes), target in zip(plan.episodes.items(), runs, strict=True):
        for k in range(episodes.rounds):
            for part, path in enumerate(layout.parts_of(episodes, k)):
                made[path] = lambda told=(agent, length, k, part), path=path: tasks.run_part(
                    run, *told, layout.sample, path
                )
        made[target] = lambda agent=agent, length=length, target=target: tasks.run_agent(
            run, agent, length, layout.sample, target
        )
    made[layout.quotients] = lambda: tasks.reduce_quotients(run, layout.sample, runs, layout.quotients)
    return made


def make(folder: Path, configuration: dict[str, Any]) -> Quotients:
    """Make a run, one job after another; blocks of programs that are there are kept."""
    run = Run.of(configuration)
    kept = {run.layout.program_job(job) for job in run.plan.program_jobs}
    with tiny.inside(folder):
        for path, work in jobs(run).items():
            if path not in kept or not Path(path).exists():
                work()
        return storage.read_result(run.layout.quotients, "quotients", Quotients, run.plan.quotients())
