"""Tiny anytime tests."""

from __future__ import annotations

from typing import Any

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
