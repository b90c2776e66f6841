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
from aiq.plans.products import Products
from aiq.plans.similarity import SimilarityPlan
from aiq.plans.stages import Stage
from aiq.plans.suite import SuitePlan


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure.

    Attributes:
        plan: makes the plan of a checked configuration.
        stages: its stages, in the order in which they work.
        products: the jobs that draw and tabulate.
        tasks: the package of its jobs, imported when one is done.
    """

    plan: Callable[[Any], Plan[Any, Any]]
    stages: tuple[Stage, ...]
    products: tuple[Products, ...]
    tasks: str


def _measure(plan: Any, tasks: str) -> Measure:
    """Return a measure by the class of its plans and the package of its jobs."""
    return Measure(plan, plan.stages, plan.declared, tasks)


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "aiq": _measure(SuitePlan, "aiq.tasks.suite"),
        "algorithmic": Measure(
            AlgorithmicPlan, AlgorithmicPlan.stages, AlgorithmicPlan.declared, "aiq.tasks.algorithmic"
        ),
        "anytime": _measure(AnytimePlan, "aiq.tasks.anytime"),
        "collectives": Measure(
            CollectivesPlan, CollectivesPlan.stages, CollectivesPlan.declared, "aiq.tasks.collectives"
        ),
        "similarity": _measure(SimilarityPlan, "aiq.tasks.similarity"),
    }
)
"""By the key ``measure`` of a configuration; ``config.load.MEASURES`` has the settings under the same names."""

STAGES: tuple[Stage, ...] = tuple(stage for measure in MEASURES.values() for stage in measure.stages)
"""The stages of all measures; no two have one name."""
