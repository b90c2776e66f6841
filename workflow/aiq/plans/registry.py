"""The measures: everything that a run of each is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from aiq.plans.algorithmic import AlgorithmicPlan
from aiq.plans.anytime import AnytimePlan
from aiq.plans.base import Plan
from aiq.plans.collectives import CollectivesPlan
from aiq.plans.suite import SuitePlan


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure.

    Attributes:
        plan: makes the plan of a checked configuration.
        tasks: the package of its jobs, imported when one is done.
    """

    plan: Callable[[Any], Plan[Any, Any]]
    tasks: str


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "aiq": Measure(SuitePlan, "aiq.tasks.suite"),
        "algorithmic": Measure(AlgorithmicPlan, "aiq.tasks.algorithmic"),
        "anytime": Measure(AnytimePlan, "aiq.tasks.anytime"),
        "collectives": Measure(CollectivesPlan, "aiq.tasks.collectives"),
    }
)
"""By the key ``measure`` of a configuration; ``config.load.MEASURES`` has the settings under the same names."""
