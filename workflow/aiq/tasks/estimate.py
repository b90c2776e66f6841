"""Estimate what a configuration will cost before anything runs: jobs, trials, core-hours, disk.

Every kind of training is timed on a small part of its own data with its own trainer, at two sizes; the line
through both, at full size, is the estimate. Process starts are timed too. With a convergence rule the
estimate is an upper bound: it counts all epochs.
"""

from __future__ import annotations

import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from aiq import domains
from aiq.config.training import Training
from aiq.domains.base import LabelledDomain
from aiq.policies import pool
from aiq.records.table import Table
from aiq.records.trial import Policy
from aiq.storage.trials import pack_trials
from aiq.tasks.job import Run
from aiq.training.data import LabelledData, MixedData, mixed
from aiq.training.mixtures import train_mixtures
from aiq.training.supervised import train_chunk

STEPS = 120  # optimiser steps of the larger timing
PART = 3  # the smaller timing has so many times fewer
REDUCTIONS = 7  # jobs that reduce, draw and tabulate whatever the suite's size
BYTES_PER_UNIT = 12_000  # HDF5 structure of one unit, beside its columns
BYTES_PER_MIXTURE = 60  # columns of one training on a mixture


@dataclass(frozen=True, slots=True)
class StageCost:
    """What one stage will cost: jobs, trainings in them, core-seconds of which in training, bytes written."""

    stage: str
    jobs: int
    trainings: int
    core_seconds: float
    training_seconds: float
    disk_bytes: float


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimate for a run, stage by stage, and how it was made."""

    stages: tuple[StageCost, ...]
    seconds_per_job: float
    upper_bound: bool
    device: str

    @property
    def core_hours(self) -> float:
        """Hours on one core (with ``device`` cuda: on one GPU) of all jobs together."""
        return sum(stage.core_seconds for stage in self.stages) / 3600

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return {
            "jobs": sum(stage.jobs for stage in self.stages),
            "trials": sum(stage.trainings for stage in self.stages),
            "gpu_hours" if self.device == "cuda" else "core_hours": self.core_hours,
            "disk_bytes": sum(stage.disk_bytes for stage in self.stages),
            "seconds_per_job": self.seconds_per_job,
            "upper_bound": self.upper_bound,
            "stages": [dict(zip(self.table().columns, row, strict=True)) for row in self.table().rows],
        }

    def table(self) -> Table:
        """Return one row a stage."""
        columns = ("stage", "jobs", "trainings", "core_seconds", "training_seconds", "disk_bytes")
        return Table.of(columns, [[getattr(stage, name) for name in columns] for stage in self.stages])


def estimate(run: Run, progress: Callable[[str], None] = lambda what: None) -> Cost:
    """Time small parts of a configuration's trainings and return the cost of all of it.

    Raises:
        DomainError: a data set is missing or unreadable.
    """
    c = run.configuration
    progress("starting a process")
    start = _process_start()
    loaded = {}
    loading = 0.0
    for name, settings in c.domains.items():
        progress(f"loading {name}")
        begun = time.perf_counter()
        loaded[name] = domains.load(name, settings, root_seed=c.seed, data_root=c.data_root, download=c.download)
        loading += time.perf_counter() - begun
    prepared = StageCost(
        "domains", len(loaded), 0, loading + len(loaded) * start, 0.0, sum(map(_packed, loaded.values()))
    )
    stages = [
        prepared,
        _trials(run, loaded, start, progress),
        _agents(run, loaded, start, progress),
        _mixtures(run, loaded, start, progress),
        StageCost("reduction", 2 * len(loaded) + REDUCTIONS, 0, (2 * len(loaded) + REDUCTIONS) * start, 0.0, 4e6),
    ]
    rules = (c.training.convergence, c.agent_training.convergence, c.dissimilarity.training.convergence)
    return Cost(tuple(stages), start, any(rule is not None for rule in rules), c.device)


def _process_start() -> float:
    """Return the seconds that a job's process takes before it works."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import aiq.tasks.trials"], check=True)
    return time.perf_counter() - begun


def _packed(domain: LabelledDomain) -> float:
    """Return the bytes of a prepared domain's file: its arrays, compressed as its first samples are."""
    sample = domain.train_x[:500].tobytes()
    ratio = len(zlib.compress(sample, 1)) / len(sample)
    return float(
        ratio * (domain.train_x.nbytes + domain.test_x.nbytes) + 8 * (len(domain.train_y) + len(domain.test_y))
    )


