"""Train deep Q-networks on episodes of one test, or of two: one network a repetition, or the best one of a pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from aiq.domains.control import ControlDomain
from aiq.policies import pool
from aiq.tasks.suite.training.control_domains import prepared
from aiq.training import reinforcement
from aiq.training.checkpoints import Memory
from aiq.training.interface import control_interface
from aiq.wings.similarity2020.plan import Merged
from aiq.wings.similarity2020.records import MergedRuns, PoolRuns
from aiq.wings.similarity2020.run import SimilarityRun as Run
from aiq.wings.similarity2020.settings import DeepQAgent, DeepQPool

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
