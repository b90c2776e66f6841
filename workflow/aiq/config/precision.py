"""Settings of precision as a goal: how narrow intervals shall become, and what that may cost."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from aiq.settings import Settings

UNITS = {"core-hours": 1.0, "core-minutes": 1 / 60, "core-seconds": 1 / 3600}
"""Units of a budget, in core-hours."""
_BUDGET = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?)\s+(core-(?:hour|minute|second)s?)\s*", re.IGNORECASE)


def _checked(budget: Any) -> str:
    """Refuse what is no amount with a unit."""
    found = _BUDGET.fullmatch(budget) if isinstance(budget, str) else None
    if found is None or float(found[1]) <= 0:
        raise ValueError(
            f"budget is {budget!r}; write a number above 0 and its unit, {', '.join(UNITS)}: 50 core-hours"
        )
    return str(budget)


Budget = Annotated[str, BeforeValidator(_checked)]


class Precision(Settings):
    """Grow the numbers of trainings in rounds until the agents' intervals are narrow enough."""

    value: float | None = Field(
        None, gt=0, lt=0.5, description="half-width of the agents' intervals of the headline at which rounds stop"
    )
    per_dimension: float | None = Field(
        None, gt=0, lt=0.5, description="the same of AIQ per dimension; give one of the two"
    )
    budget: Budget = Field(
        description="what the whole suite may cost, its start included: a number and core-hours, core-minutes or "
        "core-seconds; no round begins that is predicted to exceed it"
    )
    over: Literal["mean", "largest"] = Field(
        "mean", description="which half-width has to reach the goal: the mean over agents, or the largest"
    )
    factor: float = Field(
        2.0,
        gt=1,
        le=16,
        description="a round buys at most what this factor on every number would buy, at the least cost; no number "
        "grows by more than its square in a round",
    )
    stalled: float = Field(
        0.25,
        ge=0,
        lt=1,
        description="two rounds that together gain less than this share of what was predicted are the last ones; 0: "
        "go on as long as they gain anything",
    )
    rounds: int = Field(10, ge=1, le=1000, description="most rounds after the start")

    @model_validator(mode="after")
    def _check_goal(self) -> Precision:
        """One goal."""
        if (self.value is None) == (self.per_dimension is None):
            raise ValueError(
                "precision needs one goal: value, the half-width of the headline, or per_dimension, that of AIQ per "
                "dimension"
            )
        return self

    @property
    def goal(self) -> float:
        """The half-width to be reached."""
        return float(self.value if self.value is not None else self.per_dimension or 0.0)

    @property
    def core_hours(self) -> float:
        """The budget in core-hours."""
        found = _BUDGET.fullmatch(self.budget)
        if found is None:
            raise ValueError(f"budget {self.budget!r} was not checked")
        return float(found[1]) * UNITS[found[2].lower().rstrip("s") + "s"]
