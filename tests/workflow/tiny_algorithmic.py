"""A tiny run of the algorithmic quotient, and how to make it in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tiny

from aiq import storage
from aiq.plans.run import Run
from aiq.records.algorithmic import Quotients
from aiq.tasks.algorithmic import work as tasks

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


def make(folder: Path, configuration: dict[str, Any]) -> Quotients:
    """Make a run, one job after another in the order of the rules."""
    run = Run.of(configuration)
    plan, layout = run.plan, run.layout
    with tiny.inside(folder):
        for job in plan.program_jobs:
            if not Path(layout.program_job(job)).exists():
                tasks.sample_blocks(run, job.first, job.last, layout.program_job(job))
        tasks.gather_programs(
            run, [layout.program_job(job) for job in plan.program_jobs], layout.sample, layout.sample_text
        )
        for (agent, length), episodes in plan.episodes.items():
            for k in range(episodes.rounds):
                for part, path in enumerate(layout.parts_of(episodes, k)):
                    tasks.run_part(run, agent, length, k, part, layout.sample, path)
            tasks.run_agent(run, agent, length, layout.sample, layout.run_of(episodes))
        tasks.reduce_quotients(run, layout.sample, [layout.run_of(e) for e in plan.episodes.values()], layout.quotients)
        return storage.read_result(layout.quotients, "quotients", Quotients, plan.quotients())
