"""The pipelines: the plan of each measure, from which its stages, products and jobs follow."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aiq import wing
from aiq.plans.base import Plan
from aiq.plans.stages import Stage
from aiq.plans.suite import SuitePlan
from aiq.plans.units import plan_of
from aiq.wing import Measure


def _plans() -> dict[str, type[Plan[Any, Any]]]:
    """Return the plan of the quotient's suites, and that of every measure: its own, or the one of units."""
    found: dict[str, type[Plan[Any, Any]]] = {SuitePlan.settings.word(): SuitePlan}
    for name, measure in wing.configured().items():
        found[name] = measure.part("plan") if measure.plan else plan_of(measure)
    return found


PIPELINES: Mapping[str, type[Plan[Any, Any]]] = MappingProxyType(_plans())
"""By the key ``measure`` of a configuration."""

SUITE = Measure(
    name=SuitePlan.settings.word(),
    title="Artificial Intelligence Quotient",
    show="aiq.tasks.suite.products:show",
    main_table="aiq.tasks.suite.summary:main_table",
    heading="domains: nobody is scored",
    opening="aiq.tasks.suite.opening:opening",
    checks="aiq.tasks.suite.checks:looks",
    estimate="aiq.tasks.suite.estimate:estimate",
    expected="aiq.tasks.suite.costs.expected:expected",
)
"""The quotient of suites, as measures beside it are told."""


def measure_of(name: str) -> Measure:
    """Return the measure of a name that a configuration has."""
    return wing.measures().get(name, SUITE)


STAGES: tuple[Stage, ...] = tuple(stage for plan in PIPELINES.values() for stage in plan.stages)
"""The stages of all pipelines; no two have one name."""
