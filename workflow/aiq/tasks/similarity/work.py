"""Train on tests alone and merged: by labels, by reward, or as the public program did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from aiq import domains, storage
from aiq.config.similarity import BlockNetwork, DeepQAgent, PublishedAgent
from aiq.domains.cartpole.family import CartPole
from aiq.domains.control import ControlDomain
from aiq.errors import InputError
from aiq.plans.run import SimilarityRun as Run
from aiq.plans.similarity import Merged
from aiq.policies import pool
from aiq.records.merged import MergedRuns
from aiq.storage import shards
from aiq.storage.records import pack
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.shell.units import FORGETFUL, Keeper, take_over
from aiq.tasks.suite.training.control_domains import prepared
from aiq.training import reinforcement
from aiq.training.checkpoints import Memory
from aiq.training.interface import control_interface

Train = Callable[[Merged, Sequence[int], Memory | None], MergedRuns]
"""What is trained, numbers of repetitions, and where the training is kept -> their record."""


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
        return _by_acting(run, agent, sources)
    return _as_published(run, agent)


def _by_labels(run: Run, agent: BlockNetwork, sources: Mapping[str, str | Path]) -> Train:
    """Train networks of blocks on pictures."""
    from aiq.training import merging

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


def _by_acting(run: Run, agent: DeepQAgent, sources: Mapping[str, str | Path]) -> Train:
    """Train deep Q-networks on episodes of one test, or of two, drawn at every reset."""
    c, network = run.configuration, pool.from_network(agent.network)
    worlds: dict[str, ControlDomain] = {name: prepared(run, name, path) for name, path in sources.items()}
    told = {"seed": c.seed, "device": c.device, "threads": c.threads}

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        if what.kind == "alone":
            world, places = worlds[what.a], [(1.0, r) for r in repetitions]
            ground = control_interface([world])
            alone = reinforcement.train_alone(
                world, network, agent.training, places=places, interface=ground, memory=memory, **told  # type: ignore[arg-type]
            )  # fmt: skip
            values, found = [(r.performance, r.performance) for r in alone], alone
        else:
            mixed = reinforcement.train_mixtures(
                worlds[what.a], worlds[what.b], network, agent.training,
                proportions=[what.at], repetitions=repetitions, memory=memory, **told,  # type: ignore[arg-type]
            )  # fmt: skip
            values, found = [(r.first, r.second) for r in mixed], mixed  # type: ignore[assignment]
        one, two = np.array(values, np.float64).reshape(-1, 2).T
        seconds = float(sum(r.seconds for r in found))
        parameters = found[0].parameters
        return MergedRuns(what.kind, what.a, what.b, what.at, what.halvings, parameters, one, two, seconds)

    return train


def _as_published(run: Run, agent: PublishedAgent) -> Train:
    """Simulate the public program's trainings: nothing is learned, so no network is needed."""
    from aiq import gym2020

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
