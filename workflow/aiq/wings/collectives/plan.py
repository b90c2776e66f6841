"""Settings of a run that measures collectives in Lambda* (Chmait et al. 2015), and how it is cut into jobs.

A unit is a block of consecutive episodes of one kind in one test. More episodes, sides or kinds leave
finished units as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import AfterValidator, Field, model_validator

from aiq.config.base import RunSettings
from aiq.plans.base import Fingerprint, Stage, always, joined
from aiq.plans.cost import MEGABYTES, START, Work
from aiq.plans.layout import blocks, digest
from aiq.plans.products import Figure, Products, Table
from aiq.plans.units import Step, UnitsPlan
from aiq.settings import Settings, fixed

# The place of a kind or pattern is its number in random streams: new ones come last.
Preset = Literal["paper", "code"]
Pattern = Literal["segment", "walk", "replay"]
Kind = Literal[
    "random", "local_search", "oracle", "q_learning", "sarsa", "stigmergy", "auction", "imitation", "shared_q",
    "shared_sarsa",
]  # fmt: skip
ALL_KINDS: list[Kind] = list(get_args(Kind))
LEARNERS: list[Kind] = ["local_search", "q_learning", "sarsa", "shared_q", "shared_sarsa"]


def _has_a_move(iterations: int) -> int:
    if iterations < 2:
        raise ValueError(
            f"iterations is {iterations}, so the longest pattern ⌊iterations/2⌋ would have length 0; give 2 or more"
        )
    return iterations


Side = Annotated[int, Field(ge=3, le=1000)]
Agents = Annotated[int, Field(ge=1, le=1000)]
Iterations = Annotated[int, Field(le=10_000), AfterValidator(_has_a_move)]
Passes = Annotated[int, Field(ge=0, le=100_000)]
AGENTS, ITERATIONS = 5, 50


def _each_once(what: str, values: Sequence[object]) -> None:
    if not values or len(set(values)) < len(values):
        raise ValueError(f"{what} {list(values)} must be at least one, each named once")


class Learners(Settings):
    """How Q-learning and Sarsa learn; null is the preset's."""

    rate: ClassVar = fixed(None)
    discount: ClassVar = fixed(None)
    exploration: ClassVar = fixed(None)
    passes: Passes | None = Field(None, description="rehearsals of the whole episode before it counts; null: 100")
    initial: ClassVar = fixed(None)


class LambdaTest(Settings):
    """The test: world and group; where paper and public program differ, the preset decides."""

    preset: Preset = Field("paper", description="the paper's test, or the public program's")
    agents: Agents = Field(AGENTS, description="agents of a group")
    iterations: Iterations = Field(ITERATIONS, description="iterations ϑ of an episode, at least 2")
    pattern: ClassVar = fixed(None)
    stigmergy_discount: ClassVar = fixed(None)
    stigmergy_keeps: ClassVar = fixed(None)
    auction_keeps: ClassVar = fixed(None)
    oracle_intercepts: ClassVar = fixed(None)
    program: ClassVar = fixed(None)
    learning: Learners = Field(default_factory=lambda: Learners(), description="how the learners learn")


class BySide(Settings):
    """Υ of each kind against the uncertainty H of the grid (the paper's Fig. 3)."""

    sides: list[Side] = Field([5, 7, 10, 12, 15, 20], description="sides of the square grids")
    episodes: int = Field(
        10_000, ge=1, le=1_000_000_000, description="episodes a side; a multiple of jobs.episodes_per_block"
    )
    kinds: list[Kind] = Field(ALL_KINDS, description="kinds of groups")

    @model_validator(mode="after")
    def _check(self) -> BySide:
        _each_once("sides", self.sides)
        _each_once("kinds", self.kinds)
        return self


class ByComplexity(Settings):
    """Scores against the complexity K of the task, agents starting next to Good (the paper's Fig. 4)."""

    side: Side = Field(10, description="side of the square grid")
    episodes: int = Field(10_000, ge=1, le=1_000_000_000, description="episodes; a multiple of jobs.episodes_per_block")
    kinds: list[Kind] = Field(LEARNERS, description="kinds of groups")
    patterns: list[Pattern] = Field(["segment", "walk"], description="how Good and Evil move")
    start: ClassVar = fixed("near_good")  # where agents start

    @model_validator(mode="after")
    def _check(self) -> ByComplexity:
        _each_once("kinds", self.kinds)
        _each_once("patterns", self.patterns)
        return self


