"""Pictures of the anytime test."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from aiq.figures.drawing import Drawing
from aiq.wings.anytime.figures.rewards import anytime_budget, anytime_complexity
from aiq.wings.anytime.figures.trace import anytime_trace

FIGURES: Mapping[str, Callable[..., Drawing]] = MappingProxyType(
    {
        "anytime-budget": anytime_budget,
        "anytime-trace": anytime_trace,
        "anytime-complexity": anytime_complexity,
    }
)
"""By name."""
