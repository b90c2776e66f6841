"""The whole configuration of a run."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from aiq.config.base import Settings
from aiq.config.domains import Domain
from aiq.config.measures import Complexity, Dissimilarity, Entropy, Quotient, Space
from aiq.config.training import Network, Pool, Training
from aiq.errors import did_you_mean

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def check_name(what: str, name: str) -> None:
    """Names become parts of file names, so they are plain words."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{what} name {name!r} must be letters, digits, '_', '.', '-', a letter or digit first")


class Agent(Network):
    """An agent to be scored: a network of given depth and width, trained on every domain (3.3.6)."""

    name: str = Field(min_length=1, description="name in tables and figures")

    @model_validator(mode="after")
    def _check_agent_name(self) -> Agent:
        """A plain word."""
        check_name("agent", self.name)
        return self


class Agents(Settings):
    """Whose performances are scored."""

    networks: list[Agent] = Field(default_factory=list, description="agents trained here")
    repetitions: int = Field(3, ge=1, description="trainings of each agent on each domain, for the intervals")
    training: Training | None = Field(None, description="how they are trained; null: as the pool")
    table: str | None = Field(None, description="CSV agent,domain,performance[,repetition] of results made elsewhere")

    @model_validator(mode="after")
    def _unique(self) -> Agents:
        """No two agents of one name."""
        names = [agent.name for agent in self.networks]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"agent {name!r} is named twice")
        return self


class Jobs(Settings):
    """How work is cut into jobs; no result depends on it."""

    chunks_per_job: int = Field(1, ge=1, description="chunks of policies that one job trains")
    mixtures_per_job: int = Field(1, ge=1, description="pairs of domains that one job trains")
    agents_per_job: int = Field(10, ge=1, description="agents that one job trains on a domain")


class Configuration(Settings):
    """A suite of domains, the pool and the trainings that measure it, and the agents to score."""

    measure: Literal["aiq"] = Field("aiq", description="what the run measures")
    name: str = Field(description="name of the run, shown in the report")
    seed: int = Field(ge=0, le=2**63 - 1, description="root of all randomness")
    results: str = Field(min_length=1, description="folder of everything the run writes")
    data_root: str | None = Field(None, description="folder where data sets lie or are downloaded to")
    download: bool = Field(True, description="whether torchvision may download what data_root lacks")
    device: Literal["cpu", "cuda"] = Field("cpu", description="where networks are trained")
    threads: int = Field(1, ge=1, description="threads a training job; 1 is the fastest per core")
    domains: dict[str, Domain] = Field(description="the suite: name, then source and parameters")
    pool: Pool = Field(description="the policies that measure complexity")
    training: Training = Field(description="how the pool is trained")
    complexity: Complexity = Field(default_factory=lambda: Complexity(), description="how complexity is measured")
    entropy: Entropy = Field(default_factory=lambda: Entropy(), description="how entropy is measured")
    dissimilarity: Dissimilarity = Field(description="how dissimilarity is measured")
    space: Space = Field(default_factory=lambda: Space(), description="how the intelligence space is built")
    quotient: Quotient = Field(default_factory=lambda: Quotient(), description="how agents are scored")
    agents: Agents = Field(default_factory=lambda: Agents(), description="who is scored")
    jobs: Jobs = Field(default_factory=lambda: Jobs(), description="how work is cut into jobs")

    @field_validator("domains")
    @classmethod
    def _check_domains(cls, value: dict[str, Domain]) -> dict[str, Domain]:
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
    def _check_landmarks(self) -> Configuration:
        """Landmarks are domains of the suite."""
        landmarks = self.dissimilarity.landmarks
        if landmarks is not None and landmarks.names is not None:
            for name in landmarks.names:
                if name not in self.domains:
                    hint = did_you_mean(name, self.domains)
                    raise ValueError(f"landmark {name!r} is no domain of the suite{hint}")
        return self

    @property
    def agent_training(self) -> Training:
        """How agents are trained."""
        return self.agents.training or self.training
