"""Every shard that a configuration asks for, whatever it measures."""

from __future__ import annotations

from aiq.config.algorithmic import Algorithmic
from aiq.config.algorithmic_plan import AlgorithmicLayout, AlgorithmicPlan
from aiq.config.anytime import Anytime
from aiq.config.anytime_plan import AnytimeLayout, AnytimePlan
from aiq.config.base import Settings
from aiq.config.collectives import Collectives
from aiq.config.collectives_plan import CollectivesLayout, CollectivesPlan
from aiq.config.layout import Files, Layout, every_shard
from aiq.config.plan import Plan
from aiq.config.suite import Configuration

Shards = dict[str, tuple[str, str]]  # path -> (kind, fingerprint)


def inventory(configuration: Settings) -> Shards:
    """Return path -> (kind, fingerprint) of every shard of a configuration, in the order in which they are made.

    Raises:
        ConfigurationError: a file that the configuration names cannot be read.
    """
    if isinstance(configuration, Configuration):
        return every_shard(Plan(configuration), Layout(configuration))
    if isinstance(configuration, Algorithmic):
        return _algorithmic(AlgorithmicPlan(configuration), AlgorithmicLayout(configuration.results))
    if isinstance(configuration, Anytime):
        return _anytime(AnytimePlan(configuration), AnytimeLayout(configuration))
    if isinstance(configuration, Collectives):
        return _collectives(CollectivesPlan(configuration), CollectivesLayout(configuration))
    raise TypeError(f"{type(configuration).__name__} is no configuration of a run")


def files(configuration: Settings) -> Files:
    """Return the paths that runs of every measure have."""
    return Files(str(configuration.results))  # type: ignore[attr-defined]


def _algorithmic(plan: AlgorithmicPlan, layout: AlgorithmicLayout) -> Shards:
    """Programs, their sample, and the trials of every agent at every length with the stages that jobs share."""
    shards: Shards = {layout.program_job(job): ("programs", plan.block()) for job in plan.program_jobs}
    shards[layout.sample] = ("program sample", plan.programs())
    for (agent, length), episodes in plan.episodes.items():
        for number in range(episodes.rounds):
            for part, path in enumerate(layout.parts_of(episodes, number)):
                shards[path] = ("pairs", plan.part(agent, length, number, part))
        shards[layout.run_of(episodes)] = ("pairs", plan.run(agent, length))
    return shards


def _anytime(plan: AnytimePlan, layout: AnytimeLayout) -> Shards:
    """The tests of every agent in every class."""
    prints = {(job.environments, job.agent): "" for job in plan.jobs}
    prints = {key: plan.test(*key) for key in prints}
    return {layout.job(job): ("anytime", prints[job.environments, job.agent]) for job in plan.jobs}


def _collectives(plan: CollectivesPlan, layout: CollectivesLayout) -> Shards:
    """The episodes of every test."""
    return {layout.job(job): ("episodes", plan.of_job(job)) for job in plan.jobs}
