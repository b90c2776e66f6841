"""Settings of the measures: complexity, entropy, dissimilarity, space and quotient."""

from __future__ import annotations

from math import prod
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from aiq.config.reinforcement import Learning
from aiq.config.training import Network
from aiq.settings import Settings

Confidence = Annotated[float, Field(gt=0, lt=1, description="coverage of the intervals")]
Resamples = Annotated[int, Field(ge=2, le=1_000_000, description="bootstrap resamples")]
CONFIDENCE, RESAMPLES = 0.95, 1000


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
    confidence: Confidence = CONFIDENCE

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
    confidence: Confidence = CONFIDENCE


class Landmarks(Settings):
    """Measure each domain against a few landmarks only and complete the rest (2.5.3)."""

    count: int | None = Field(None, ge=1, description="number of landmarks, spread evenly over the suite")
    names: list[str] | None = Field(None, description="the landmarks by name")
    residual: Literal["orthogonal", "none"] = Field(
        "orthogonal", description="what domains share beyond the landmarks: nothing, or all (the published method)"
    )
    dimensions: Literal["left_out", "spectrum"] = Field(
        "left_out",
        description="dimensions of the completion: as many as complete best the pairs of landmarks left out in turn "
        "(from six landmarks on); or all that stand out in the spectrum of the landmarks, which may be noise",
    )
    uncertainty: Literal["completed", "measured"] = Field(
        "completed",
        description="what intervals of completed pairs carry: also in which directions the landmarks leave domains "
        "open, and how far completed squares are off; or the errors of the measured pairs alone, which is too little",
    )

    @model_validator(mode="after")
    def _one_of(self) -> Landmarks:
        """Either a count or names."""
        if (self.count is None) == (self.names is None):
            raise ValueError("landmarks need either count or names")
        if self.names is not None and (not self.names or len(set(self.names)) < len(self.names)):
            raise ValueError(f"names {self.names} must be at least one domain, each named once")
        return self

    @model_validator(mode="after")
    def _check_uncertainty(self) -> Landmarks:
        """Intervals of completed pairs are those of residuals that point in directions of their own."""
        if self.residual == "none" and self.uncertainty == "completed":
            raise ValueError(
                "residual is 'none', for which no intervals of completed pairs are known; set uncertainty: measured "
                "(the errors of the measured pairs alone, which is too little), or leave residual out"
            )
        return self


class Room(Settings):
    """The common ground of all mixtures, stated so that domains can be added without training anew."""

    shape: list[Annotated[int, Field(ge=1)]] = Field(
        min_length=1, max_length=3, description="of a sample: [numbers], or [channels, height, width] of pictures only"
    )
    picture: list[Annotated[int, Field(ge=1)]] | None = Field(
        None,
        min_length=3,
        max_length=3,
        description="[channels, height, width] in which pictures are centred before they are flattened; null: the "
        "shape itself, which must be of pictures where there are any",
    )
    outputs: int = Field(ge=1, description="of every network: at least the labels of the two data sets that have most")

    @field_validator("shape")
    @classmethod
    def _vector_or_picture(cls, value: list[int]) -> list[int]:
        """One number or three."""
        if len(value) == 2:
            raise ValueError(f"shape {value} must be [numbers] or [channels, height, width]")
        return value

    @model_validator(mode="after")
    def _check_picture(self) -> Room:
        """Flattened pictures fit."""
        if self.picture is not None and (len(self.shape) != 1 or prod(self.picture) > self.shape[0]):
            raise ValueError(f"picture {self.picture} must fit into shape {self.shape}, which must be one number")
        return self


