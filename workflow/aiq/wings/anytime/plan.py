"""Settings of a run of the anytime test (Hernández-Orallo and Dowe 2010), and how it is cut into jobs.

A unit is one administered test: an agent in a class, once. More repetitions, agents or classes leave
finished units as they are.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from aiq.config.base import RunSettings
from aiq.config.suite import check_name
from aiq.errors import ConfigurationError
from aiq.plans.base import NAME, Fingerprint, Stage, always
from aiq.plans.cost import MEGABYTES, START, Work
from aiq.plans.layout import blocks
from aiq.plans.products import Figure, Products, Table
from aiq.plans.units import Step, UnitsPlan
from aiq.settings import Settings, fixed


class Cups(Settings):
    """Cups and buttons (section 6.1): H is the number of cups."""

    family: Literal["cups"] = Field(description="the class of environments")
    largest: ClassVar = fixed(200)  # most cups


class Automata(Settings):
    """Finite automata (section 6.2): H is the code length of the table in bits."""

    family: Literal["automata"] = Field(description="the class of environments")
    largest: ClassVar = fixed(100)  # most states


class GridWorld(Settings):
    """Good and Evil on a 9 × 9 torus (section 6.3): H is the number of symbols of both paths."""

    family: Literal["grid"] = Field(description="the class of environments")
    longest: ClassVar = fixed(1000)  # most symbols of both paths together


class BfPrograms(Settings):
    """BF programs of the algorithmic quotient, balanced by a fair sign: H is the length of the program."""

    family: Literal["programs"] = Field(description="the class of environments")
    blocks: ClassVar = fixed(20)  # of 100 drawn programs that the class holds
    symbols: ClassVar = fixed(5)  # of the reference machine, and actions


Environments = Annotated[Cups | Automata | GridWorld | BfPrograms, Field(discriminator="family")]


class Examined(Settings):
    """Any agent that is examined."""

    @property
    def files(self) -> tuple[str, ...]:
        """The Python files that it is read from, which travel with jobs (``plans.workflow.carried``)."""
        return tuple(agent.file for agent in from_files(self))


class Plain(Examined):
    """An agent without parameters: random, the oracle of the class, or the paper's policy of cups or grid."""

    kind: Literal["random", "oracle", "black_cup", "follow_good"] = Field(description="the agent")


class QLearner(Examined):
    """Tabular Q-learning over observations, anew in every environment."""

    kind: Literal["q_learning"] = Field(description="the agent")
    rate: float = Field(0.5, gt=0, le=1, description="learning rate α")
    discount: float = Field(0.6, ge=0, lt=1, description="discount γ")
    exploration: float = Field(0.1, ge=0, le=1, description="share ε of random actions")


class Outside(Examined):
    """An agent from a Python file: a class with begin, observe and act, or a function of the observation."""

    kind: Literal["outside"] = Field(description="the agent")
    file: str = Field(min_length=1, description="Python file")
    attribute: str = Field("Agent", min_length=1, description="class without arguments, or policy function, in it")


Player = Annotated[Plain | QLearner | Outside, Field(discriminator="kind")]


class Slow(Examined):
    """Another agent that takes a time of its own for every action (by seconds only)."""

    kind: Literal["slow"] = Field(description="the agent")
    agent: Player = Field(description="who acts")
    seconds: float = Field(gt=0, description="seconds an action")


class Sandbagger(Examined):
    """Fails on purpose to be given easier environments, and wins those."""

    kind: Literal["sandbagger"] = Field(description="the agent")
    winner: Player = Field(description="who plays to win")
    loser: ClassVar = fixed("anti_oracle")  # who plays to fail
    wins: ClassVar = fixed(1)  # environments that are won before one is failed


Examinee = Annotated[Plain | QLearner | Outside | Slow | Sandbagger, Field(discriminator="kind")]
ONLY = {"black_cup": "cups", "follow_good": "grid"}
"""Agents that know what they see, and the only class that shows it."""


class Interactions(Settings):
    """The test that disregards time (Definition 19)."""

    by: Literal["interactions"] = Field(description="what the budget counts")
    budget: int = Field(ge=1, le=100_000_000, description="interactions in all")


class Seconds(Settings):
    """The test in physical time (Definition 18)."""

    by: Literal["seconds"] = Field(description="what the budget counts")
    budget: float = Field(gt=0, description="seconds in all")
    first: float = Field(1e-6, gt=0, description="time τ in the first environment, seconds")
    action: float | None = Field(
        None, gt=0, description="seconds every action takes on a simulated clock; null: the wall clock"
    )


