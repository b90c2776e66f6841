"""How a run that measures similarities of tests is cut into jobs, what identifies each piece, and what it costs.

A unit is a chunk of repetitions of one training: a test alone, two tests sampled at one share, two tests stitched.
More repetitions, tests, pairs, shares or halvings leave finished units as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from aiq.domains.family import Sizes
from aiq.plans.base import NAME, Asked, Fingerprint, Stage, always, joined
from aiq.plans.cost import MEGABYTES, START, Work, sizes
from aiq.plans.layout import blocks, digest, pair_name
from aiq.plans.products import Figure, Products, Table
from aiq.plans.suite_jobs import device_words
from aiq.plans.units import Step, UnitsPlan
from aiq.plans.workflow import data_files
from aiq.wings.similarity2020.settings import BlockNetwork, DeepQPool, Kind, PublishedAgent, Similarities

TEST = Stage("test", 1)
MERGED = Stage("merged", 1)
RESULT = Stage("similarity", 1)

Pair = tuple[str, str]

BLOCK_OPERATION = 4e-11  # processor seconds of an x86-64 core for every multiplication of a sample in one pass
ACTED = 1.5e-3  # of a step of a Q-network and its world, its share of the evaluations included


@dataclass(frozen=True, slots=True)
class Merged:
    """What is trained: a test alone (``b`` is ``a``, ``at`` 1) or two merged ones, with the filters halved so often."""

    kind: Kind
    a: str
    b: str
    at: float
    halvings: int

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that are trained on: one alone, or two."""
        return (self.a,) if self.kind == "alone" else (self.a, self.b)

    def unit(self, chunk: int) -> str:
        """Return the name of a chunk of repetitions; '+' occurs in no test's name."""
        return f"{self.kind}+{self.a}+{self.b}+{self.at:.12g}+{self.halvings}+{chunk:06d}"


@dataclass(frozen=True, slots=True)
class MergedJob:
    """Some chunks of repetitions of some trainings."""

    block: str
    parts: tuple[tuple[Merged, int], ...]

    @property
    def units(self) -> dict[str, tuple[Merged, int]]:
        """Unit name -> what is trained in it, and the number of its chunk."""
        return {merged.unit(chunk): (merged, chunk) for merged, chunk in self.parts}

    @property
    def domains(self) -> tuple[str, ...]:
        """Tests that the job reads, in order of first use."""
        return tuple(dict.fromkeys(name for merged, _ in self.parts for name in (merged.a, merged.b)))


