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
from aiq.plans.stages import Stage
from aiq.plans.suite import SuitePlan


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure.

    Attributes:
        plan: makes the plan of a checked configuration.
        stages: its stages, in the order in which they work.
        tasks: the package of its jobs, imported when one is done.
    """

    plan: Callable[[Any], Plan[Any, Any]]
    stages: tuple[Stage, ...]
    tasks: str


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "aiq": Measure(SuitePlan, SuitePlan.stages, "aiq.tasks.suite"),
        "algorithmic": Measure(AlgorithmicPlan, AlgorithmicPlan.stages, "aiq.tasks.algorithmic"),
        "anytime": Measure(AnytimePlan, AnytimePlan.stages, "aiq.tasks.anytime"),
        "collectives": Measure(CollectivesPlan, CollectivesPlan.stages, "aiq.tasks.collectives"),
    }
)
"""By the key ``measure`` of a configuration; ``config.load.MEASURES`` has the settings under the same names."""

STAGES: tuple[Stage, ...] = tuple(stage for measure in MEASURES.values() for stage in measure.stages)
"""The stages of all measures; no two have one name."""
