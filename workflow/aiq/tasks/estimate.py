"""Estimate what a configuration will cost before anything runs: jobs, trials, core-hours, disk.

Every kind of work is timed on a small part of itself by what the jobs call, at two sizes; the line through both, at
full size, is the estimate. Process starts are timed too. With a convergence rule it is an upper bound: it counts
all epochs.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from aiq.config.calibration import read_calibration, render_calibration
from aiq.errors import InputError
from aiq.plans.run import AnyRun, Run, SuiteRun
from aiq.storage.files import replacing
from aiq.tasks.shell.costing import Cost as Cost
from aiq.tasks.shell.costing import Report
from aiq.tasks.shell.costing import StageCost as StageCost


def _silent(what: str) -> None:
    """Say nothing."""


def estimate(config: Mapping[str, Any], progress: Report = _silent) -> Cost:
    """Time small parts of a configuration's work and return the cost of all of it, whatever it measures.

    Args:
        config: the raw configuration.
        progress: told what is being timed.

    Raises:
        AiqError: the configuration is wrong, or a data set or an agent's file is missing or unreadable.
    """
    run: AnyRun = Run.of(config)
    room = import_module(f"{run.plan.tasks}.estimate")
    found: Cost = room.estimate(run, progress)
    return found


def expected(config: Mapping[str, Any], sheet: str | Path | None = None) -> Cost:
    """Return the cost of a configuration by the cost model alone: seconds for hundreds of domains, no data needed.

    Measures without domains read no data at all: a short part of their own work is timed.

    Args:
        config: the raw configuration.
        sheet: sizes of domains whose source does not tell them (see ``tasks.suite.expected``).

    Raises:
        AiqError: the configuration or the sheet is wrong.
    """
    run: AnyRun = Run.of(config)
    if run.configuration.measure != "aiq":
        if sheet is not None:
            raise InputError(f"the measure {run.configuration.measure} has no domains; leave the sheet of sizes out")
        return estimate(config)
    from aiq.tasks.suite.costs.expected import expected as modelled

    found: Cost = modelled(cast(SuiteRun, run), sheet)
    return found


def save_calibration(config: Mapping[str, Any], cost: Cost, path: str | Path) -> None:
    """Write the calibration of this machine; factors are on top of those that the configuration has already.

    Raises:
        StorageError: the file cannot be written.
    """
    run: AnyRun = Run.of(config)
    base = read_calibration(getattr(run.configuration.jobs, "calibration", None))
    with replacing(path) as temporary:
        temporary.write_text(render_calibration(cost.calibration(base)), encoding="utf-8")
