"""Estimate what a configuration will cost before anything runs: jobs, trials, core-hours, disk.

Every kind of work is timed on a small part of itself by what the jobs call, at two sizes; the line through both, at
full size, is the estimate. Process starts are timed too. With a convergence rule it is an upper bound: it counts
all epochs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiq.config.jobs import read_calibration, render_calibration
from aiq.errors import InputError
from aiq.plans.registry import measure_of
from aiq.plans.run import AnyRun, Run
from aiq.storage.files import replacing
from aiq.tasks.shell.costing import Cost as Cost
from aiq.tasks.shell.costing import Report
from aiq.tasks.shell.costing import StageCost as StageCost


def _silent(what: str) -> None:
    """Say nothing."""


def estimate(config: Mapping[str, Any], progress: Report = _silent, origin: str = "configuration") -> Cost:
    """Time small parts of a configuration's work and return the cost of all of it, whatever it measures.

    Args:
        config: the raw configuration.
        progress: told what is being timed.
        origin: name of the configuration in a refusal.

    Raises:
        AiqError: the configuration is wrong, or a data set or an agent's file is missing or unreadable.
    """
    run: AnyRun = Run.of(config, origin=origin)
    its = measure_of(run.configuration.measure)
    with _without_gymnasium_deprecations():
        found: Cost = its.part("estimate")(run, progress)
    return found


@contextmanager
def _without_gymnasium_deprecations() -> Iterator[None]:
    """Keep quiet what Gymnasium says about old environments, which published tests use on purpose."""
    import gymnasium.logger  # noqa: F401  # it sets a filter of its own when it is imported

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"gymnasium\.")
        yield


def expected(config: Mapping[str, Any], sheet: str | Path | None = None, origin: str = "configuration") -> Cost:
    """Return the cost of a configuration by the cost model alone: seconds for hundreds of domains, no data needed.

    Of measures without domains a short part of their own work is timed; what their jobs ask for is modelled.

    Args:
        config: the raw configuration.
        sheet: sizes of domains whose source does not tell them (see ``tasks.suite.costs.expected``).
        origin: name of the configuration in a refusal.

    Raises:
        AiqError: the configuration or the sheet is wrong.
    """
    run: AnyRun = Run.of(config, origin=origin)
    measure = run.configuration.measure
    its = measure_of(measure)
    if its.expected:
        with _without_gymnasium_deprecations():
            found: Cost = its.part("expected")(run, sheet)
        return found
    if sheet is not None:
        raise InputError(f"the measure {measure} has no domains; leave the sheet of sizes out")
    return estimate(config, origin=origin)


def save_calibration(config: Mapping[str, Any], cost: Cost, path: str | Path) -> None:
    """Write the calibration of this machine; factors are on top of those that the configuration has already.

    Raises:
        StorageError: the file cannot be written.
    """
    run: AnyRun = Run.of(config)
    base = read_calibration(getattr(run.configuration.jobs, "calibration", None))
    with replacing(path) as temporary:
        temporary.write_text(render_calibration(cost.calibration(base)), encoding="utf-8")
