"""Train on tests alone and merged: by labels, by reward, or as the public program did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from aiq import domains, storage
from aiq.domains.cartpole.family import CartPole
from aiq.domains.control import ControlDomain
from aiq.errors import InputError
from aiq.plans.base import Job
from aiq.policies import pool
from aiq.run.job import LOGGER
from aiq.run.training.domains import prepare_domain, prepared
from aiq.run.units import FORGETFUL
from aiq.storage.records import pack
from aiq.training import reinforcement
from aiq.training.checkpoints import Memory
from aiq.training.interface import control_interface
from aiq.wings.similarity2020.plan import Merged, MergedJob
from aiq.wings.similarity2020.records import MergedRuns, PoolRuns
from aiq.wings.similarity2020.reduction import Run
from aiq.wings.similarity2020.settings import BlockNetwork, DeepQAgent, DeepQPool, PublishedAgent

Train = Callable[[Merged, Sequence[int], Memory | None], MergedRuns]
"""What is trained, numbers of repetitions, and where the training is kept -> their record."""


def by_acting(run: Run, agent: DeepQAgent, sources: Mapping[str, str | Path]) -> Train:
    """Train one deep Q-network a repetition on episodes of one test, or of two, drawn at every reset."""
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


def by_pools(run: Run, agent: DeepQPool, sources: Mapping[str, str | Path]) -> Train:
    """Train a pool of deep Q-networks a repetition; the one that did best in training is measured.

    Repetition r has networks of its own, r * size to (r + 1) * size - 1 of the configuration's pool, and the same ones
    on every test: sizes are common to V_A, V_B and V_AB of a repetition, initial weights and episodes are not.
    """
    c, size, drawn = run.configuration, agent.pool.size, agent.pool.drawn()
    worlds: dict[str, ControlDomain] = {name: prepared(run, name, path) for name, path in sources.items()}

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        names = (what.a,) if what.kind == "alone" else (what.a, what.b)
        numbers = [r * size + k for r in repetitions for k in range(size)]
        architectures = [pool.sample(drawn, c.seed, number) for number in numbers]
        found = reinforcement.train_pool(
            [worlds[name] for name in names], architectures, agent.training, share=what.at, numbers=numbers,
            seed=c.seed, device=c.device, threads=c.threads, memory=memory,
        )  # fmt: skip
        rows = [(m.score, m.performances[0], m.performances[-1], float(m.parameters)) for m in found]
        tables = np.array(rows, np.float64).reshape(len(repetitions), size, 4)
        members = PoolRuns(*(tables[..., k] for k in range(4)))
        one, two = members.best(members.first), members.best(members.second)
        parameters = round(float(members.best(members.parameters).mean()))
        seconds = float(sum(m.seconds for m in found))
        return MergedRuns(what.kind, what.a, what.b, what.at, what.halvings, parameters, one, two, seconds, members)

    return train


def prepare_test(run: Run, name: str, at: Job) -> None:
    """Prepare a test."""
    prepare_domain(run, name, at.makes[0])


def train_merged(run: Run, job: MergedJob, at: Job) -> Callable[[str], object]:
    """Return what trains one chunk of repetitions; every test is read once."""
    c, units, keeper = run.configuration, job.units, at.keeper or FORGETFUL
    size = c.jobs.repetitions_per_chunk
    places = dict(zip(job.domains, at.needs["tests"], strict=True))
    train = trainer(run, places)

    def make(name: str) -> object:
        merged, chunk = units[name]
        found = train(merged, range(chunk * size, (chunk + 1) * size), keeper.memory(name, run.plan.unit(merged)))
        if found.lost:
            LOGGER.warning("%s: %d of %d trainings were lost", name, found.lost, size)
        return pack(found)

    keeper.reads(places, lambda name: list(dict.fromkeys((units[name][0].a, units[name][0].b))))
    return make


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
