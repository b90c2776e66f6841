"""The whole configuration of a run, its sources of domains and its presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from aiq.config.agents import Agent as Agent
from aiq.config.agents import Agents, Baseline
from aiq.config.agents import check_name as check_name
from aiq.config.base import STORE, Device, RunSettings
from aiq.config.base import Jobs as Jobs
from aiq.config.dissimilarity import Dissimilarity
from aiq.config.kinds import check_kind, is_control, is_numeric
from aiq.config.measures import (
    Complexity,
    Entropy,
    KnownBaselines,
    OfTables,
    Page,
    Precision,
    Quotient,
    SimilarityTable,
    Space,
)
from aiq.config.training import Learning, Pool
from aiq.domains.control.settings import Control
from aiq.domains.labelled.settings import Labelled
from aiq.domains.registry import CONTROL_FAMILIES, FAMILIES
from aiq.errors import did_you_mean
from aiq.records.complexity import affordable_k
from aiq.settings import fixed

if TYPE_CHECKING:
    Source = Labelled | Control
else:
    # Type checkers know what all families have in common; pydantic checks the settings of the family itself.
    ALL = [family.settings for family in (*FAMILIES.values(), *CONTROL_FAMILIES.values())]
    Source = Annotated[reduce(or_, ALL), Field(discriminator="source")]


@dataclass(frozen=True, slots=True)
class PresetKey:
    """One key of a preset: its place by dots, its value, and the paper's place that says so."""

    place: str
    value: Any
    source: str


PAPER = (
    PresetKey("pool.interface", "domain", "2.4.3: a domain is measured by itself, not in a suite"),
    PresetKey("complexity.estimator", "minimum", "2.4.3: the smallest policy of a bin is selected"),
    PresetKey("complexity.envelope", "at_least", "Fig. 2: the minimal policy size required to reach each performance"),
    PresetKey("complexity.bins", 30, "2.4.3: thirty bins"),
    PresetKey("complexity.value_range", [0.0, 1.0], "2.4.3: the performance range, generally [0, 1]"),
    PresetKey("complexity.extrapolate", "linear", "2.4.3: linear extrapolation where several bins are missing"),
    PresetKey("complexity.fill", "linear", "2.4.3: the same straight line for MCCP@k, which stands beside"),
    PresetKey("dissimilarity.ends", "pair", "2.5.3: every proportion, from zero to one, is of that pair"),
    PresetKey("dissimilarity.labels", "apart", "2.5.3: both domains are merged as they are"),
    PresetKey("dissimilarity.estimator", "average_first", "Eq. 9: the area between two performance curves"),
    PresetKey("dissimilarity.value", "plain", "Eq. 9: the area of the absolute difference"),
    PresetKey("space.length", "complexity", "Eq. 10: the unit vector times the complexity"),
    PresetKey("space.distance", "departure", "2.6.2: distances between tests are their dissimilarities"),
    PresetKey("space.dimensions", "all", "3.3.5: unnecessary dimensions of intelligence are not removed"),
    PresetKey("space.null", "identical", "3.2.1: what is noise is seen on a domain and itself"),
    PresetKey("space.merge", False, "3.3.5: every test has a location of its own"),
    PresetKey("space.refine", False, "3.3.5: multilateration, and nothing after it"),
    PresetKey("value", "volume", "Eq. 14: AIQ is the volume of the hull"),
)
"""What the paper of 2025 does, as far as it says."""

PRESETS: Mapping[str, tuple[PresetKey, ...]] = {"paper": PAPER}


