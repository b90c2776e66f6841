"""The training stages of a configuration, run in this process without files: what the pipeline's jobs would train."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from aiq import domains, seeding
from aiq.config.load import parse, read
from aiq.config.suite import Configuration
from aiq.domains.base import LabelledDomain
from aiq.plans.suite import SuitePlan
from aiq.policies import networks
from aiq.records.trial import Policy
from aiq.training.data import LabelledData, mixed
from aiq.training.supervised import train_chunk, train_mixtures


@dataclass
class Time:
    """Trainings done and the seconds of the processor (one thread) that they took."""

    trainings: int = 0
    seconds: float = 0.0

    def add(self, trainings: int, seconds: float) -> None:
        """Take in some more."""
        self.trainings += trainings
        self.seconds += seconds

    @property
    def each(self) -> float:
        """Seconds a training."""
        return self.seconds / self.trainings

    def __str__(self) -> str:
        """Return a phrase."""
        return f"{self.trainings} trainings in {self.seconds:.1f} s ({1000 * self.each:.1f} ms each)"


def configuration(path: Path, trainer: str, size: int | None = None) -> Configuration:
    """Return a configuration with a trainer in all stages and, if given, another size of the pool."""
    raw = read(path)
    for stage in (raw, raw.get("dissimilarity", {}), raw.get("agents", {})):
        if "training" in stage:
            stage["training"]["trainer"] = trainer
    if size is not None:
        raw["pool"]["size"] = size
    return parse(raw, str(path))


def loaded(c: Configuration, names: Sequence[str], data_root: str | None) -> dict[str, LabelledDomain]:
    """Return domains of a configuration."""
    torch.set_num_threads(1)
    root = data_root or c.data_root
    return {name: domains.load(name, c.domains[name], root_seed=c.seed, data_root=root) for name in names}


def trials(c: Configuration, domain: str, data: LabelledData, chunks: Sequence[int]) -> tuple[Time, list[float]]:
    """Train chunks of the pool on a domain; return the time and the performances."""
    spent, found = Time(), []
    for chunk in chunks:
        policies = networks.chunk(c.pool, c.seed, domain, chunk)
        began = time.process_time()
        results = train_chunk(data, policies, c.training, order_seed=seeding.integer(c.seed, "order", domain, chunk))
        spent.add(len(results), time.process_time() - began)
        found += [result.performance for result in results]
    return spent, found


def mixtures(c: Configuration, a: LabelledDomain, b: LabelledDomain, repetitions: Sequence[int]) -> Time:
    """Train on the mixtures of a pair at all proportions; return the time."""
    d, pair = c.dissimilarity, mixed(a, b)
    began = time.process_time()
    results = train_mixtures(
        pair,
        networks.from_network(d.network),
        d.training,
        proportions=d.points,
        repetitions=repetitions,
        samples=d.samples,
        seed=c.seed,
    )
    spent = Time()
    spent.add(len(results), time.process_time() - began)
    return spent


def agents(c: Configuration, domain: str, data: LabelledData, repetitions: Sequence[int]) -> Time:
    """Train repetitions of every agent on a domain, one by one as the pipeline does; return the time."""
    spent = Time()
    for agent in c.agents.networks:
        for repetition in repetitions:
            key = ("agent", domain, agent.name, repetition)
            policy = Policy(networks.from_network(agent), seeding.integer(c.seed, *key, "weights"))
            began = time.process_time()
            train_chunk(data, [policy], c.agent_training, order_seed=seeding.integer(c.seed, *key, "order"))
            spent.add(1, time.process_time() - began)
    return spent


def pairs(c: Configuration) -> tuple[tuple[str, str], ...]:
    """Return the pairs of domains that the pipeline measures."""
    return SuitePlan(c).pairs