class AnytimeJobs(Settings):
    """How tests are cut into jobs; no result depends on it."""

    repetitions_per_job: int = Field(10, ge=1, description="tests that one job administers")


class Anytime(RunSettings):
    """Agents examined by a test that adapts to them and can be stopped at any time."""

    measure: Literal["anytime"] = Field(description="what the run measures")
    test: Annotated[Interactions | Seconds, Field(discriminator="by")] = Field(description="what ends the test")
    repetitions: int = Field(10, ge=1, le=1_000_000, description="tests of each agent in each class")
    classes: dict[str, Environments] = Field(description="classes of environments: name, then family and parameters")
    agents: dict[str, Examinee] = Field(description="examinees: name, then kind and parameters")
    budgets: list[float] | None = Field(
        None, description="budgets at which results are told, up to the test's own; null: ten, evenly spread in log"
    )
    bins: ClassVar = fixed(8)  # groups of complexities for the mean reward
    resamples: Annotated[int, Field(ge=2, le=1_000_000)] = Field(1000, description="bootstrap resamples")
    jobs: AnytimeJobs = Field(default_factory=lambda: AnytimeJobs(), description="how work is cut into jobs")

    @field_validator("classes", "agents")
    @classmethod
    def _check_names(cls, value: dict[str, object]) -> dict[str, object]:
        if not value:
            raise ValueError("is empty, name at least one")
        for name in value:
            check_name("class or agent", name)
        if len({name.lower() for name in value}) < len(value):
            raise ValueError(f"names {', '.join(value)} must differ in more than case, file systems may not keep it")
        return value

    @model_validator(mode="after")
    def _check_pairs(self) -> Anytime:
        for name, agent in self.agents.items():
            if not any(fits(agent, environments) for environments in self.classes.values()):
                raise ValueError(
                    f"agent {name!r} fits none of the classes {', '.join(self.classes)}; see config/README"
                )
            if isinstance(agent, Slow) and not isinstance(self.test, Seconds):
                raise ValueError(f"agent {name!r} is slow, which a test by interactions does not see; test by seconds")
        for budget in self.budgets or []:
            if not 0 < budget <= self.test.budget:
                raise ValueError(f"budgets holds {budget}, it must be above 0 and at most {self.test.budget}")
        if self.budgets is not None and (not self.budgets or sorted(set(self.budgets)) != self.budgets):
            raise ValueError(f"budgets {self.budgets} must rise, with at least one")
        return self

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """(class, agent) that are examined: agents that know one class only, and oracles, leave others out."""
        return tuple((c, a) for c, made in self.classes.items() for a, who in self.agents.items() if fits(who, made))

    @property
    def points(self) -> tuple[float, ...]:
        """Budgets at which results are told."""
        if self.budgets is not None:
            return tuple(self.budgets)
        last = float(self.test.budget)
        low = 1.0 if isinstance(self.test, Interactions) else last / 1000
        points = [low * (last / low) ** (i / 9) for i in range(9)] + [last]
        if isinstance(self.test, Interactions):
            points = [float(round(value)) for value in points]
        return tuple(sorted(set(points)))


def players(agent: Examined) -> list[Examined]:
    """Return who plays for an examinee: itself, or those that it is made of."""
    if isinstance(agent, Slow):
        return [agent.agent]
    if isinstance(agent, Sandbagger):
        return [agent.winner, Plain(kind="oracle")]
    return [agent]


def from_files(agent: Examined) -> list[Outside]:
    """Return the agents from Python files that an examinee is made of."""
    return [player for player in players(agent) if isinstance(player, Outside)]


def fits(agent: Examined, environments: Environments) -> bool:
    """Whether an agent can be examined in a class."""
    family = environments.family
    kinds = [player.kind for player in players(agent) if isinstance(player, Plain)]
    return all(family != "programs" if kind == "oracle" else ONLY.get(kind, family) == family for kind in kinds)


# ---- plan ------------------------------------------------------------------------------------------

TESTS = Stage("anytime", 1)
RESULT = Stage("anytime result", 1)

INTERACTION = 4e-5  # seconds of an anytime test on one x86-64 core
PROGRAM_INTERACTION = 4e-4  # of an anytime test among programs


@dataclass(frozen=True, slots=True)
class ExamJob:
    """Tests ``first`` to ``last`` (inclusive) of one agent in one class."""

    environments: str
    agent: str
    first: int
    last: int

    @property
    def units(self) -> dict[str, int]:
        """Unit name -> repetition."""
        return {f"{self.agent}+{r:06d}": r for r in range(self.first, self.last + 1)}


