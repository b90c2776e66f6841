"""Train on tests alone and merged: by labels, by reward, or as the public program did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from aiq import domains, storage
from aiq.domains.cartpole.family import CartPole
from aiq.errors import InputError
from aiq.storage import shards
from aiq.storage.records import pack
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.shell.units import FORGETFUL, Keeper, take_over
from aiq.training.checkpoints import Memory
from aiq.wings.similarity2020.plan import Merged
from aiq.wings.similarity2020.records import MergedRuns
from aiq.wings.similarity2020.run import SimilarityRun as Run
from aiq.wings.similarity2020.settings import BlockNetwork, DeepQAgent, DeepQPool, PublishedAgent
from aiq.wings.similarity2020.work.played import Train, by_acting, by_pools


def train_merged(
    run: Run, block: str, sources: Sequence[str | Path], target: str | Path, keeper: Keeper = FORGETFUL
) -> None:
    """Train everything of one block; every test is read once."""
    c, plan = run.configuration, run.plan
    job = plan.job(block)
    places = dict(zip(job.domains, sources, strict=True))
    train = trainer(run, places)
    units, size = job.units, c.jobs.repetitions_per_chunk

    wanted = {name: plan.unit(merged) for name, (merged, _) in units.items()}

    def make(name: str) -> shards.Unit:
        """Train one chunk of repetitions."""
        merged, chunk = units[name]
        found = train(merged, range(chunk * size, (chunk + 1) * size), keeper.memory(name, wanted[name]))
        if found.lost:
            LOGGER.warning("%s: %d of %d trainings were lost", name, found.lost, size)
        return shards.Unit(plan.unit(merged), pack(found))

    keeper.reads(places, lambda name: list(dict.fromkeys((units[name][0].a, units[name][0].b))))
    made = take_over(target, "merged", wanted, make, keeper)
    shards.write(target, "merged", plan.of_job(job), c.seed, made)


def trainer(run: Run, sources: Mapping[str, str | Path]) -> Train:
    """Return what trains on some prepared tests, by the kind of the agent."""
    agent = run.configuration.agent
    if isinstance(agent, BlockNetwork):
        return _by_labels(run, agent, sources)
    if isinstance(agent, DeepQAgent):
        return by_acting(run, agent, sources)
    if isinstance(agent, DeepQPool):
        return by_pools(run, agent, sources)
    return _as_published(run, agent)


def _by_labels(run: Run, agent: BlockNetwork, sources: Mapping[str, str | Path]) -> Train:
    """Train networks of blocks on pictures."""
    from aiq.wings.similarity2020.training import merging

    c = run.configuration
    data = {name: storage.read_domain(path, run.plan.domain(name)) for name, path in sources.items()}
    told = {"samples": c.samples, "sharing": c.labels, "seed": c.seed, "device": c.device, "threads": c.threads}
    how = merging.Training(agent, **told)  # type: ignore[arg-type]
    played = {
        name: merging.Played(
            domains.control_domain(name, CartPole(source="cartpole", steps=c.played[name].steps)),
            c.played[name].episodes,
        )
        for name in sources
        if name in c.played
    }

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        first, second = data[what.a], data[what.b]
        common = {"repetitions": repetitions, "halvings": what.halvings}
        if what.kind == "alone":
            return merging.train_alone(first, how, played=played, **common)  # type: ignore[arg-type]
        if what.kind == "stitched":
            return merging.train_stitched(first, second, how, **common)  # type: ignore[arg-type]
        return merging.train_sampled(first, second, how, at=what.at, played=played, **common)  # type: ignore[arg-type]

    return train


def _as_published(run: Run, agent: PublishedAgent) -> Train:
    """Simulate the public program's trainings: nothing is learned, so no network is needed."""
    from aiq.wings.similarity2020 import gym2020

    c = run.configuration
    names = {name: gym2020.by_settings(name, c.domains[name]) for name in c.domains}
    surplus = {source.foreign_actions for source in c.domains.values()}
    if len(surplus) > 1:
        raise InputError(
            f"foreign_actions are {', '.join(sorted(surplus))}; the published recipe has one for all tests"
        )
    recipe = gym2020.Recipe(
        steps=agent.steps, last=agent.last, surplus=surplus.pop(), tie=agent.tie, episodes=agent.episodes
    )
    bank = gym2020.Bank(recipe, c.seed)

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        tests = [names[what.a]] if what.kind == "alone" else [names[what.a], names[what.b]]
        values = bank.trainings(tests, repetitions)
        return MergedRuns(what.kind, what.a, what.b, what.at, what.halvings, 0, values, values, 0.0)

    return train
