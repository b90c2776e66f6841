"""The configuration of a run that measures the algorithmic intelligence quotient (Legg and Veness 2013)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from aiq.config.base import RunSettings
from aiq.config.suite import check_name
from aiq.settings import Settings, fixed

STRATA = 20
"""Strata of programs, 1 to 20."""
BLOCK = 100
"""Programs in one block of the sampler."""
STAGES = (3, 6, 10, 20, 30, 50, 70, 100, 250, 500, 750, 1000)
"""Runs a stratum at which stages of the adaptive sampler end."""


class ReferenceMachine(Settings):
    """The BF reference machine."""

    symbols: int = Field(
        5, ge=2, le=64, description="size of the alphabet: actions, rewards and tape cells; odd ones are balanced"
    )
    observation_cells: ClassVar = fixed(1)
    observation_first: ClassVar = fixed(False)


class Programs(Settings):
    """The sample of programs from which all trials draw."""

    count: int = Field(
        100_000,
        ge=BLOCK,
        le=1_000_000_000,
        multiple_of=BLOCK,
        description="accepted programs; a larger number adds to the sample",
    )
    simplification: Literal["one-pass", "fixed-point"] = Field(
        "one-pass", description="neutral pairs are deleted once (published) or until none is left"
    )
    file: str | None = Field(
        None, description="text file of programs made elsewhere, 'stratum program' a line; count is then not used"
    )
    stratified: bool = Field(True, description="adaptive stratified sampling; false is plain Monte Carlo")


class Player(Settings):
    """What every entry of the list of agents has; a name may occur again with other lengths and parameters."""

    name: str = Field(min_length=1, description="name in files and tables; entries of one name make one line")
    label: str | None = Field(None, description="name in figures; null: the name")
    lengths: list[Annotated[int, Field(ge=1)]] = Field(
        min_length=1, description="episode lengths in cycles, a longer list adds"
    )
    runs: int | None = Field(None, ge=1, description="trials at each length (two a pair); null: that of the file")
    jobs: int = Field(1, ge=1, description="jobs that share each stage of the sampler; more for slow agents")

    @model_validator(mode="after")
    def _check_entry(self) -> Player:
        check_name("agent", self.name)
        for length in self.lengths:
            if self.lengths.count(length) > 1:
                raise ValueError(f"agent {self.name!r} has the length {length} twice")
        return self

    @property
    def parameters(self) -> dict[str, Any]:
        """The agent's own parameters, as the factory of agents takes them."""
        common = set(Player.model_fields) | {"agent"}
        return self.model_dump(mode="json", exclude=common)


Probability = Annotated[float, Field(ge=0, le=1)]
Gamma = Annotated[float, Field(ge=0, lt=1)]


class RandomAgent(Player):
    """Draws every action uniformly; its quotient is 0."""

    agent: Literal["random"] = Field(description="the agent: random")


class FreqAgent(Player):
    """Epsilon-greedy on the mean reward of each action; ignores observations."""

    agent: Literal["freq"] = Field(description="the agent: freq")
    epsilon: Probability = Field(description="share of uniformly drawn actions")
    legacy: bool = Field(False, description="phantom first update of the published code")


class QAgent(Player):
    """Watkins's Q(lambda), Q(0) with trace 0."""

    agent: Literal["q"] = Field(description="the agent: q")
    initial: ClassVar = fixed(0.0)
    trace: Probability = Field(0.0, description="lambda")
    rate: Probability = Field(description="learning rate alpha")
    epsilon: Probability = Field(description="share of uniformly drawn actions")
    discount: Gamma = Field(description="gamma")
    legacy: bool = Field(False, description="phantom first update of the published code")


class SarsaAgent(QAgent):
    """Sarsa(lambda): learns the value of the policy that it follows."""

    agent: Literal["sarsa"] = Field(description="the agent: sarsa")  # type: ignore[assignment]


class HLQAgent(Player):
    """HLQ(lambda) of Hutter and Legg (2007): Q(lambda) that adapts its learning rate."""

    agent: Literal["hlq"] = Field(description="the agent: hlq")
    initial: ClassVar = fixed(0.0)
    trace: Probability = Field(description="lambda")
    epsilon: Probability = Field(description="share of uniformly drawn actions")
    discount: Gamma = Field(description="gamma")
    legacy: bool = Field(False, description="phantom first update of the published code")