def applied(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return a raw configuration with the keys of its preset where they are not given; without one as it is."""
    made = dict(raw)
    name = raw.get("preset")
    for key in PRESETS.get(name, ()) if isinstance(name, str) else ():
        section, _, last = key.place.rpartition(".")
        given = made.get(section, {})
        if not section:
            made.setdefault(last, key.value)
        elif isinstance(given, Mapping):  # anything else is refused in its own place
            made[section] = {last: key.value, **given}
    return made


MANY_DOMAINS = 8  # from so many on, controls are trained fewer times than mixtures
EVEN = 1e-9  # proportions that lie so near to their mirror images about 1/2 count as even


class Configuration(RunSettings):
    """A suite of domains, the pool and the trainings that measure it, and the agents to score."""

    measure: Literal["aiq"] = Field("aiq", description="what the run measures")
    preset: Literal["paper"] | None = Field(
        None, description="keys set together where they are not given: as in the paper of 2025; null: the defaults"
    )
    data_root: str | None = Field(None, description="folder where data sets lie or are downloaded to")
    download: bool = Field(True, description="whether torchvision may download what data_root lacks")
    device: Device = Field("cpu", description="where networks are trained: cpu, cuda, or one of several GPUs, cuda:1")
    threads: int = Field(1, ge=1, le=1024, description="threads per training job; 1 is the fastest per core")
    domains: dict[str, Source] = Field(description="the suite: name, then source and parameters")
    pool: Pool = Field(description="the policies that measure complexity")
    training: Learning = Field(description="how the pool is trained")
    complexity: Complexity = Field(default_factory=lambda: Complexity(), description="how complexity is measured")
    entropy: Entropy = Field(default_factory=lambda: Entropy(), description="how entropy is measured")
    dissimilarity: Dissimilarity = Field(description="how dissimilarity is measured")
    similarity: SimilarityTable = Field(
        default_factory=lambda: SimilarityTable(), description="how the 2020 similarity is read from the mixtures"
    )
    space: Space = Field(default_factory=lambda: Space(), description="how the intelligence space is built")
    quotient: ClassVar = fixed(Quotient())
    value: Literal["skills", "volume"] = OfTables.model_fields["value"]  # type: ignore[assignment]
    agents: Agents = Field(default_factory=lambda: Agents(), description="who is scored")
    baseline: Baseline | None = Field(
        None, description="control domains: the agent to compare with, which also measures entropy; null: neither"
    )
    known_baselines: KnownBaselines = Field(
        default_factory=lambda: KnownBaselines(), description="what people know to compare a suite's numbers with"
    )
    precision: Precision | None = Field(
        None, description="how narrow the agents' intervals shall become, by rounds of growing; null: no rounds"
    )
    page: Page = Field(default_factory=lambda: Page(), description="what the page of the run holds")
    store: str | None = Field(None, min_length=1, description=STORE)
    jobs: Jobs = Field(default_factory=lambda: Jobs(), description="how work is cut into jobs")

    @model_validator(mode="before")
    @classmethod
    def _apply_preset(cls, value: Any) -> Any:
        """Set the keys of the preset that are not given."""
        return applied(value) if isinstance(value, Mapping) else value

    @field_validator("domains")
    @classmethod
    def _check_domains(cls, value: dict[str, Source]) -> dict[str, Source]:
        """At least one domain, plain names."""
        if not value:
            raise ValueError("domains is empty, a suite needs at least one domain")
        seen: dict[str, str] = {}
        for name in value:
            check_name("domain", name)
            other = seen.setdefault(name.lower(), name)
            if other != name:
                raise ValueError(
                    f"domains {other!r} and {name!r} differ in case only, which file systems may not keep apart"
                )
        return value

    @model_validator(mode="after")
    def _check(self) -> Configuration:
        """What needs more than one section; the first thing that is wrong is told."""
        checks = (
            *(self._check_landmarks, self._check_page, self._check_complexity, self._check_controls),
            *(self._check_dimensions, self._check_distance, self._check_precision),
        )
        for check in checks:
            check()
        check_kind(self)
        return self

    def _check_landmarks(self) -> None:
        landmarks = self.dissimilarity.landmarks
        if landmarks is not None and landmarks.names is not None:
            for name in landmarks.names:
                if name not in self.domains:
                    hint = did_you_mean(name, self.domains)
                    raise ValueError(f"landmark {name!r} is no domain of the suite{hint}")

    def _check_page(self) -> None:
        for name in (name for pair in self.page.pairs for name in pair):
            if name not in self.domains:
                raise ValueError(f"page.pairs names {name!r}, no domain of the suite{did_you_mean(name, self.domains)}")

    def _check_complexity(self) -> None:
        """The best of k needs k policies; chance is known of labelled domains."""
        k, size = self.complexity.k, self.pool.size
        if k is not None and k > size:
            raise ValueError(
                f"complexity.k is {k}, but the pool has {size} policies; take a pool of at least {k}, or a k of at "
                f"most {size}"
            )
        if self.complexity.start == "chance" and is_control(self):
            raise ValueError(
                "complexity.start is 'chance', but control domains have no best constant answer; take 'zero'"
            )

    def _check_controls(self) -> None:
        number = self.dissimilarity.control_repetitions
        if number != "auto" and not self.controls:
            raise ValueError(
                f"dissimilarity.control_repetitions is {number}, but no controls are trained; leave it out, or set "
                "controls to true (with ends: domain)"
            )

    def _check_dimensions(self) -> None:
        number, most = self.space.dimensions, len(self.domains)
        if isinstance(number, int) and number > most:
            raise ValueError(
                f"space.dimensions is {number}, but the suite has {most} domain{'s' * (most != 1)}, which span at most "
                f"{most}; take 'share', 'noise', 'all' or a whole number from 1 to {most}"
            )

    def _check_distance(self) -> None:
        """Distances by transfer need every pair, and controls where they do not cancel or something is told."""
        settings, distance = self.dissimilarity, self.space.distance
        if distance == "departure":
            return
        if settings.landmarks is not None:
            raise ValueError(
                f"space.distance is {distance!r}, which needs every pair; leave dissimilarity.landmarks out"
            )
        if distance == "relative":
            if settings.twins < 2:
                raise ValueError(
                    f"space.distance is 'relative', which needs twins with their spread, but dissimilarity.twins is "
                    f"{settings.twins}: set it to 2 or more"
                )
            return
        if self.controls:
            return
        if not self.control and settings.labels != "told":
            raise ValueError(
                "space.distance is 'transfer', which needs the transfer areas; set dissimilarity.controls to true "
                "(with ends: domain), or dissimilarity.labels to told"
            )
        points = settings.points
        if any(abs(p + q - 1) > EVEN for p, q in zip(points, reversed(points), strict=True)):
            raise ValueError(
                "space.distance is 'transfer', which without controls needs proportions that lie evenly about 0.5"
            )

    def _check_precision(self) -> None:
        """Intervals need agents, more than one training of each, and more than one chunk of the pool."""
        agents = self.agents
        if self.precision is None:
            return
        trained = bool(agents.networks or agents.outside)
        if not (trained or agents.table):
            raise ValueError(
                "precision is a goal for the agents' intervals, but agents names nobody; add agents, or leave "
                "precision out"
            )
        if trained and agents.repetitions < 2:
            raise ValueError(
                "precision needs intervals, which one training of each agent does not give; set agents.repetitions to "
                "2 or more"
            )
        if self.pool.chunks < 2:
            raise ValueError(
                f"precision needs the error of the pool, but pool.size {self.pool.size} is one chunk; take a pool of "
                f"at least {2 * self.pool.policies_per_chunk}, or fewer policies_per_chunk"
            )

    @property
    def best_of(self) -> int:
        """Policies of which the smallest counts in a complexity."""
        return self.complexity.k or affordable_k(self.pool.size, self.pool.policies_per_chunk)

    @property
    def control(self) -> bool:
        """Whether the domains are played rather than labelled."""
        return is_control(self)

    @property
    def numeric(self) -> bool:
        """Whether numbers are learned (regression) rather than classes."""
        return is_numeric(self)

    @property
    def controls(self) -> bool:
        """Whether every domain is also trained alone with the samples that it has in mixtures."""
        settings = self.dissimilarity
        if settings.controls is None:
            return settings.ends == "domain" and not self.control
        return settings.controls

    @property
    def control_repetitions(self) -> int:
        """Trainings of every control; with the ends they then cost less than ends of pairs, from 8 domains on."""
        settings = self.dissimilarity
        if settings.control_repetitions != "auto":
            return settings.control_repetitions
        usual = settings.repetitions
        if not self.controls or len(self.domains) < MANY_DOMAINS:
            return usual
        return min(usual, max(2, -(-3 * usual // 5)))

    @property
    def controls_together(self) -> int:
        """Trainings of a control that train together: as many of mixtures, or the next number below that divides."""
        number, most = self.control_repetitions, self.dissimilarity.repetitions_per_chunk
        return next(each for each in range(min(number, most), 0, -1) if number % each == 0)

    @property
    def control_chunks(self) -> int:
        """Chunks of a domain's controls."""
        return self.control_repetitions // self.controls_together

    @property
    def agent_training(self) -> Learning:
        """How agents are trained."""
        return self.agents.training or self.training
