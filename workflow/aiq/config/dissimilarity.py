"""Settings of dissimilarity: mixtures and landmarks."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from aiq.config.measures import Curves
from aiq.config.training import Learning, Network
from aiq.settings import Settings, fixed


class Landmarks(Settings):
    """Measure each domain against a few landmarks only and complete the rest (2.5.3)."""

    count: int | None = Field(None, ge=1, description="number of landmarks, spread evenly over the suite")
    names: list[str] | None = Field(None, description="the landmarks by name")
    residual: ClassVar = fixed("orthogonal")  # what domains share beyond the landmarks: nothing
    dimensions: ClassVar = fixed("left_out")  # those that complete best the pairs of landmarks left out in turn
    uncertainty: ClassVar = fixed("completed")  # intervals carry in which directions landmarks leave domains open

    @model_validator(mode="after")
    def _one_of(self) -> Landmarks:
        """Either a count or names."""
        if (self.count is None) == (self.names is None):
            raise ValueError("landmarks need either count or names")
        if self.names is not None and (not self.names or len(set(self.names)) < len(self.names)):
            raise ValueError(f"names {self.names} must be at least one domain, each named once")
        return self


class Dissimilarity(Curves):
    """Dissimilarity of two domains from training on their mixtures (Eqs. 7 to 9, 2.5.3)."""

    proportions: Annotated[int, Field(ge=3, le=10_001)] | list[float] = Field(
        11, description="number of equidistant proportions from 0 to 1, or the proportions themselves"
    )
    repetitions: int = Field(
        3, ge=1, le=10_000, description="trainings a proportion; a multiple of repetitions_per_chunk"
    )
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
        le=100_000,
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
    controls_length: ClassVar = fixed("steps")  # as many as a mixture, with batches that shrink with the samples
    interface: ClassVar = fixed(None)  # inputs and outputs are those that the suite needs
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
    landmarks: Landmarks | None = Field(None, description="measure against landmarks only")

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
        if self.ends == "pair":
            for key in ("end_repetitions", "end_repetitions_per_chunk"):
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
