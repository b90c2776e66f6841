"""Tiny runs of the similarity of 2020, and how to make them in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tiny

from aiq.plans.run import Run
from aiq.wings.similarity2020 import reduction

DIGITS = {"source": "sklearn", "name": "digits", "limit": 60, "limit_test": 60}
CHAIN = {"source": "gymnasium", "id": "aiq/NChain-v0", "bounds": [0, 3677], "foreign_actions": "clamp"}
LAKE = {"source": "gymnasium", "id": "FrozenLake-v1", "bounds": [0, 1], "foreign_actions": "clamp"}
TINY: dict[str, Any] = {
    "measure": "similarity",
    "name": "tiny",
    "seed": 5,
    "results": "results/tiny",
    "domains": {"easy": {**DIGITS, "classes": 2}, "hard": {**DIGITS, "noise": 0.5}},
    "agent": {
        "kind": "blocks",
        "filters": [4, 4],
        "dense_nodes": 8,
        "epochs": 3,
        "batch_size": 16,
        "optimizer": {"name": "adam", "learning_rate": 0.01},
    },
    "merges": ["sampled", "stitched"],
    "halvings": [0, 1],
    "proportions": [0.25],
    "repetitions": 2,
    "jobs": {"units_per_job": 5},
    "published": {"source": "made", "performance": {"easy": 0.9}, "similarity": {"easy+hard": 0.1}},
}
PLAYED: dict[str, Any] = {
    **{key: TINY[key] for key in ("measure", "name", "seed", "results")},
    "domains": {"chain": CHAIN, "lake": LAKE},
    "agent": {
        "kind": "dqn",
        "network": {"layers": 1, "width": 8},
        "training": {
            "algorithm": "dqn",
            "steps": 120,
            "optimizer": {"name": "adam", "learning_rate": 0.01},
            "evaluation": {"every": 60, "episodes": 1, "final_episodes": 2},
        },
    },
    "repetitions": 2,
}
POOL = {
    **PLAYED,
    "agent": {**{key: PLAYED["agent"][key] for key in ("training",)}, "kind": "dqn_pool", "pool": {"size": 3}},
}
RANDOM = {**PLAYED, "agent": {"kind": "published", "steps": 3000, "episodes": 60}, "repetitions": 40}


def make(folder: Path, raw: dict[str, Any]) -> tuple[Run, reduction.SimilarityResult]:
    """Make a run in this process and return it with what it found."""
    run = Run.of(raw)
    with tiny.inside(folder):
        for work in tiny.jobs(run).values():
            work()
        return run, reduction.read_result(run)
