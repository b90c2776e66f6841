"""A run of any measure: its checked configuration, its plan and its paths; and the plans of all measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar, cast

from aiq import wing
from aiq.config.base import RunSettings
from aiq.config.load import parse
from aiq.config.suite import Configuration
from aiq.errors import ConfigurationError
from aiq.plans import growth
from aiq.plans.base import Plan, Stage
from aiq.plans.layout import Files, SuiteLayout
from aiq.plans.suite import SuitePlan
from aiq.plans.units import plan_of
from aiq.wing import Measure

PIPELINES: Mapping[str, type[Plan[Any, Any]]] = MappingProxyType(
    {SuitePlan.settings.word(): SuitePlan}
    | {name: measure.part("plan") if measure.plan else plan_of(measure) for name, measure in wing.configured().items()}
)
"""The plans by the key ``measure`` of a configuration: of the quotient's suites, and of every measure beside it."""

SUITE = Measure(
    name=SuitePlan.settings.word(),
    title="Artificial Intelligence Quotient",
    show="aiq.report.suite:show",
    main_table="aiq.report.summary:main_table",
    heading="domains: nobody is scored",
    opening="aiq.report.page:opening",
    checks="aiq.run.checks:suite_looks",
    estimate="aiq.run.timing:estimate",
    expected="aiq.run.expected:expected",
)
"""The quotient of suites, as measures beside it are told."""


def measure_of(name: str) -> Measure:
    """Return the measure of a name that a configuration has."""
    return wing.measures().get(name, SUITE)


STAGES: tuple[Stage, ...] = tuple(stage for plan in PIPELINES.values() for stage in plan.stages)
"""The stages of all pipelines; no two have one name."""


S = TypeVar("S", bound=RunSettings)
P = TypeVar("P", bound=Plan[Any, Any])
L = TypeVar("L", bound=Files)


@dataclass(frozen=True)
class Run(Generic[S, P, L]):
    """A configuration with its plan and its paths."""

    configuration: S
    plan: P
    layout: L

    @classmethod
    def of(cls, raw: Mapping[str, Any], measure: str | None = None, origin: str = "configuration") -> Run[S, P, L]:
        """Check a raw configuration and plan its work; a suite with ``precision`` as large as its rounds have grown it.

        ``measure``: the only one that is allowed (None: every one); ``origin`` names the configuration in a refusal.

        Raises:
            ConfigurationError: one sentence about the first thing that is wrong.
        """
        configuration = parse(raw, origin)
        if measure is not None and configuration.measure != measure:
            raise ConfigurationError(
                f"{origin} has the measure {configuration.measure!r}; this needs a configuration of measure {measure}"
            )
        if isinstance(configuration, Configuration) and configuration.precision is not None:
            configuration = parse(growth.grown(raw, configuration), origin)
        plan = PIPELINES[configuration.measure].of(configuration)
        return cls(cast(S, configuration), cast(P, plan), cast(L, plan.layout))


SuiteRun = Run[Configuration, SuitePlan, SuiteLayout]
AnyRun = Run[Any, Any, Any]