class Dissimilarity(Settings):
    """Dissimilarity of two domains from training on their mixtures (Eqs. 7 to 9, 2.5.3)."""

    proportions: Annotated[int, Field(ge=3, le=10_001)] | list[float] = Field(
        11, description="number of equidistant proportions from 0 to 1, or the proportions themselves"
    )
    repetitions: int = Field(3, ge=1, description="trainings a proportion; a multiple of repetitions_per_chunk")
    repetitions_per_chunk: int = Field(1, ge=1, description="repetitions that train together")
    samples: int | None = Field(
        None, ge=2, description="labelled data: samples at every proportion; null: the smaller split"
    )
    ends: Literal["domain", "pair"] = Field(
        "domain",
        description="train the ends (proportions 0 and 1) once a domain, all mixtures with the suite's largest inputs, "
        "most outputs of a pair and fewest samples; or anew for every pair, with the pair's own",
    )
    end_repetitions: int | None = Field(
        None,
        ge=1,
        description="ends of domains: trainings at an end, a multiple of those that train together; null: 3 times "
        "the repetitions, rounded up to a multiple",
    )
    end_repetitions_per_chunk: int | None = Field(
        None,
        ge=1,
        description="ends of domains: trainings at an end that train together; null: 3 times repetitions_per_chunk",
    )
    controls: bool | None = Field(
        None,
        description="ends of domains: also train each domain alone with the samples that it has in mixtures, which "
        "tells what fewer samples cost; null: yes on labelled data, no on control domains",
    )
    control_repetitions: int | Literal["auto"] = Field(
        "auto",
        description="trainings of every control, 2 or more; auto: as many as repetitions, from 8 domains on three "
        "fifths of them, rounded up, but at least 2",
    )
    controls_length: Literal["steps", "epochs"] = Field(
        "steps",
        description="controls on labelled data train for as many steps as a mixture, with batches that shrink with "
        "their samples; or for as many epochs with whole batches, which are fewer steps",
    )
    interface: Room | None = Field(
        None, description="ends of domains: inputs and outputs with room for domains to come; null: as the suite needs"
    )
    labels: Literal["apart", "shared", "told"] = Field(
        "apart",
        description="labels of different data sets: outputs of their own; the same outputs; outputs of their own, "
        "where only the test's own count when it is scored (labels of one data set are always the same)",
    )
    twins: int = Field(
        0,
        ge=0,
        le=99,
        exclude_if=lambda number: number == 0,  # younger than the fingerprints of dissimilarities
        description="relative dissimilarity: how many twins of every test (inputs and outputs permuted; for a "
        "convolutional network pictures turned and mirrored) each pair is compared with, 2 or more for intervals; a "
        "pair then costs 1 + 2 twins; 0: none",
    )
    twins_of: Literal["pairs", "tests"] = Field(
        "pairs",
        exclude_if=lambda word: word == "pairs",  # younger, too
        description="which twins a pair is compared with: each test meets those of every other one; or its own alone, "
        "which a pair of tests of one space takes the mean of, at the cost of twins mixtures a test",
    )
    network: Network = Field(description="the policy that is trained on every mixture")
    training: Learning = Field(description="how it is trained")
    both_orders: bool = Field(False, description="measure (b, a) apart from (a, b), to see symmetry (Fig. 14)")
    paired: Literal["auto", "yes", "no"] = Field(
        "auto",
        description="whether the points of a repetition may go together (one seed for a whole curve), so that errors "
        "come from whole repetitions; auto: where a table names repetitions, not in a run, which seeds every training",
    )
    estimator: Literal["average_first", "per_repetition"] = Field(
        "average_first", description="average the curves and take the area, or average the areas (biased upwards)"
    )
    value: Literal["unbiased", "plain", "corrected", "signed"] = Field(
        "unbiased",
        description="which value enters the space; unbiased: root of signed² − se², with the errors that pairs share; "
        "plain: the paper's; signed: below 0 enters as 0",
    )
    prior_df: float = Field(
        8.0,
        ge=0,
        le=1000,
        description="weight of a pair's other proportions in the variance at each, in degrees of freedom",
    )
    landmarks: Landmarks | None = Field(None, description="measure against landmarks only")
    resamples: Resamples = RESAMPLES
    confidence: Confidence = CONFIDENCE

    @model_validator(mode="after")
    def _check(self) -> Dissimilarity:
        """Proportions span [0, 1]; only whole chunks of repetitions."""
        points = self.points
        if len(points) < 3 or points[0] != 0 or points[-1] != 1 or sorted(set(points)) != list(points):
            raise ValueError(f"proportions {self.proportions} must rise from 0 to 1 with at least 3 points")
        if self.repetitions % self.repetitions_per_chunk:
            raise ValueError(
                f"repetitions {self.repetitions} is not a multiple of repetitions_per_chunk "
                f"{self.repetitions_per_chunk}; take a multiple"
            )
        return self

    @field_validator("control_repetitions")
    @classmethod
    def _check_control_repetitions(cls, value: int | str) -> int | str:
        """A control that is not repeated has no error."""
        if isinstance(value, int) and value < 2:
            raise ValueError(
                f"control_repetitions is {value}, but the intervals of starvation and transfer need 2 trainings of "
                "every control; take 2 or more, or auto, or set controls to false"
            )
        return value

    @model_validator(mode="after")
    def _check_ends(self) -> Dissimilarity:
        """Only whole chunks of ends; what belongs to ends of domains goes with them."""
        if self.end_repetitions is not None and self.end_repetitions % self.ends_together:
            raise ValueError(
                f"end_repetitions {self.end_repetitions} is not a multiple of end_repetitions_per_chunk "
                f"{self.ends_together}; take a multiple"
            )
        if self.paired == "yes" and self.ends == "domain":
            raise ValueError(
                "paired is 'yes', but with ends: domain the ends of a curve are no part of its repetitions; set ends "
                "to pair, or leave paired out"
            )
        if self.ends == "pair":
            for key in ("end_repetitions", "end_repetitions_per_chunk", "interface"):
                if getattr(self, key) is not None:
                    raise ValueError(f"{key} goes with ends: domain, but ends is pair; leave it out")
            if self.controls:
                raise ValueError("controls go with ends: domain, but ends is pair; set controls to false")
        return self

    @model_validator(mode="after")
    def _check_twins(self) -> Dissimilarity:
        """Twins need one output space, places of their own, and whole repetitions with ends in each."""
        if not self.twins:
            return self
        for key, need in (("ends", "domain"), ("both_orders", False)):
            if getattr(self, key) != need:
                raise ValueError(f"twins is {self.twins}, which goes with {key}: {str(need).lower()} only; set it")
        if not 2 <= self.repetitions <= self.ends_trained:
            raise ValueError(
                f"twins is {self.twins}, which needs 2 repetitions or more and as many ends, but repetitions is "
                f"{self.repetitions} with {self.ends_trained} ends"
            )
        return self

    @property
    def places(self) -> bool:
        """Whether inputs of every declared space have places of their own: for twins of dense networks."""
        return self.twins > 0 and self.network.family == "dense"

    @property
    def trained_points(self) -> tuple[float, ...]:
        """The proportions at which mixtures are trained: without 0 and 1 where the ends are domains'."""
        return self.points if self.ends == "pair" else self.points[1:-1]

    @property
    def shares(self) -> tuple[float, ...]:
        """Shares of the samples that a domain has in mixtures between the ends, rising: every p and every 1 - p."""
        return tuple(sorted({float(f"{x:.12g}") for p in self.points[1:-1] for x in (p, 1 - p)}))

    @property
    def ends_trained(self) -> int:
        """Trainings at the end of a domain; 0 where the ends are pairs'."""
        if self.ends == "pair":
            return 0
        each = self.ends_together
        return self.end_repetitions or -(-3 * self.repetitions // each) * each

    @property
    def ends_together(self) -> int:
        """Trainings at an end that train together."""
        return self.end_repetitions_per_chunk or 3 * self.repetitions_per_chunk

    @property
    def end_chunks(self) -> int:
        """Chunks of a domain's ends."""
        return self.ends_trained // self.ends_together

    @property
    def points(self) -> tuple[float, ...]:
        """The proportions themselves."""
        if isinstance(self.proportions, int):
            last = self.proportions - 1
            return tuple(i / last for i in range(self.proportions))
        return tuple(self.proportions)

    @property
    def chunks(self) -> int:
        """Chunks of repetitions per pair."""
        return self.repetitions // self.repetitions_per_chunk


class SimilarityTable(Settings):
    """Similarity of two domains as the 2020 paper defines it, read from the mixtures of the dissimilarity."""

    at: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="share of the easier domain in the mixture, one of the proportions, as 1 minus it is; null: .5 "
        "where that is a proportion, else no similarity is shown",
    )
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
    confidence: Confidence = CONFIDENCE

    @field_validator("dimensions", mode="before")
    @classmethod
    def _older_word(cls, value: object) -> object:
        """Take ``auto``, the word of earlier versions, for ``noise``."""
        return "noise" if value == "auto" else value

    @field_validator("dimensions")
    @classmethod
    def _positive(cls, value: int | str) -> int | str:
        """At least one dimension."""
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

    facet_budget: int = Field(5_000_000, ge=1, description="facets above which the volume is approximated")
    prior_df: float = Field(
        4.0,
        ge=0,
        description="weight, as degrees of freedom, of what all domains say of an agent's variance (volume)",
    )
    confidence: Confidence = CONFIDENCE


class Headline(Settings):
    """By what agents are listed: a key of a suite's configuration, which verbs on tables have too."""

    value: Literal["skills", "volume"] = Field(
        "skills",
        description="the headline by which agents are listed: the mean over independent skills, or AIQ per dimension "
        "(the volume of the paper); both are always given",
    )
