"""How a run that measures collectives is cut into jobs, what identifies each piece, and where its files lie.

A unit is a block of consecutive episodes of one kind in one test. More episodes, sides or kinds leave
finished units as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from aiq.plans.base import Fingerprint, Stage, always, joined
from aiq.plans.cost import MEGABYTES, START, Work
from aiq.plans.layout import blocks, digest
from aiq.plans.products import Figure, Products, Table
from aiq.plans.units import Step, UnitsPlan
from aiq.wings.collectives.settings import Collectives, Kind

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
            Lambda(f"side-{side:03d}", side, c.test.pattern, "uniform", tuple(c.by_side.kinds), c.by_side.episodes)
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
