"""What a suite will cost: its domains are prepared aside, its trainings timed on a part of their data or steps."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import torch

from aiq.config.learning import Learning
from aiq.config.reinforcement import Reinforcement
from aiq.plans.run import SuiteRun as Run
from aiq.policies import pool
from aiq.records.trial import MixtureResult, Policy, Trial
from aiq.storage.trials import pack_mixtures, pack_trials
from aiq.tasks.shell.costing import (
    JOB_BYTES,
    Cost,
    Report,
    StageCost,
    clock,
    extrapolated,
    process_start,
    products,
    shard_bytes,
)
from aiq.tasks.suite.domains import prepare_domain
from aiq.tasks.suite.estimate_playing import Timing, evaluated, shorter
from aiq.tasks.suite.training import on_domain, on_pairs
from aiq.training.data import LabelledData, MixedData, mixed
from aiq.training.mixtures import train_mixtures
from aiq.training.supervised import train_chunk

STEPS = 60  # optimiser steps of the larger timing
ACTED = 450  # environment steps of the larger timing
MIXED = 3  # pairs of control domains that are timed
PART = 3  # the smaller timing has so many times fewer
RESULT_BYTES = 60_000  # of the reduced results of a domain or a pair


def estimate(run: Run, progress: Report) -> Cost:
    """Time small parts of a suite's trainings and return the cost of all of it."""
    c = run.configuration
    progress("starting a process")
    start = process_start()
    with tempfile.TemporaryDirectory() as folder:
        timing = Timing(run, Path(folder), start, progress)
        stages = [_domains(timing), _trials(timing), _agents(timing), _mixtures(timing), _baseline(timing)]
    scored = bool(c.agents.networks or c.agents.outside or c.agents.table)
    rest = len(c.domains) * (1 if c.control else 2) + 6 + scored  # the baseline's episodes give control its entropy
    if c.baseline is not None:
        rest += 1 + scored  # its table, and APTI
    pairs = sum(a <= b for a, b in run.plan.pairs)
    results = (2 * len(c.domains) + pairs + 4) * RESULT_BYTES / 2
    light = process_start("aiq.tasks.suite.complexity")
    reduced = products(rest, len(c.domains) + pairs + 10, start, results + rest * JOB_BYTES)
    saved = (rest - 6 - scored) * (start - light)  # complexity and entropy load no torch
    stages.append(replace(reduced, core_seconds=reduced.core_seconds - saved))
    rules = (getattr(s, "convergence", None) for s in (c.training, c.agent_training, c.dissimilarity.training))
    outside = tuple(f"agent {agent.name}" for agent in c.agents.outside)
    return Cost(
        tuple(stage for stage in stages if stage.jobs),
        start,
        any(rule is not None for rule in rules),
        c.device,
        outside,
        _factors(run, {stage.stage: stage.training_seconds for stage in stages}),
    )


def _factors(run: Run, seconds: Mapping[str, float]) -> dict[str, float]:
    """Return measured seconds over those of the cost model, for each kind of training."""
    c, plan, unit = run.configuration, run.plan, run.plan.sizing.costs.calibration.unit
    chunks, repetitions = c.pool.chunks, c.agents.repetitions
    costs = plan.sizing.costs
    modelled = {
        "trials": sum((costs.chunk(name).seconds - unit) * chunks for name in c.domains),
        "mixtures": sum((costs.pair(a, b).seconds - unit) * c.dissimilarity.chunks for a, b in plan.pairs),
        "agents": sum(
            (costs.agent(name, agent.name).seconds - unit) * repetitions
            for name in c.domains
            for agent in c.agents.networks
        ),
    }
    return {kind: seconds[kind] / total for kind, total in modelled.items() if total > 0}


def _domains(timing: Timing) -> StageCost:
    """Prepare every domain aside: time and size are those of the jobs."""
    run, now = timing.run, clock("cpu")
    begun = now()
    for name in run.configuration.domains:
        timing.progress(f"preparing {name}")
        prepare_domain(run, name, timing.source(name))
    seconds = now() - begun
    count = len(run.configuration.domains)
    size = sum(timing.source(name).stat().st_size for name in run.configuration.domains)
    return StageCost("domains", count, 0, seconds + count * timing.start, 0.0, size + count * JOB_BYTES)


