"""What a suite's run has besides its measures: known baselines, precision as a goal, the page."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from aiq.settings import Settings, fixed


class KnownBaselines(Settings):
    """Baselines that people know: complexity measures, distances of data sets, linear transfer, random play.

    Not to be taken for ``baseline``, the trained agent of control domains.
    """

    when: Literal["auto", "always", "never"] = Field(
        "auto",
        description="auto: a library that is missing where the job runs is named in the tables instead of its numbers; "
        "always: the job fails without it; never: no such job. The plan of a run is the same whatever is installed",
    )
    samples: ClassVar = fixed(500)  # most of each split that are drawn from a labelled domain
    measures: ClassVar = fixed(["f1", "f3", "l2", "n1", "n2", "n3", "lsc", "c1"])  # of problexity
    pairs: int = Field(
        2000, ge=1, description="most pairs of different domains that are compared; of more, so many drawn at random"
    )
    episodes: int = Field(100, ge=2, description="episodes of random actions on every control domain")
    confidence: ClassVar = fixed(0.95)

    def counted(self, control: bool) -> dict[str, Any]:
        """Return the settings on which the baselines of labelled domains, or of control domains, hang."""
        return self.model_dump(
            mode="json", include={"episodes", "confidence"} if control else {"samples", "measures", "pairs"}
        )


UNITS = {"core-hours": 1.0, "core-minutes": 1 / 60, "core-seconds": 1 / 3600}
"""Units of a budget, in core-hours."""
_BUDGET = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?)\s+(core-(?:hour|minute|second)s?)\s*", re.IGNORECASE)


def _checked(budget: Any) -> str:
    match = _BUDGET.fullmatch(budget) if isinstance(budget, str) else None
    if match is None or float(match[1]) <= 0:
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
    factor: ClassVar = fixed(2.0)  # a round buys at most what this factor on every number would buy
    stalled: ClassVar = fixed(0.25)  # two rounds that gain less than this share of what was predicted are the last
    rounds: int = Field(10, ge=1, le=1000, description="most rounds after the start")

    @model_validator(mode="after")
    def _check_goal(self) -> Precision:
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
        match = _BUDGET.fullmatch(self.budget)
        if match is None:
            raise ValueError(f"budget {self.budget!r} was not checked")
        return float(match[1]) * UNITS[match[2].lower().rstrip("s") + "s"]


class Page(Settings):
    """What the page of a run holds besides figures and tables."""

    gone: ClassVar = {
        "curves": "(pairs with curves to be hovered over) went in November 2026: mixture curves are pictures"
    }

    pairs: list[tuple[str, str]] = Field(
        default_factory=list,
        description="pairs of domains that have a figure of their own in a suite of any size",
    )
    figures: int = Field(
        300,
        ge=0,
        le=5000,
        description="up to so many pairs each pair has a figure mixture-<a>+<b>; of more pairs, only those of pairs "
        "have one, and mixture-overview shows the most and the least different ones and those to look at",
    )
    variance: int = Field(
        200,
        ge=0,
        le=10000,
        description="replicates by which the variance of the scores is split by source, in a figure and two tables "
        "(fewer with very many domains or many agents); 0: neither",
    )