def multiplications(agent: BlockNetwork, halvings: int, shape: Sequence[int]) -> float:
    """Return the multiplications of one sample in one pass through a network of blocks."""
    channels, height, width = shape if len(shape) == 3 else (1, 32, 32)
    total = 0.0
    for filters in agent.halved(halvings):
        total += 9 * filters * (channels + filters) * height * width
        channels, height, width = filters, max(1, height // 2), max(1, width // 2)
    return total + channels * height * width * agent.dense_nodes


def cost_of(
    configuration: Similarities, units: Mapping[str, tuple[Merged, int]], tests: Mapping[str, Sizes] | None = None
) -> Work:
    """Return what some chunks of repetitions of trainings cost; settings of tests tell sizes that are not given."""
    agent, size = configuration.agent, configuration.jobs.repetitions_per_chunk
    names = {name for m, _ in units.values() for name in (m.a, m.b)}
    held = {name: (tests or {}).get(name) or sizes(configuration.domains[name]) for name in names}
    most = max((test.train for test in held.values()), default=0)
    megabytes = MEGABYTES + 8e-6 * max((test.train * prod(test.shape) for test in held.values()), default=0)
    if isinstance(agent, PublishedAgent):
        return Work(START + len(units) * 1e-3 * size + 10.0, megabytes)
    if not isinstance(agent, BlockNetwork):
        networks = agent.pool.size if isinstance(agent, DeepQPool) else 1
        return Work(START + len(units) * size * networks * agent.training.steps * ACTED, megabytes)
    samples, seconds = configuration.samples or most, 0.0
    for m, _ in units.values():
        wide = 2.0 if m.kind == "stitched" else 1.0
        operations = wide * multiplications(agent, m.halvings, held[m.a].shape)
        seconds += operations * BLOCK_OPERATION * 3 * agent.epochs * samples * size
    return Work(START + seconds, megabytes)


def _compared(plan: SimilarityPlan) -> bool:
    published = plan.configuration.published
    return published is not None and bool(published.performance or published.similarity)


def _random(plan: SimilarityPlan) -> bool:
    return isinstance(plan.configuration.agent, PublishedAgent)


def _pairs(plan: SimilarityPlan) -> list[str]:
    return [pair_name(*pair) for pair in plan.configuration.chosen_pairs]


def _proportions(plan: SimilarityPlan) -> list[str]:
    return _pairs(plan) if len(plan.configuration.shares) > 2 and plan.sampled else []


def _widths(plan: SimilarityPlan) -> list[str]:
    return _pairs(plan) if len(plan.configuration.halvings) > 1 else []


WORK = "aiq.wings.similarity2020.work"
STEPS = (
    Step(
        "prepare_test",
        "domain",
        "domains/{domain}.h5",
        f"{WORK}:prepare_test",
        jobs=lambda plan: plan.configuration.domains,
        follows=lambda plan, name: plan.domain(name),
        asks=always(3000, 20),
        given=lambda plan, name, apart: data_files(plan.configuration, name, apart),
        words={"domain": NAME},
    ),
    Step(
        "train_merged",
        "merged",
        "merged/{block}.h5",
        f"{WORK}:train_merged",
        jobs=lambda plan: plan.jobs,
        units=lambda plan, job: {name: plan.unit(merged) for name, (merged, _) in job.units.items()},
        follows=lambda plan, job: plan.of_job(job),
        asks=lambda plan, job: cost_of(plan.configuration, job.units).request,
        reads=lambda plan, job: {"tests": plan.files("prepare_test", job.domains)},
        words={"block": r"merged-[0-9a-f]{8}"},
        keeps="merged",
        trains=True,
    ),
    Step(
        "reduce_similarity",
        "similarity",
        "similarity.h5",
        "aiq.wings.similarity2020.reduction:reduce_similarity",
        follows=lambda plan, _: plan.result(),
        asks=always(2000, 10),
        reads=lambda plan, _: {"shards": plan.files("train_merged")},
        result=True,
        log=("reduce_similarity",),
    ),
)
FIGURES, TABLES = "1 Similarity", "2 Tables"
PRODUCTS = (
    Products(
        "draw_similarity",
        needs=lambda plan: {"result": [*plan.results()]},
        follows=lambda plan: plan.of_products(),
        figures=(
            Figure(
                "similarity-{}", FIGURES, "merges", "similarity-matrix", each=lambda plan: plan.configuration.merges
            ),
            Figure("similarity-map", FIGURES, when=lambda plan: plan.sampled and len(plan.configuration.domains) > 2),
            Figure("similarity-noise", FIGURES, when=_random),
            Figure("performance-{}", FIGURES, "shares", "similarity-shares", each=_proportions),
            Figure("halvings-{}", FIGURES, "halvings", "similarity-halvings", each=_widths),
        ),
        megabytes=lambda plan: 1500,
    ),
    Products(
        "tabulate_similarity",
        needs=lambda plan: {"result": [*plan.results()]},
        follows=lambda plan: plan.of_products(),
        tables=(
            Table("performance", TABLES, "similarity-tables"),
            Table("similarity", TABLES, "similarity-table"),
            Table("published", TABLES, "similarity-published", when=_compared),
        ),
    ),
)


class SimilarityPlan(UnitsPlan[Similarities]):
    """The jobs of a configuration and the fingerprints of everything that is stored."""

    settings = Similarities
    stages = (TEST, MERGED, RESULT)
    steps = STEPS
    declared = PRODUCTS

    @property
    def sampled(self) -> bool:
        """Whether samples or episodes are drawn from either test."""
        return "sampled" in self.configuration.merges

    @cached_property
    def jobs(self) -> tuple[MergedJob, ...]:
        """All jobs: what is trained on each test alone, then the pairs."""
        c = self.configuration
        pairs: list[Pair] = [*((name, name) for name in c.domains), *c.chosen_pairs]
        parts = [(merged, k) for pair in pairs for merged in self.merged(*pair) for k in range(c.chunks)]
        jobs = [tuple(parts[first : last + 1]) for first, last in blocks(len(parts), c.jobs.units_per_job)]
        return tuple(MergedJob(f"merged-{digest([merged.unit(k) for merged, k in job])}", job) for job in jobs)

    def merged(self, a: str, b: str) -> tuple[Merged, ...]:
        """Return what is trained on a pair; on a test with itself: alone, and the controls."""
        c, trained = self.configuration, []
        for halvings in c.halvings:
            if a == b:
                trained.append(Merged("alone", a, a, 1.0, halvings))
                if _random(self):
                    trained.append(Merged("sampled", a, a, 0.5, halvings))
            elif self.sampled:
                shares = c.shares if halvings == c.halvings[0] else (c.at,)
                trained += [Merged("sampled", a, b, share, halvings) for share in shares]
            if "stitched" in c.merges:
                trained.append(Merged("stitched", a, b, 0.5, halvings))
        return tuple(trained)

    def domain(self, name: str) -> Fingerprint:
        """Fingerprint of a prepared test."""
        c = self.configuration
        return TEST.fingerprint(c.seed, c.domains[name])

    def unit(self, merged: Merged) -> Fingerprint:
        """Fingerprint of what is trained: the same for every repetition."""
        c, names = self.configuration, dict.fromkeys((merged.a, merged.b))
        agent = c.agent.model_dump(mode="json")
        filters = list(c.agent.halved(merged.halvings)) if isinstance(c.agent, BlockNetwork) else []
        played = {name: c.played[name].model_dump(mode="json") for name in names if name in c.played}
        tests = [[name, self.domain(name)] for name in names]
        what = [merged.kind, f"{merged.at:.12g}", merged.halvings, filters]
        cut = [c.samples, c.jobs.repetitions_per_chunk]
        return MERGED.fingerprint(c.seed, tests, what, agent, c.labels, played, cut, *device_words(c))

    def of_job(self, job: MergedJob) -> Fingerprint:
        """Fingerprint of a shard."""
        return joined("merged job", [[name, self.unit(merged)] for name, (merged, _) in job.units.items()])

    def result(self) -> Fingerprint:
        """Fingerprint of everything that the run found."""
        c = self.configuration
        return RESULT.fingerprint([self.of_job(job) for job in self.jobs], c.at, c.confidence, c.chosen_pairs)

    def of_products(self) -> Fingerprint:
        """Fingerprint of what figures and tables show."""
        c = self.configuration
        published = None if c.published is None else c.published.model_dump(mode="json")
        return joined("similarity shown", self.result(), c.absolute, published)

    def asked(self, sizes: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
        """Yield what every job asks for; ``sizes`` of tests change what trainings ask for."""
        for job in self.jobs:
            yield ("train_merged", *cost_of(self.configuration, job.units, sizes).request)
        yield from (asked for asked in super().asked() if asked[0] != "train_merged")

    def shared_units(self) -> Iterator[tuple[str, str, str]]:
        """Yield every chunk of trainings."""
        for job in self.jobs:
            for name, (merged, _) in job.units.items():
                yield "merged", name, self.unit(merged)
