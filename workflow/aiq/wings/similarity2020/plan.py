"""How a run that measures similarities of tests is cut into jobs, what identifies each piece, and where it lies.

A unit is a chunk of repetitions of one training: a test alone, two tests sampled at one share, two tests stitched.
More repetitions, tests, pairs, shares or halvings leave finished units as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from aiq.domains.sizes import Sizes
from aiq.plans.base import NAME, always
from aiq.plans.cost.sizing import Asked
from aiq.plans.layout import pair_name
from aiq.plans.named import data_files
from aiq.plans.products import Figure, Products, Table
from aiq.plans.stages import Fingerprint, Stage, blocks, digest, joined
from aiq.plans.suite_ends import device_words
from aiq.plans.units import Step, UnitsPlan
from aiq.wings.similarity2020.cost import Merged as Merged
from aiq.wings.similarity2020.cost import MergedJob as MergedJob
from aiq.wings.similarity2020.cost import merged as cost_of
from aiq.wings.similarity2020.settings import BlockNetwork, PublishedAgent, Similarities

TEST = Stage("test", 1)
MERGED = Stage("merged", 1)
RESULT = Stage("similarity", 1)

Pair = tuple[str, str]


def _compared(plan: SimilarityPlan) -> bool:
    published = plan.configuration.published
    return published is not None and bool(published.performance or published.similarity)


def _random(plan: SimilarityPlan) -> bool:
    return isinstance(plan.configuration.agent, PublishedAgent)


def _several(plan: SimilarityPlan) -> bool:
    return len(plan.configuration.domains) > 2


def _proportions(plan: SimilarityPlan) -> list[str]:
    several = len(plan.configuration.shares) > 2
    return [pair_name(*pair) for pair in plan.configuration.chosen_pairs] if several and plan.sampled else []


def _widths(plan: SimilarityPlan) -> list[str]:
    several = len(plan.configuration.halvings) > 1
    return [pair_name(*pair) for pair in plan.configuration.chosen_pairs] if several else []


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
        follows=lambda plan: plan.shown(),
        figures=(
            Figure(
                "similarity-{}", FIGURES, "merges", "similarity-matrix", each=lambda plan: plan.configuration.merges
            ),
            Figure("similarity-map", FIGURES, when=lambda plan: plan.sampled and _several(plan)),
            Figure("similarity-noise", FIGURES, when=_random),
            Figure("performance-{}", FIGURES, "shares", "similarity-shares", each=_proportions),
            Figure("halvings-{}", FIGURES, "halvings", "similarity-halvings", each=_widths),
        ),
        megabytes=lambda plan: 1500,
    ),
    Products(
        "tabulate_similarity",
        needs=lambda plan: {"result": [*plan.results()]},
        follows=lambda plan: plan.shown(),
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
        found = []
        for first, last in blocks(len(parts), c.jobs.units_per_job):
            block = tuple(parts[first : last + 1])
            found.append(MergedJob(f"merged-{digest([merged.unit(k) for merged, k in block])}", block))
        return tuple(found)

    def merged(self, a: str, b: str) -> tuple[Merged, ...]:
        """Return what is trained on a pair; on a test with itself: alone, and the controls."""
        c, found = self.configuration, []
        for halvings in c.halvings:
            if a == b:
                found.append(Merged("alone", a, a, 1.0, halvings))
                if _random(self):
                    found.append(Merged("sampled", a, a, 0.5, halvings))
            elif self.sampled:
                shares = c.shares if halvings == c.halvings[0] else tuple(sorted({c.at, 1 - c.at}))
                found += [Merged("sampled", a, b, share, halvings) for share in shares]
            if "stitched" in c.merges:
                found.append(Merged("stitched", a, b, 0.5, halvings))
        return tuple(found)

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

    def shown(self) -> Fingerprint:
        """Fingerprint of what figures and tables show."""
        c = self.configuration
        published = None if c.published is None else c.published.model_dump(mode="json")
        return joined("similarity shown", self.result(), c.absolute, published)

    def asked(self, known: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
        """Yield what every job asks for; ``known`` sizes of tests change what trainings ask for."""
        trained = [("train_merged", *cost_of(self.configuration, job.units, known).request) for job in self.jobs]
        yield from trained
        yield from (one for one in super().asked() if one[0] != "train_merged")

    def shared_units(self) -> Iterator[tuple[str, str, str]]:
        """Yield every chunk of trainings."""
        for job in self.jobs:
            for name, (merged, _) in job.units.items():
                yield "merged", name, self.unit(merged)
