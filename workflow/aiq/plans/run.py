"""A run of any measure: its checked configuration, its plan and its paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from aiq.config.base import RunSettings
from aiq.config.load import parse_any
from aiq.config.suite import Configuration
from aiq.errors import ConfigurationError
from aiq.plans import growth
from aiq.plans.base import Plan
from aiq.plans.layout import Files
from aiq.plans.registry import PIPELINES
from aiq.plans.suite import SuitePlan
from aiq.plans.suite_layout import SuiteLayout

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
        """Check a raw configuration of any measure and plan its work.

        A suite with ``precision`` is planned as large as its rounds have grown it.

        Args:
            raw: the raw configuration.
            measure: the only measure that is allowed; None allows every one.
            origin: name of the configuration in a refusal.

        Raises:
            ConfigurationError: one sentence about the first thing that is wrong.
        """
        configuration = parse_any(raw, origin)
        if measure is not None and configuration.measure != measure:
            raise ConfigurationError(
                f"{origin} has the measure {configuration.measure!r}; this needs a configuration of measure {measure}"
            )
        if isinstance(configuration, Configuration) and configuration.precision is not None:
            configuration = parse_any(growth.grown(raw, configuration), origin)
        plan = PIPELINES[configuration.measure].of(configuration)
        return cls(cast(S, configuration), cast(P, plan), cast(L, plan.layout))


SuiteRun = Run[Configuration, SuitePlan, SuiteLayout]
AnyRun = Run[RunSettings, Plan[Any, Any], Files]
