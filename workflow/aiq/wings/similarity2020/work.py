"""Train on tests alone and merged: by labels, by reward, or as the public program did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np

from aiq import domains, seeding, storage
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
    how: dict[str, Any] = {"seed": c.seed, "device": c.device, "threads": c.threads}

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        runs: Sequence[Any]
        if what.kind == "alone":
            world, places = worlds[what.a], [(1.0, r) for r in repetitions]
            ground = control_interface([world])
            runs = reinforcement.train_alone(
                world, network, agent.training, places=places, interface=ground, memory=memory, **how
            )
            values = [(run.performance, run.performance) for run in runs]
        else:
            runs = reinforcement.train_mixtures(
                worlds[what.a], worlds[what.b], network, agent.training,
                proportions=[what.at], repetitions=repetitions, memory=memory, **how,
            )  # fmt: skip
            values = [(run.first, run.second) for run in runs]
        first, second = np.array(values, np.float64).reshape(-1, 2).T
        return MergedRuns(*astuple(what), runs[0].parameters, first, second, float(sum(run.seconds for run in runs)))

    return train


def by_pools(run: Run, agent: DeepQPool, sources: Mapping[str, str | Path]) -> Train:
    """Train a pool of deep Q-networks a repetition; the one that did best in training is measured.

    Repetition r has networks of its own, r * size to (r + 1) * size - 1 of the configuration's pool, and the same ones
    on every test: sizes are common to V_A, V_B and V_AB of a repetition, initial weights and episodes are not.
    """
    c, size, drawn = run.configuration, agent.pool.size, agent.pool.drawn()
    worlds: dict[str, ControlDomain] = {name: prepared(run, name, path) for name, path in sources.items()}

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        numbers = [r * size + k for r in repetitions for k in range(size)]
        architectures = [pool.sample(drawn, c.seed, number) for number in numbers]
        trained = reinforcement.train_pool(
            [worlds[name] for name in what.tests], architectures, agent.training, share=what.at, numbers=numbers,
            seed=c.seed, device=c.device, threads=c.threads, memory=memory,
        )  # fmt: skip
        rows = [(m.score, m.performances[0], m.performances[-1], float(m.parameters)) for m in trained]
        tables = np.array(rows, np.float64).reshape(len(repetitions), size, 4)
        members = PoolRuns(*(tables[..., k] for k in range(4)))
        first, second = members.best(members.first), members.best(members.second)
        parameters = round(float(members.best(members.parameters).mean()))
        seconds = float(sum(m.seconds for m in trained))
        return MergedRuns(*astuple(what), parameters, first, second, seconds, members)

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
        runs = train(merged, range(chunk * size, (chunk + 1) * size), keeper.memory(name, run.plan.unit(merged)))
        if runs.lost:
            LOGGER.warning("%s: %d of %d trainings were lost", name, runs.lost, size)
        return pack(runs)

    keeper.reads(places, lambda name: list(dict.fromkeys(units[name][0].tests)))
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
    from aiq.wings.similarity2020 import merging

    c = run.configuration
    data = {name: storage.read_domain(path, run.plan.domain(name)) for name, path in sources.items()}
    how = merging.Training(agent, c.samples, c.labels, c.seed, c.device, c.threads)
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
        common: dict[str, Any] = {"repetitions": repetitions, "halvings": what.halvings}
        if what.kind == "alone":
            return merging.train_alone(first, how, played=played, **common)
        if what.kind == "stitched":
            return merging.train_stitched(first, second, how, **common)
        return merging.train_sampled(first, second, how, at=what.at, played=played, **common)

    return train


def _as_published(run: Run, agent: PublishedAgent) -> Train:
    """Simulate the public program's trainings: nothing is learned, so no network is needed."""
    from aiq.wings.similarity2020.gym_random import Bank
    from aiq.wings.similarity2020.gym_suite import by_settings

    c = run.configuration
    suite = {name: by_settings(name, c.domains[name]) for name in c.domains}
    surplus = {source.foreign_actions for source in c.domains.values()}
    if len(surplus) > 1:
        raise InputError(
            f"foreign_actions are {', '.join(sorted(surplus))}; the published recipe has one for all tests"
        )
    bank = Bank(agent, surplus.pop(), c.seed)

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        tests = [suite[name] for name in what.tests]
        words = [word for test in tests for word in (test.name, str(test.actions))]
        rng = seeding.generator(c.seed, "published", "trainings", *words, repetitions[0])
        values = bank.trained(tests, len(repetitions), rng)
        return MergedRuns(*astuple(what), 0, values, values, 0.0)

    return train