class DrawnEpisode(Settings):
    """One episode that is drawn as pictures of the grid."""

    kind: Kind = Field("imitation", description="kind of group")
    side: Side = Field(10, description="side of the square grid")
    episode: int = Field(0, ge=0, description="number of the episode")
    pictures: int = Field(6, ge=2, le=12, description="pictures, spread evenly over the iterations")


class CollectivesJobs(Settings):
    """How episodes are cut into units and jobs; no number depends on it."""

    episodes_per_block: int = Field(1000, ge=1, description="episodes of a unit that stands for itself")
    blocks_per_job: int = Field(10, ge=1, description="blocks that one job runs")
    kinds_per_job: int = Field(5, ge=1, description="kinds of groups that one job runs")


class Collectives(RunSettings):
    """Groups of agents scored together in the environment Lambda* (Chmait et al. 2015)."""

    measure: Literal["collectives"] = Field(description="what the run measures")
    test: LambdaTest = Field(default_factory=lambda: LambdaTest(), description="the test")
    by_side: BySide = Field(default_factory=lambda: BySide(), description="Υ against H")
    by_complexity: ByComplexity | None = Field(
        default_factory=lambda: ByComplexity(), description="scores against K; null: none"
    )
    drawn: DrawnEpisode = Field(default_factory=lambda: DrawnEpisode(), description="the episode that is drawn")
    jobs: CollectivesJobs = Field(default_factory=lambda: CollectivesJobs(), description="how work is cut into jobs")

    @model_validator(mode="after")
    def _whole_blocks(self) -> Collectives:
        size = self.jobs.episodes_per_block
        for place, part in (("by_side", self.by_side), ("by_complexity", self.by_complexity)):
            if part is not None and part.episodes % size:
                raise ValueError(
                    f"{place}.episodes {part.episodes} is not a multiple of jobs.episodes_per_block {size}; take a "
                    "multiple"
                )
        return self


# ---- plan ------------------------------------------------------------------------------------------

EPISODES = Stage("collectives", 2)
RESULT = Stage("collectives result", 2)

EPISODE = 2e-8  # seconds of a group on one x86-64 core, for every agent, iteration and pass of training


@dataclass(frozen=True, slots=True)
class Lambda:
    """One test: a grid, how Good and Evil move, where agents start; ``pattern`` None is the preset's."""

    name: str
    side: int
    pattern: str | None
    start: str
    kinds: tuple[Kind, ...]
    episodes: int


@dataclass(frozen=True, slots=True)
class EpisodeJob:
    """Some kinds in blocks ``first`` to ``last`` (inclusive) of one test."""

    test: str
    block: str
    kinds: tuple[Kind, ...]
    first: int
    last: int

    @property
    def units(self) -> dict[str, tuple[Kind, int]]:
        """Unit name -> kind and number of the block."""
        return {f"{kind}+{k:06d}": (kind, k) for kind in self.kinds for k in range(self.first, self.last + 1)}


def episodes(configuration: Collectives, kinds: int, count: int) -> Work:
    """Return what some episodes of some kinds of groups cost."""
    test = configuration.test
    passes = 100 if test.learning.passes is None else test.learning.passes
    seconds = kinds * count * EPISODE * test.agents * test.iterations * (1 + passes)
    return Work(START + seconds, MEGABYTES + count * test.iterations * 1e-4)


def _asks(plan: CollectivesPlan, job: EpisodeJob) -> tuple[int, int]:
    count = (job.last - job.first + 1) * plan.configuration.jobs.episodes_per_block
    return episodes(plan.configuration, len(job.kinds), count).request


