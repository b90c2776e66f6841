"""How a run of anytime tests is cut into jobs, what identifies each piece, and where its files lie.

A unit is one administered test: an agent in a class, once. More repetitions, agents or classes leave
finished units as they are.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from aiq.errors import ConfigurationError
from aiq.plans.base import NAME, Fingerprint, Stage, always
from aiq.plans.cost import MEGABYTES, START, Work
from aiq.plans.layout import blocks
from aiq.plans.products import Figure, Products, Table
from aiq.plans.units import Step, UnitsPlan
from aiq.wings.anytime.settings import Anytime, BfPrograms, Interactions, Seconds, outside

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
        code=lambda plan, job: [agent.file for agent in outside(plan.configuration.agents[job.agent])],
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
        contents = [_content(agent.file) for agent in outside(who)]
        return TESTS.fingerprint(c.seed, c.test, environments, c.classes[environments], agent, who, contents)

    def result(self, environments: str) -> Fingerprint:
        """Fingerprint of what a class's tests reduce to."""
        c = self.configuration
        tests = [[agent, self.test(environments, agent)] for agent in self.agents(environments)]
        return RESULT.fingerprint(tests, c.repetitions, list(c.points), c.bins, c.resamples)
