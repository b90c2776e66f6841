"""Settings of the measures: complexity, entropy, curves, space and quotient; and of what a suite's run has besides."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from aiq.settings import Settings, fixed

Confidence = Annotated[float, Field(gt=0, lt=1, description="coverage of the intervals")]
Resamples = Annotated[int, Field(ge=2, le=1_000_000, description="bootstrap resamples")]
CONFIDENCE, RESAMPLES = 0.95, 1000


class OfTables(Settings):
    """Options of verbs and functions on tables: no section of a configuration, which has a key ``value`` alone."""

    paired: Literal["auto", "yes", "no"] = Field(
        "auto",
        description="whether the points of a repetition may go together (one seed for a whole curve), so that errors "
        "come from whole repetitions; auto: where the table names repetitions",
    )
    confidence: Confidence = CONFIDENCE
    value: Literal["skills", "volume"] = Field(
        "skills",
        description="the headline by which agents are listed: the mean over independent skills, or AIQ per dimension "
        "(the volume of the paper); both are always given",
    )


DIFFERENCES = (0.01, 0.02, 0.05, 0.1)
"""Differences for which the number of tests needed is given."""


class OfSuites(Settings):
    """Options of verbs and functions that look at results alone: no section of a configuration."""

    at: float = Field(0.5, gt=0, lt=1, description="performance whose location on the scale of ability is given")
    power: float = Field(0.8, gt=0, lt=1, description="probability of finding the smallest difference")
    alpha: float = Field(0.05, gt=0, lt=1, description="level of the tests for differences")
    resamples: int = Field(200, ge=2, le=100_000, description="resamples of runs")
    halves: int = Field(
        50, ge=2, le=10_000, description="random halves of the agents by which the dropping of tests is judged"
    )


class Complexity(Settings):
    """MCCP complexity (Eq. 5, 2.4.3)."""

    size: Literal["log2", "parameters", "bytes", "compressed"] = Field("log2", description="what counts as size")
    bins: int = Field(30, ge=1, le=100_000, description="equal bins over the performance range")
    value_range: tuple[float, float] | Literal["observed"] = Field((0.0, 1.0), description="the performance range")
    envelope: Literal["at_least", "within"] = Field(
        "at_least", description="the paper's minimum: smallest policy that reaches a bin or more, or that falls into it"
    )
    estimator: Literal["best_of_k", "minimum"] = Field(
        "best_of_k", description="expected smallest of k policies (MCCP@k), or the smallest of all (the paper's)"
    )
    k: int | None = Field(
        None,
        ge=1,
        description="policies of which the smallest counts, at most the pool's size; null: 16, or in a small pool as "
        "many as remain without one chunk",
    )
    fill: Literal["largest", "linear"] = Field(
        "largest",
        description="MCCP@k where none of k policies reaches a performance: the largest network of the pool's design, "
        "or a straight line",
    )
    start: Literal["zero", "chance"] = Field(
        "zero",
        description="performance from which relative excess is integrated: 0, or that of the best constant answer",
    )
    extrapolate: Literal["linear", "hold", "none"] = Field(
        "linear", description="the paper's minimum above the highest observed bin"
    )
    resamples: Resamples = RESAMPLES
    confidence: ClassVar = fixed(CONFIDENCE)

    @field_validator("value_range")
    @classmethod
    def _ordered(cls, value: tuple[float, float] | str) -> tuple[float, float] | str:
        """The range lies in [0, 1] and is not empty."""
        if not isinstance(value, str) and not 0 <= value[0] < value[1] <= 1:
            raise ValueError(f"value_range {list(value)} must lie in [0, 1], the smaller first")
        return value


class Entropy(Settings):
    """Shannon entropy of a domain (Eq. 4)."""

    bins: int = Field(30, ge=1, le=100_000, description="vectors: equal bins over the observed range of each variable")
    method: Literal["local", "histogram"] = Field(
        "local", description="images: of the neighbourhood of each pixel (3.1.2), or of the grey levels (Fig. 9)"
    )
    resamples: Resamples = RESAMPLES
    confidence: ClassVar = fixed(CONFIDENCE)


class Curves(Settings):
    """How dissimilarities are taken from curves of performance on mixtures (Eqs. 7 to 9)."""

    paired: ClassVar = fixed("auto")  # never in a run, which seeds every training
    estimator: Literal["average_first", "per_repetition"] = Field(
        "average_first", description="average the curves and take the area, or average the areas (biased upwards)"
    )
    value: Literal["unbiased", "plain", "corrected", "signed"] = Field(
        "unbiased",
        description="which value enters the space; unbiased: root of signed² − se², with the errors that pairs share; "
        "plain: the paper's; signed: below 0 enters as 0",
    )
    prior_df: ClassVar = fixed(8.0)  # weight of a pair's other proportions in the variance at each
    resamples: Resamples = RESAMPLES
    confidence: ClassVar = fixed(CONFIDENCE)


class SimilarityTable(Settings):
    """Similarity of two domains as the 2020 paper defines it, read from the mixtures of the dissimilarity."""

    at: ClassVar = fixed(None)  # .5, where that is one of the proportions
    absolute: bool = Field(False, description="show |S|, as the 2020 tables do, in place of the signed S")


class Space(Settings):
    """Intelligence space (Eqs. 10 to 12)."""

    anchor: Literal["unit", "complexity"] = Field("unit", description="distance of a test to the empty test")
    dimensions: int | Literal["share", "noise", "all"] = Field(
        "share",
        description="dimensions kept; share: the fewest that hold a share of the spectrum; noise: those above the "
        "noise; all: every one that the distances span; or how many",
    )
    share: float = Field(
        0.9, gt=0, le=1, description="dimensions: share: how much of the positive spectrum the dimensions hold"
    )
    null: Literal["propagated", "identical"] = Field(
        "propagated",
        description="noise that dimensions are compared with: of every dissimilarity, or of identical tests",
    )
    length: Literal["complexity", "relative_excess"] | None = Field(
        None,
        description="distance from the origin; null: relative_excess (0 for a test that any network solves), but "
        "complexity where complexity.estimator is minimum or no relative excess can be had",
    )
    distance: Literal["departure", "transfer", "relative"] = Field(
        "departure",
        description="what makes the directions: areas between line and curve (the paper's); distances from what "
        "tests do to each other and to themselves, d² = T_AA + T_BB − 2 T_AB with T minus the transfer area; or "
        "relative: cos = 1 − relative dissimilarity, which no other test of the suite changes",
    )
    merge: bool | Literal["auto"] = Field(
        "auto",
        description="give tests that the noise floor cannot tell apart one direction; auto: only without known errors",
    )
    refine: bool = Field(False, description="minimise the stress (SMACOF) with the origin held fixed")
    confidence: ClassVar = fixed(CONFIDENCE)

    @field_validator("dimensions", mode="before")
    @classmethod
    def _older_word(cls, value: object) -> object:
        """Take ``auto``, the word of earlier versions, for ``noise``."""
        return "noise" if value == "auto" else value

    @field_validator("dimensions")
    @classmethod
    def _positive(cls, value: int | str) -> int | str:
        if isinstance(value, int) and value < 1:
            raise ValueError(f"dimensions is {value}, it must be 'share', 'noise', 'all' or 1 or more")
        return value

    @model_validator(mode="after")
    def _check_distance(self) -> Space:
        """Distances by transfer and relative ones have no floor of identical tests; these are angles."""
        if self.distance == "relative" and self.anchor != "unit":
            raise ValueError(f"anchor is {self.anchor}, but relative dissimilarities are angles: set anchor to unit")
        if self.distance != "departure" and (self.null == "identical" or self.merge is True):
            key, value, other = ("null", "identical", "propagated")
            if self.null != "identical":
                key, value, other = ("merge", "true", "auto")
            raise ValueError(
                f"{key} is {value}, which needs dissimilarities of tests with themselves; distances by {self.distance} "
                f"are 0 there by definition: set {key} to {other}"
            )
        return self


class Quotient(Settings):
    """AIQ, the volume of the hull (Eqs. 13 and 14)."""

    facet_budget: ClassVar = fixed(5_000_000)  # facets above which the volume is approximated
    prior_df: ClassVar = fixed(4.0)  # weight of what all domains say of an agent's variance
    confidence: ClassVar = fixed(CONFIDENCE)


# ---- What a suite's run has besides: known baselines, precision as a goal, the page --------------


class KnownBaselines(Settings):
    """Baselines that people know: complexity measures, distances of data sets, linear transfer, random play.

    Not to be taken for ``baseline``, the trained agent of control domains.
    """

    when: Literal["auto", "never"] = Field(
        "auto",
        description="auto: a library that is missing where the job runs is named in the tables instead of its numbers; "
        "never: no such job. The plan of a run is the same whatever is installed",
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
    over: ClassVar = fixed("mean")  # half-widths over agents
    factor: ClassVar = fixed(2.0)  # a round buys at most what this factor on every number would buy
    stalled: ClassVar = fixed(0.25)  # two rounds that gain less than this share of what was predicted are the last
    rounds: ClassVar = fixed(10)  # most of them after the start

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
    variance: ClassVar = fixed(200)  # replicates that split the variance of scores by source; fewer in large suites
