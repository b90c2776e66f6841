"""A tiny run of the algorithmic quotient, and how to make it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tiny

from aiq.plans.run import Run
from aiq.run.job import read_stored
from aiq.wings.algorithmic.equations.estimation import Quotients

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
    """Make a run, one job after another; blocks of programs that are there are kept."""
    run = Run.of(configuration)
    kept = run.plan.files("sample_programs")
    with tiny.inside(folder):
        for path, work in tiny.jobs(run).items():
            if path not in kept or not Path(path).exists():
                work()
        return read_stored(run, "reduce_quotients", Quotients)