class MCAIXIAgent(Player):
    """MC-AIXI-CTW (Veness et al. 2011)."""

    agent: Literal["mc-aixi"] = Field(description="the agent: mc-aixi")
    simulations: int = Field(ge=1, le=1_000_000, description="search effort: simulations a cycle")
    depth: int = Field(ge=0, le=512, description="depth of the context in bits")
    horizon: int = Field(ge=1, le=100, description="cycles that the planner looks ahead")
    exploration: ClassVar = fixed(math.sqrt(2))  # constant of UCT
    factored: bool = Field(True, description="one context tree a bit of the percept, or one for all bits")
    epsilon: ClassVar = fixed(0.05)  # share of uniformly drawn actions, as in the published program
    common_random_numbers: ClassVar = fixed(True)  # every search begins with the same ones, as in the published program


class OutsideAgent(Player):
    """An agent of yours as Python callable; each cycle passes through Python: at least 50 times slower."""

    agent: Literal["outside"] = Field(description="the agent: outside")
    factory: str = Field(
        pattern=r"^[^:\s]+:[^:\s]+$", description="module:factory, called as factory(actions, observations, seed, ...)"
    )
    arguments: dict[str, str | float | int | bool] = Field(
        default_factory=dict, description="further named arguments of the factory"
    )

    @property
    def parameters(self) -> dict[str, Any]:
        """Factory and arguments."""
        return {"factory": self.factory, "parameters": dict(self.arguments)}


AlgorithmicAgent = Annotated[
    RandomAgent | FreqAgent | QAgent | HLQAgent | SarsaAgent | MCAIXIAgent | OutsideAgent, Field(discriminator="agent")
]


class AlgorithmicJobs(Settings):
    """How work is cut into jobs; no result depends on it."""

    programs_per_job: int = Field(10_000, ge=BLOCK, multiple_of=BLOCK, description="programs that one job samples")


class Algorithmic(RunSettings):
    """Agents in environments that are random programs: mean reward with intervals, at one or more episode lengths."""

    measure: Literal["algorithmic"] = Field(description="what the run measures")
    machine: ReferenceMachine = Field(default_factory=lambda: ReferenceMachine(), description="the reference machine")
    programs: Programs = Field(default_factory=lambda: Programs(), description="the sample of programs")
    runs: int = Field(
        10_000, ge=10, le=1_000_000_000, description="trials of an agent at a length (two a pair); 10000 as published"
    )
    discount: float = Field(1.0, gt=0, le=1, description="weights d ** k of the rewards of cycle k; 1 for none")
    legacy_discount: bool = Field(False, description="normalise discounted rewards by one term too many, as published")
    interval: Literal["optimal", "realised", "legacy"] = Field(
        "optimal",
        description="optimal: for adaptive allocation; realised: for any; legacy: published, sqrt(2) too small",
    )
    agents: list[AlgorithmicAgent] = Field(min_length=1, description="who is measured, and at which lengths")
    jobs: AlgorithmicJobs = Field(default_factory=lambda: AlgorithmicJobs(), description="how work is cut into jobs")

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and value.get("agents") == []:
            raise ValueError("agents is empty, name at least one")
        return value

    @model_validator(mode="after")
    def _check_agents(self) -> Algorithmic:
        """One entry for each name and length; entries of one name are one kind of agent with one label."""
        seen: set[tuple[str, int]] = set()
        first: dict[str, Player] = {}
        for entry in self.agents:
            for length in entry.lengths:
                if (entry.name, length) in seen:
                    raise ValueError(f"agent {entry.name!r} has the length {length} in two entries")
                seen.add((entry.name, length))
            other = first.setdefault(entry.name.lower(), entry)
            if (other.name, type(other), other.label) != (entry.name, type(entry), entry.label):
                raise ValueError(
                    f"the entries of agent {entry.name!r} differ in kind, label or case of the name; name them apart"
                )
        return self
