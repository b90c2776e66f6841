"""Estimate what a configuration will cost before anything runs: jobs, trials, core-hours, disk.

Every kind of work is timed on a small part of itself by what the jobs call, at two sizes; the line through both, at
full size, is the estimate. Process starts are timed too. With a convergence rule it is an upper bound: it counts
all epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aiq.config.algorithmic import Algorithmic
from aiq.config.anytime import Anytime
from aiq.config.load import parse_any
from aiq.config.suite import Configuration
from aiq.tasks.costing import Cost as Cost
from aiq.tasks.costing import Report
from aiq.tasks.costing import StageCost as StageCost


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
    configuration = parse_any(config)
    measure: Callable[[Mapping[str, Any], Report], Cost]
    if isinstance(configuration, Configuration):
        from aiq.tasks.estimate_suite import suite as measure
    elif isinstance(configuration, Algorithmic):
        from aiq.tasks.estimate_measures import algorithmic as measure
    elif isinstance(configuration, Anytime):
        from aiq.tasks.estimate_measures import anytime as measure
    else:
        from aiq.tasks.estimate_measures import collectives as measure
    return measure(config, progress)
