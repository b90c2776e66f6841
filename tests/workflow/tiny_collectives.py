"""Tiny collectives."""

from __future__ import annotations

from typing import Any

TINY: dict[str, Any] = {
    "measure": "collectives",
    "name": "tiny",
    "seed": 3,
    "results": "results/tiny",
    "test": {"iterations": 10, "agents": 2, "learning": {"passes": 5}},
    "by_side": {"sides": [5, 10], "episodes": 40, "kinds": ["random", "local_search", "oracle"]},
    "by_complexity": {"episodes": 40, "kinds": ["local_search"], "patterns": ["segment"]},
    "drawn": {"pictures": 3},
    "jobs": {"episodes_per_block": 20, "kinds_per_job": 3},
}