WORK = "aiq.wings.collectives.work"
STEPS = (
    Step(
        "run_episodes",
        "episodes",
        "episodes/{test}/{block}.h5",
        f"{WORK}:episodes",
        jobs=lambda plan: plan.jobs,
        units=lambda plan, job: {name: plan.unit(job.test, kind) for name, (kind, _) in job.units.items()},
        follows=lambda plan, job: plan.of_job(job),
        asks=_asks,
        words={"test": r"side-\d+|complexity-(segment|walk)", "block": r"episodes-[0-9a-f]{8}"},
    ),
    Step(
        "reduce_episodes",
        "collectives",
        "collectives.h5",
        f"{WORK}:reduce_episodes",
        follows=lambda plan, _: plan.result(),
        asks=always(2000, 10),
        reads=lambda plan, _: {"shards": plan.files("run_episodes")},
        result=True,
        log=("reduce_episodes",),
    ),
)
PRODUCTS = (
    Products(
        "draw_collectives",
        needs=lambda plan: {"result": [*plan.results()]},
        follows=lambda plan: plan.result(),
        figures=(
            Figure("collectives-uncertainty", "1 Collectives", title="Υ by uncertainty"),
            Figure("collectives-episode", "1 Collectives", title="One episode"),
            Figure(
                "collectives-complexity-{}",
                "1 Collectives",
                title="Score by task complexity ({})",
                shows="collectives-complexity",
                each=lambda plan: plan.patterns,
            ),
        ),
        megabytes=lambda plan: 1500,
    ),
    Products(
        "tabulate_collectives",
        needs=lambda plan: {"result": [*plan.results()]},
        follows=lambda plan: plan.result(),
        tables=(
            Table("intelligence", "2 Tables", "collectives-tables"),
            Table("orderings", "2 Tables", "collectives-tables"),
        ),
    ),
)


class CollectivesPlan(UnitsPlan[Collectives]):
    """The jobs of a configuration and the fingerprints of everything that is stored."""

    settings = Collectives
    stages = (EPISODES, RESULT)
    steps = STEPS
    declared = PRODUCTS

    @cached_property
    def tests(self) -> dict[str, Lambda]:
        """The tests by name: one a side, and one a kind of pattern for the scores against K."""
        c, k = self.configuration, self.configuration.by_complexity
        tests = [
            Lambda(f"side-{side:03d}", side, None, "uniform", tuple(c.by_side.kinds), c.by_side.episodes)
            for side in c.by_side.sides
        ]
        if k is not None:
            tests += [
                Lambda(f"complexity-{pattern}", k.side, pattern, k.start, tuple(k.kinds), k.episodes)
                for pattern in k.patterns
            ]
        return {test.name: test for test in tests}

    @cached_property
    def jobs(self) -> tuple[EpisodeJob, ...]:
        """All jobs."""
        cut = self.configuration.jobs
        jobs = []
        for test in self.tests.values():
            for first, last in blocks(len(test.kinds), cut.kinds_per_job):
                kinds = test.kinds[first : last + 1]
                for begin, end in blocks(test.episodes // cut.episodes_per_block, cut.blocks_per_job):
                    name = digest([*kinds, str(begin), str(end), str(cut.episodes_per_block)])
                    jobs.append(EpisodeJob(test.name, f"episodes-{name}", kinds, begin, end))
        return tuple(jobs)

    def unit(self, test: str, kind: str) -> Fingerprint:
        """Fingerprint of a kind's blocks in a test: the same for every block."""
        c, which = self.configuration, self.tests[test]
        size = c.jobs.episodes_per_block
        world = [which.side, which.pattern, which.start]
        return EPISODES.fingerprint(c.seed, c.test, world, kind, size)

    def of_job(self, job: EpisodeJob) -> Fingerprint:
        """Fingerprint of a shard."""
        kinds = [[kind, self.unit(job.test, kind)] for kind in job.kinds]
        return joined("episode job", kinds, job.first, job.last)

    def result(self) -> Fingerprint:
        """Fingerprint of everything that the run found."""
        c = self.configuration
        tests = [[t.name, t.episodes, [self.unit(t.name, kind) for kind in t.kinds]] for t in self.tests.values()]
        return RESULT.fingerprint(tests, c.drawn, c.seed, c.test)

    @property
    def patterns(self) -> list[str]:
        """How Good and Evil move where scores are drawn against K."""
        by_complexity = self.configuration.by_complexity
        return [] if by_complexity is None else list(by_complexity.patterns)