def _work(timing: Timing, domain: str, policies: list[Policy], settings: Learning) -> Callable[[float], list[Trial]]:
    """Return what trains policies on a share of a domain's samples or for a share of the steps."""
    c = timing.run.configuration
    if isinstance(settings, Reinforcement):
        learn = on_domain(timing.run, domain, timing.source(domain))
        return lambda share: learn(policies, shorter(settings, share), 0)
    data = LabelledData.of(timing.domain(domain), outputs=c.pool.outputs)

    def train(share: float) -> list[Trial]:
        """Train on a share of the samples."""
        part = _cut(data, share, settings.batch_size)
        return train_chunk(part, policies, settings, order_seed=0, device=c.device, threads=c.threads)

    return train


def _full(timing: Timing, work: Callable[[float], object], samples: int, settings: Learning) -> float:
    """Return the seconds of ``work(1.0)``."""
    if isinstance(settings, Reinforcement):
        large = min(1.0, ACTED / settings.steps)
    else:
        large = min(1.0, STEPS / (max(1, samples // settings.batch_size) * settings.epochs))
    return extrapolated(work, large / PART, large, timing.now)


def _samples(timing: Timing, domain: str) -> int:
    """Return the training samples of a domain, 0 where it is played."""
    return 0 if timing.run.configuration.control else len(timing.domain(domain).train_y)


def _trials(timing: Timing) -> StageCost:
    """Estimate the pool: its first and its middle chunk are timed on every domain."""
    run, c = timing.run, timing.run.configuration
    seconds, size, jobs = 0.0, 0.0, 0
    timed = sorted({0, c.pool.chunks // 2})
    for name in c.domains:
        timing.progress(f"timing the pool on {name}")
        found: list[Trial] = []
        for chunk in timed:
            work = _work(timing, name, pool.chunk(c.pool, c.seed, name, chunk), c.training)

            def kept(share: float, work: Callable[[float], list[Trial]] = work, found: list[Trial] = found) -> None:
                found[:] = work(share)

            seconds += _full(timing, kept, _samples(timing, name), c.training) * c.pool.chunks / len(timed)
        seconds += evaluated(timing, [name], c.pool.policies_per_chunk, c.training) * c.pool.chunks
        here = len(run.plan.trial_jobs(name))
        size += shard_bytes("trials", [pack_trials(found)], c.pool.chunks, here)
        jobs += here
    return StageCost(
        "trials", jobs, len(c.domains) * c.pool.size, seconds + jobs * timing.start, seconds, size + jobs * JOB_BYTES
    )


def _agents(timing: Timing) -> StageCost:
    """Estimate the agents that are trained here: each is timed once on every domain."""
    run, c = timing.run, timing.run.configuration
    seconds, size = 0.0, 0.0
    jobs = len(run.plan.agent_jobs)
    for name in c.domains:
        timing.progress(f"timing the agents on {name}")
        played = evaluated(timing, [name], 1, c.agent_training) if c.agents.networks else 0.0
        seconds += played * len(c.agents.networks) * c.agents.repetitions
        for agent in c.agents.networks:
            work = _work(timing, name, [Policy(pool.from_network(agent), 0)], c.agent_training)
            seconds += _full(timing, work, _samples(timing, name), c.agent_training) * c.agents.repetitions
            if not size:
                trees = [pack_trials(work(0.0))]
                units = len(c.domains) * len(c.agents.networks) * c.agents.repetitions
                size = shard_bytes("agents", trees, units, jobs)
    trainings = len(c.domains) * len(c.agents.networks) * c.agents.repetitions
    outside = len(c.domains) * len(c.agents.outside)
    jobs += outside
    trainings += outside * c.agents.repetitions
    return StageCost("agents", jobs, trainings, seconds + jobs * timing.start, seconds, size + jobs * JOB_BYTES)


def _mixtures(timing: Timing) -> StageCost:
    """Estimate the mixtures: pairs of one shape, number of outputs and number of samples are timed once.

    Of control domains some pairs are timed, spread over all of them: their worlds differ in ways that no number tells.
    """
    run, c = timing.run, timing.run.configuration
    settings = c.dissimilarity
    known: dict[tuple[object, ...], float] = {}
    seconds, tree = 0.0, None
    pairs = run.plan.pairs
    chosen = pairs[len(pairs) // MIXED // 2 :: max(1, len(pairs) // MIXED)][:MIXED] if c.control else pairs
    networks = len(settings.points) * settings.repetitions_per_chunk
    for a, b in chosen:
        signature, samples, work = _pair(timing, a, b)
        if signature not in known:
            timing.progress(f"timing mixtures of {a} and {b}")
            trained = _full(timing, work, samples, settings.training)
            known[signature] = trained + evaluated(timing, (a, b), networks, settings.training)
            tree = tree or pack_mixtures(work(0.0))
        seconds += known[signature] * settings.chunks * len(pairs) / len(chosen)
    jobs, units = len(run.plan.mixture_jobs), len(run.plan.pairs) * settings.chunks
    trainings = len(run.plan.pairs) * settings.repetitions * len(settings.points)
    size = shard_bytes("mixtures", [tree], units, jobs) if tree else 0.0
    return StageCost("mixtures", jobs, trainings, seconds + jobs * timing.start, seconds, size + jobs * JOB_BYTES)


def _pair(timing: Timing, a: str, b: str) -> tuple[tuple[object, ...], int, Callable[[float], list[MixtureResult]]]:
    """Return what makes the cost of a pair, its samples, and what trains a share of its first repetitions."""
    c = timing.run.configuration
    settings = c.dissimilarity
    repetitions = range(settings.repetitions_per_chunk)
    if isinstance(settings.training, Reinforcement):
        acting = settings.training

        def act(share: float) -> list[MixtureResult]:
            """Train for a share of the steps."""
            short = settings.model_copy(update={"training": shorter(acting, share)})
            run = replace(timing.run, configuration=c.model_copy(update={"dissimilarity": short}))
            return on_pairs(run, {name: timing.source(name) for name in {a, b}})(a, b, repetitions)

        return (a, b), 0, act  # the worlds of one source may cost as unlike as those of two
    joint = mixed(timing.domain(a), timing.domain(b), outputs=c.pool.outputs)
    samples = settings.samples or min(len(joint.first.train_y), len(joint.second.train_y))
    signature = (joint.shape, joint.outputs, samples, len(joint.first.test_y), len(joint.second.test_y))

    def train(share: float) -> list[MixtureResult]:
        """Train on a share of the samples."""
        return _mix(timing.run, joint, share, samples)

    return signature, samples, train


def _mix(run: Run, joint: MixedData, share: float, samples: int) -> list[MixtureResult]:
    """Train the first chunk of repetitions on a share of the samples of a pair."""
    c, settings = run.configuration, run.configuration.dissimilarity
    batch = settings.training.batch_size
    return train_mixtures(
        replace(joint, first=_cut(joint.first, share, batch), second=_cut(joint.second, share, batch)),
        pool.from_network(settings.network),
        settings.training,
        proportions=settings.points,
        repetitions=range(settings.repetitions_per_chunk),
        samples=max(batch, round(share * samples)),
        seed=c.seed,
        device=c.device,
        threads=c.threads,
    )


def _baseline(timing: Timing) -> StageCost:
    """Estimate the baseline of a control suite: timed once on every domain on which it is trained."""
    run, c = timing.run, timing.run.configuration
    if c.baseline is None:
        return StageCost("baseline", 0, 0, 0.0, 0.0, 0.0)
    seconds, trained = 0.0, run.plan.baseline_domains
    policy = Policy(pool.from_network(c.baseline.network), 0)
    for name in trained:
        timing.progress(f"timing the baseline on {name}")
        work = _work(timing, name, [policy], c.baseline.training)
        trained_one = _full(timing, work, 0, c.baseline.training)
        seconds += (trained_one + evaluated(timing, [name], 1, c.baseline.training)) * c.baseline.repetitions
    jobs = len(trained) + len(c.domains)
    trainings = len(trained) * c.baseline.repetitions
    return StageCost("baseline", jobs, trainings, seconds + jobs * timing.start, seconds, jobs * JOB_BYTES)


def _cut(data: LabelledData, share: float, batch: int) -> LabelledData:
    """Return a share of the data, at least one batch; labels that no longer occur stay outputs."""
    train, test = (min(len(y), max(batch, round(share * len(y)))) for y in (data.train_y, data.test_y))
    order = torch.randperm(len(data.train_y), generator=torch.Generator().manual_seed(0))[:train]
    return replace(
        data,
        train_x=data.train_x[order],
        train_y=data.train_y[order],
        test_x=data.test_x[:test],
        test_y=data.test_y[:test],
    )
