"""The pipelines: the plan of each measure, from which its stages, products and jobs follow."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aiq.plans.algorithmic import AlgorithmicPlan
from aiq.plans.anytime import AnytimePlan
from aiq.plans.base import Plan
from aiq.plans.collectives import CollectivesPlan
from aiq.plans.similarity import SimilarityPlan
from aiq.plans.stages import Stage
from aiq.plans.suite import SuitePlan

_PLANS: tuple[type[Plan[Any, Any]], ...] = (SuitePlan, AlgorithmicPlan, AnytimePlan, CollectivesPlan, SimilarityPlan)

PIPELINES: Mapping[str, type[Plan[Any, Any]]] = MappingProxyType({plan.settings.word(): plan for plan in _PLANS})
"""By the key ``measure`` of a configuration."""

STAGES: tuple[Stage, ...] = tuple(stage for plan in _PLANS for stage in plan.stages)
"""The stages of all pipelines; no two have one name."""
