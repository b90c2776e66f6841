"""What one more repetition of a source costs: by the cost model, corrected by what the run's own jobs took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiq.plans import growth
from aiq.plans.run import Run, SuiteRun
from aiq.tasks.sensitivity.moving import hours_by_kind
from aiq.tasks.shell.units import store_of

TRAININGS = ("trials", "mixtures", "alone", "agents")
"""Stages that the cost model knows by unit."""
ONCE = ("domains", "baseline", "plays", "entropy", *TRAININGS, "outside")
"""Stages that a round costs nothing of besides what it grows."""


def prices(raw: Mapping[str, Any], run: SuiteRun, spent: Mapping[str, float]) -> dict[str, float]:
    """Return the core-hours of one more repetition by source.

    Args:
        raw: the raw configuration.
        run: the run as it is now.
        spent: core-hours that all jobs have held so far, by stage.
    """
    have = growth.numbers(run.configuration)
    model = hours_by_kind(None, run)
    slower = {kind: spent[kind] / hours for kind, hours in model.items() if spent.get(kind, 0) > 0 and hours > 0}
    if store_of(run.configuration) is not None:  # jobs that took finished trainings from it say nothing of new ones
        slower = {kind: max(1.0, ratio) for kind, ratio in slower.items()}
    found = {}
    for name, now in have.items():
        other: SuiteRun = Run.of(growth.applied(raw, run.configuration, {**have, name: 2 * now}), "aiq")
        grown = growth.numbers(other.configuration)[name] - now
        more = sum(hours * slower.get(kind, 1.0) for kind, hours in hours_by_kind(run, other).items())
        if name == "agents":
            more += spent.get("outside", 0.0) * grown / now
        found[name] = max(more / grown, 1e-9)
    return found


def overhead(spent: Mapping[str, float]) -> float:
    """Return the core-hours that a round costs besides trainings: reducing again, by what the last round took."""
    return sum(hours for stage, hours in spent.items() if stage not in ONCE)