def _timed(work: Callable[[float], object], samples: int, settings: Training) -> float:
    """Return the seconds that ``work(1.0)`` would take, from parts of its data.

    ``work`` takes the share of the data; the line through two shares is evaluated at 1.
    """
    steps = max(1, samples // settings.batch_size) * settings.epochs
    large = min(1.0, STEPS / steps)
    small = large / PART
    work(small)  # warm up
    seconds = []
    for share in (small, large):
        begun = time.perf_counter()
        work(share)
        seconds.append(time.perf_counter() - begun)
    slope = max(0.0, (seconds[1] - seconds[0]) / (large - small))
    return seconds[1] + slope * (1 - large)


def _cut(data: LabelledData, share: float, batch: int) -> LabelledData:
    """Return a share of the data, at least one batch; labels that no longer occur stay outputs."""
    train, test = (max(batch, round(share * len(y))) for y in (data.train_y, data.test_y))
    order = torch.randperm(len(data.train_y), generator=torch.Generator().manual_seed(0))[:train]
    return replace(
        data,
        train_x=data.train_x[order],
        train_y=data.train_y[order],
        test_x=data.test_x[:test],
        test_y=data.test_y[:test],
    )


def _trials(run: Run, loaded: dict[str, LabelledDomain], start: float, progress: Callable[[str], None]) -> StageCost:
    """Estimate the pool: its first and its middle chunk are timed on every domain."""
    c = run.configuration
    seconds, size = 0.0, 0.0
    timed = sorted({0, c.pool.chunks // 2})
    for name, domain in loaded.items():
        progress(f"timing the pool on {name}")
        data = LabelledData.of(domain, outputs=c.pool.outputs)
        for chunk in timed:
            policies = pool.chunk(c.pool, c.seed, name, chunk)

            def work(share: float, data: LabelledData = data, policies: list[Policy] = policies) -> None:
                part = _cut(data, share, c.training.batch_size)
                train_chunk(part, policies, c.training, order_seed=0, device=c.device, threads=c.threads)

            seconds += _timed(work, len(domain.train_y), c.training) * c.pool.chunks / len(timed)
        trial = train_chunk(_cut(data, 0.0, 32), policies[:1], c.training, order_seed=0, device=c.device)
        size += c.pool.size * sum(getattr(v, "nbytes", 8) for v in pack_trials(trial).values())
    jobs = sum(len(run.plan.trial_jobs(name)) for name in loaded)
    size += len(loaded) * c.pool.chunks * BYTES_PER_UNIT
    return StageCost("trials", jobs, len(loaded) * c.pool.size, seconds + jobs * start, seconds, size)


def _agents(run: Run, loaded: dict[str, LabelledDomain], start: float, progress: Callable[[str], None]) -> StageCost:
    """Estimate the agents: each is timed once on every domain."""
    c = run.configuration
    seconds = 0.0
    for name, domain in loaded.items():
        progress(f"timing the agents on {name}")
        data = LabelledData.of(domain, outputs=c.pool.outputs)
        for agent in c.agents.networks:
            policy = Policy(pool.from_network(agent), 0)

            def work(share: float, data: LabelledData = data, policy: Policy = policy) -> None:
                part = _cut(data, share, c.agent_training.batch_size)
                train_chunk(part, [policy], c.agent_training, order_seed=0, device=c.device, threads=c.threads)

            seconds += _timed(work, len(domain.train_y), c.agent_training) * c.agents.repetitions
    trainings = len(loaded) * len(c.agents.networks) * c.agents.repetitions
    jobs = len(run.plan.agent_jobs)
    return StageCost("agents", jobs, trainings, seconds + jobs * start, seconds, trainings * BYTES_PER_UNIT)


def _mixtures(run: Run, loaded: dict[str, LabelledDomain], start: float, progress: Callable[[str], None]) -> StageCost:
    """Estimate the mixtures: pairs of one shape, number of outputs and number of samples are timed once."""
    c = run.configuration
    settings = c.dissimilarity
    architecture = pool.from_network(settings.network)
    known: dict[tuple[object, ...], float] = {}
    seconds = 0.0
    for a, b in run.plan.pairs:
        joint = mixed(loaded[a], loaded[b], outputs=c.pool.outputs)
        samples = settings.samples or min(len(joint.first.train_y), len(joint.second.train_y))
        signature = (joint.shape, joint.outputs, samples, len(joint.first.test_y), len(joint.second.test_y))
        if signature not in known:
            progress(f"timing mixtures of {a} and {b}")

            def work(share: float, joint: MixedData = joint, samples: int = samples) -> object:
                batch = settings.training.batch_size
                part = replace(joint, first=_cut(joint.first, share, batch), second=_cut(joint.second, share, batch))
                count = max(batch, round(share * samples))
                repetitions = range(settings.repetitions_per_chunk)
                return train_mixtures(
                    part,
                    architecture,
                    settings.training,
                    proportions=settings.points,
                    repetitions=repetitions,
                    samples=count,
                    seed=c.seed,
                    device=c.device,
                    threads=c.threads,
                )

            known[signature] = _timed(work, samples, settings.training)
        seconds += known[signature] * settings.chunks
    trainings = len(run.plan.pairs) * settings.repetitions * len(settings.points)
    size = trainings * BYTES_PER_MIXTURE
    size += len(run.plan.pairs) * settings.chunks * BYTES_PER_UNIT
    jobs = len(run.plan.mixture_jobs)
    return StageCost("mixtures", jobs, trainings, seconds + jobs * start, seconds, size)
