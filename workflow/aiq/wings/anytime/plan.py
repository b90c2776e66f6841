"""How a run of anytime tests is cut into jobs, what identifies each piece, and where its files lie.

A unit is one administered test: an agent in a class, once. More repetitions, agents or classes leave
finished units as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from aiq.domains.sizes import Sizes
from aiq.errors import ConfigurationError
from aiq.plans.base import Plan, Shards
from aiq.plans.charts import Lines
from aiq.plans.cost.asked import Asked
from aiq.plans.cuts import blocks
from aiq.plans.layout import Files
from aiq.plans.products import Figure, Products, Table
from aiq.plans.stages import Fingerprint, Stage
from aiq.wings.anytime.cost import asked
from aiq.wings.anytime.rules import RULES
from aiq.wings.anytime.settings import Anytime

TESTS = Stage("anytime", 1)
RESULT = Stage("anytime result", 1)


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
    """Return the digest of a file that defines an agent: its results hold for exactly this content.

    Raises:
        ConfigurationError: the file cannot be read.
    """
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise ConfigurationError(
            f"the agent's file {file} cannot be read: {error.strerror}; give the path of a Python file"
        ) from error


class AnytimeLayout(Files):
    """Paths of a run of anytime tests."""

    def __init__(self, configuration: Anytime) -> None:
        super().__init__(configuration.results)

    def tests(self, environments: str, agent: str, first: str, last: str) -> str:
        """A shard of tests."""
        return self.path("tests", environments, agent, f"tests-{first}-{last}.h5")

    def job(self, job: ExamJob) -> str:
        """The shard of a job."""
        return self.tests(job.environments, job.agent, f"{job.first:04d}", f"{job.last:04d}")

    def result(self, environments: str) -> str:
        """What a class's tests reduce to."""
        return self.path("anytime", f"{environments}.h5")


def _results(plan: AnytimePlan) -> list[str]:
    """Return what every class reduces to."""
    return [plan.layout.result(name) for name in plan.classes]


def _prints(plan: AnytimePlan) -> list[Fingerprint]:
    """Return the fingerprints of what every class reduces to."""
    return [fingerprint for _, fingerprint in plan.results().values()]


PRODUCTS = (
    Products(
        "draw_anytime",
        needs=lambda plan: {"results": _results(plan), "tests": [plan.layout.job(job) for job in plan.jobs]},
        follows=_prints,
        figures=(
            Figure(
                "anytime-budget",
                "1 Anytime test",
                title="Υ and level by budget",
                chart=Lines(
                    ("budget",),
                    (("upsilon", "Υ"), ("level", "complexity level ξ")),
                    "agent",
                    "budget (interactions, or seconds of a test in time)",
                    ("class",),
                    log_x=True,
                    log_y=("level",),
                ),
            ),
            Figure("anytime-trace", "1 Anytime test", title="The course of the tests"),
            Figure(
                "anytime-complexity",
                "1 Anytime test",
                title="Reward by complexity",
                chart=Lines(
                    ("complexity_low", "complexity_high"),
                    (("reward", "mean reward (−1 to 1)"),),
                    "agent",
                    "complexity of the environment",
                    ("class",),
                    log_x=True,
                ),
            ),
        ),
        megabytes=lambda plan: 1500,
    ),
    Products(
        "tabulate_anytime",
        needs=lambda plan: {"results": _results(plan)},
        follows=_prints,
        tables=(Table("anytime", "2 Tables", "anytime-tables"), Table("endings", "2 Tables", "anytime-tables")),
    ),
)


class AnytimePlan(Plan[Anytime, AnytimeLayout]):
    """The jobs of a configuration and the fingerprints of everything that is stored."""

    settings = Anytime
    tasks = "aiq.wings.anytime.work"
    stages = (TESTS, RESULT)
    rules = RULES
    declared = PRODUCTS

    def __init__(self, configuration: Anytime) -> None:
        super().__init__(configuration, AnytimeLayout(configuration))

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
        contents = [_content(file) for file in who.files]
        return TESTS.fingerprint(c.seed, c.test, environments, c.classes[environments], agent, who, contents)

    def result(self, environments: str) -> Fingerprint:
        """Fingerprint of what a class's tests reduce to."""
        c = self.configuration
        tests = [[agent, self.test(environments, agent)] for agent in self.agents(environments)]
        return RESULT.fingerprint(tests, c.repetitions, list(c.points), c.bins, c.resamples)

    def asked(self, known: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
        """Yield what every job asks for that neither draws nor tabulates; no domains are known here."""
        yield from asked(self)

    def shards(self) -> Shards:
        """Return the tests of every agent in every class."""
        prints = {pair: self.test(*pair) for pair in dict.fromkeys((job.environments, job.agent) for job in self.jobs)}
        return {self.layout.job(job): ("anytime", prints[job.environments, job.agent]) for job in self.jobs}

    def results(self) -> Shards:
        """Return what the tests in each class reduce to."""
        return {self.layout.result(name): ("anytime result", self.result(name)) for name in self.classes}