def _content(file: str) -> str:
    """Return the digest of a file that defines an agent: its results hold for exactly this content."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise ConfigurationError(
            f"the agent's file {file} cannot be read: {error.strerror}; give the path of a Python file"
        ) from error


def tests(configuration: Anytime, environments: str, count: int) -> Work:
    """Return what some anytime tests of one agent in the class of a name cost."""
    test = configuration.test
    if isinstance(test, Seconds) and test.action is None:
        return Work(START + count * test.budget, MEGABYTES)
    steps = test.budget if isinstance(test, Interactions) else test.budget / (test.action or 1.0)
    each = PROGRAM_INTERACTION if isinstance(configuration.classes[environments], BfPrograms) else INTERACTION
    return Work(START + count * steps * each, MEGABYTES + count * steps * 1e-4)


def _prints(plan: AnytimePlan) -> list[Fingerprint]:
    return [fingerprint for _, fingerprint in plan.results().values()]


STEPS = (
    Step(
        "administer_anytime",
        "anytime",
        "tests/{environments}/{agent}/tests-{first:04d}-{last:04d}.h5",
        "aiq.wings.anytime.work:administer_tests",
        jobs=lambda plan: plan.jobs,
        units=lambda plan, job: dict.fromkeys(job.units, plan.test(job.environments, job.agent)),
        follows=lambda plan, job: plan.test(job.environments, job.agent),
        asks=lambda plan, job: tests(plan.configuration, job.environments, job.last - job.first + 1).request,
        code=lambda plan, job: [agent.file for agent in from_files(plan.configuration.agents[job.agent])],
        words={"environments": NAME, "agent": NAME, "first": r"\d+", "last": r"\d+"},
    ),
    Step(
        "reduce_anytime",
        "anytime result",
        "anytime/{environments}.h5",
        "aiq.wings.anytime.work:reduce_tests",
        jobs=lambda plan: plan.classes,
        follows=lambda plan, environments: plan.result(environments),
        asks=always(1000, 20),
        reads=lambda plan, environments: {"shards": plan.files("administer_anytime", plan.of_class(environments))},
        result=True,
        words={"environments": NAME},
    ),
)
PRODUCTS = (
    Products(
        "draw_anytime",
        needs=lambda plan: {"results": [*plan.results()], "tests": [*plan.shards()]},
        follows=_prints,
        figures=(
            Figure("anytime-budget", "1 Anytime test", title="Υ and level by budget"),
            Figure("anytime-trace", "1 Anytime test", title="The course of the tests"),
            Figure("anytime-complexity", "1 Anytime test", title="Reward by complexity"),
        ),
        megabytes=lambda plan: 1500,
    ),
    Products(
        "tabulate_anytime",
        needs=lambda plan: {"results": [*plan.results()]},
        follows=_prints,
        tables=(Table("anytime", "2 Tables", "anytime-tables"), Table("endings", "2 Tables", "anytime-tables")),
    ),
)


class AnytimePlan(UnitsPlan[Anytime]):
    """The jobs of a configuration and the fingerprints of everything that is stored."""

    settings = Anytime
    stages = (TESTS, RESULT)
    steps = STEPS
    declared = PRODUCTS

    @cached_property
    def jobs(self) -> tuple[ExamJob, ...]:
        """All jobs."""
        c = self.configuration
        cuts = blocks(c.repetitions, c.jobs.repetitions_per_job)
        return tuple(ExamJob(made, agent, first, last) for made, agent in c.pairs for first, last in cuts)

    def of_class(self, environments: str) -> tuple[ExamJob, ...]:
        """The jobs in one class."""
        return tuple(job for job in self.jobs if job.environments == environments)

    def agents(self, environments: str) -> tuple[str, ...]:
        """The agents that are examined in a class."""
        return tuple(agent for made, agent in self.configuration.pairs if made == environments)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes in which somebody is examined."""
        return tuple(dict.fromkeys(made for made, _ in self.configuration.pairs))

    def test(self, environments: str, agent: str) -> Fingerprint:
        """Fingerprint of an agent's tests in a class: the same for every repetition."""
        c = self.configuration
        who = c.agents[agent]
        contents = [_content(agent.file) for agent in from_files(who)]
        return TESTS.fingerprint(c.seed, c.test, environments, c.classes[environments], agent, who, contents)

    def result(self, environments: str) -> Fingerprint:
        """Fingerprint of what a class's tests reduce to."""
        c = self.configuration
        tests = [[agent, self.test(environments, agent)] for agent in self.agents(environments)]
        return RESULT.fingerprint(tests, c.repetitions, list(c.points), c.bins, c.resamples)
