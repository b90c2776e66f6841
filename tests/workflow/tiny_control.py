"""A tiny suite of control domains: CartPole variants, a baseline, and agents from outside."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import Any

import tiny

from aiq.plans.run import Run
from changes import changed

DQN = {
    "algorithm": "dqn",
    "steps": 200,
    "batch_size": 16,
    "optimizer": {"name": "adam", "learning_rate": 0.002},
    "evaluation": {"every": 100, "episodes": 2, "final_episodes": 4},
}
CONTROL: dict[str, Any] = {
    "name": "control",
    "seed": 5,
    "results": "results/control",
    "domains": {
        "normal": {"source": "cartpole", "steps": 60},
        "heavy": {"source": "cartpole", "gravity": 60, "steps": 60},
        "weak": {"source": "cartpole", "force": 2, "steps": 60},
    },
    "pool": {"size": 4, "policies_per_chunk": 2, "layers": [1, 2], "width": [1, 8]},
    "training": DQN,
    "complexity": {"resamples": 40},
    "entropy": {"resamples": 40, "bins": 10},
    "dissimilarity": {
        "proportions": 3,
        "repetitions": 2,
        "network": {"layers": 1, "width": 8},
        "training": DQN,
        "resamples": 40,
    },
    "baseline": {"network": {"layers": 1, "width": 8}, "training": DQN, "repetitions": 2, "episodes": 6},
    "agents": {
        "repetitions": 2,
        "networks": [{"name": "one", "layers": 1, "width": 8}, {"name": "two", "layers": 2, "width": 4}],
        "outside": [
            {"name": "mine", "factory": "balancers:balancer", "arguments": {"damping": 2.0}, "episodes": 5},
            {"name": "broken", "factory": "balancers:broken", "episodes": 5},
        ],
    },
    "jobs": {"chunks_per_job": 2, "mixtures_per_job": 3, "agents_per_job": 2},
}
BALANCERS = """
def balancer(domain, damping):
    def act(observation):
        x, v, angle, speed = observation
        return int(0.1 * x + 0.3 * v + 10 * angle + damping * speed > 0)

    return act


def broken(domain):
    return lambda observation: domain.actions
"""


def control(**changes: Any) -> dict[str, Any]:
    """The configuration with some keys changed; ``pool__size=6`` reaches into a section."""
    return changed(CONTROL, **changes)


def write_balancers(folder: Path) -> None:
    """Write the agents from outside into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "balancers.py").write_text(BALANCERS, encoding="utf-8")


def make(folder: Path, raw: dict[str, Any], only: Container[str] | None = None) -> Run:
    """Make all files of a configuration that are missing in a folder, or those among some, one after another."""
    write_balancers(folder)
    return tiny.grow(folder, raw, only)
