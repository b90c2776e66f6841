"""What the jobs of the other measures ask for at their first attempt: the same functions that their rules call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from aiq.config.algorithmic import BLOCK
from aiq.domains.sizes import Sizes
from aiq.plans.algorithmic import AlgorithmicPlan
from aiq.plans.anytime import AnytimePlan
from aiq.plans.collectives import CollectivesPlan
from aiq.plans.cost import descendants
from aiq.plans.cost.suite import Work
from aiq.plans.similarity import SimilarityPlan

Asked = tuple[str, int, int]
"""A rule, and the megabytes and the minutes that a job of it asks for."""

FIXED: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "gather_programs": (1000, 10),
        "reduce_quotients": (1500, 20),
        "reduce_anytime": (1000, 20),
        "reduce_episodes": (2000, 10),
        "prepare_test": (3000, 20),
        "reduce_similarity": (2000, 10),
        "score_apti": (1000, 20),
    }
)
"""Megabytes and minutes of rules whose jobs ask for the same whatever the configuration."""


def fixed(rule: str) -> Asked:
    """Return what a job of a rule asks for that always asks for the same."""
    return rule, *FIXED[rule]


def of(rule: str, work: Work) -> Asked:
    """Return what a job of a rule asks for that does some work."""
    return rule, work.mem_mb, work.minutes


def requests(plan: Any, known: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
    """Yield what every job of a plan asks for: of every measure but suites, whose cost model tells it.

    Args:
        plan: the plan.
        known: sizes of tests, where a sheet tells them.
    """
    yield from _similarity(plan, known) if isinstance(plan, SimilarityPlan) else WORKING[type(plan)](plan)
    for made in plan.products():
        yield made.name, made.megabytes(plan), made.minutes(plan)
    yield "write_page", *plan.page_request()


def _similarity(plan: SimilarityPlan, known: Mapping[str, Sizes] | None) -> Iterator[Asked]:
    """Yield what preparing tests, training on them and reducing asks for."""
    for job in plan.jobs:
        yield of("train_merged", descendants.merged(plan.configuration, job.units, known))
    for _ in plan.configuration.domains:
        yield fixed("prepare_test")
    yield fixed("reduce_similarity")


def _algorithmic(plan: AlgorithmicPlan) -> Iterator[Asked]:
    """Yield what sampling programs, running agents on them and reducing asks for."""
    c = plan.configuration
    for job in plan.program_jobs:
        yield of("sample_programs", descendants.programs(c, job.last - job.first + 1, BLOCK))
    yield fixed("gather_programs")
    for (agent, length), episodes in plan.episodes.items():
        work = descendants.pairs(c, plan.entry(agent, length), length, episodes.jobs)
        for _ in range(episodes.rounds * episodes.jobs):
            yield of("run_agent_part", work)
        yield of("run_agent", work)
    yield fixed("reduce_quotients")


def _anytime(plan: AnytimePlan) -> Iterator[Asked]:
    """Yield what administering tests and reducing them asks for."""
    c = plan.configuration
    for job in plan.jobs:
        count = job.last - job.first + 1
        yield of("administer_anytime", descendants.tests(c, c.classes[job.environments], count))
    for _ in plan.classes:
        yield fixed("reduce_anytime")


def _collectives(plan: CollectivesPlan) -> Iterator[Asked]:
    """Yield what running episodes and reducing them asks for."""
    c = plan.configuration
    for job in plan.jobs:
        count = (job.last - job.first + 1) * c.jobs.episodes_per_block
        yield of("run_episodes", descendants.episodes(c, len(job.kinds), count))
    yield fixed("reduce_episodes")


WORKING: Mapping[type, Callable[[Any], Iterator[Asked]]] = MappingProxyType(
    {AlgorithmicPlan: _algorithmic, AnytimePlan: _anytime, CollectivesPlan: _collectives}
)
"""What yields the requests of the jobs that neither draw nor tabulate, by plan."""
