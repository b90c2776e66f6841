"""What a suite will cost: its domains are prepared aside, its trainings timed on a part of their data or steps."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from aiq.config.reinforcement import Learning, Reinforcement
from aiq.plans.run import SuiteRun as Run
from aiq.policies import pool
from aiq.records.trial import Policy, Trial
from aiq.run.costing import JOB_BYTES, Cost, Report, StageCost, clock, outputs, process_start, products, shard_bytes
from aiq.run.costs.expected import asked, left_out, reductions
from aiq.run.costs.mixtures import alone, measured_interface, mixtures
from aiq.run.costs.playing import Timing, cut, evaluated, full, shorter, training_megabytes
from aiq.run.training.domains import prepare_domain
from aiq.run.training.interface import Ground
from aiq.run.training.trainers import labelled, on_domain
from aiq.storage.trials import pack_trials
from aiq.training.supervised import train_chunk

RESULT_BYTES = 60_000  # of the reduced results of a domain or a pair


def estimate(run: Run, progress: Report) -> Cost:
    """Time small parts of a suite's trainings and return the cost of all of it."""
    c = run.configuration
    progress("starting a process")
    start = process_start()
    with tempfile.TemporaryDirectory() as folder:
        timing = Timing(run, Path(folder), start, progress)
        stages = [
            _domains(timing),
            _trials(timing),
            _agents(timing),
            mixtures(timing),
            alone(timing),
            _baseline(timing),
        ]
        smallest = min(c.domains, key=lambda name: run.plan.sizing.costs.chunk(name).megabytes)
        progress("measuring memory")
        megabytes = training_megabytes(run, smallest, timing.source(smallest))
    rest = reductions(run)
    pairs = sum(a <= b for a, b in run.plan.pairs)
    results = (2 * len(c.domains) + pairs + 4) * RESULT_BYTES / 2
    light = process_start("aiq.run.reducing.complexity")
    reduced = products(rest, len(c.domains) + pairs + 10, start, results + rest * JOB_BYTES)
    light_jobs = len(c.domains) * (1 if c.control else 2)  # the baseline's episodes give control its entropy
    light_jobs += run.plan.ends.measured
    known = run.plan.sizing.known_baselines(len(run.plan.pairs)).seconds if run.plan.with_known_baselines else 0.0
    seconds = reduced.core_seconds - light_jobs * (start - light) + known  # complexity and entropy load no torch
    stages.append(replace(reduced, core_seconds=seconds))
    rules = (getattr(s, "convergence", None) for s in (c.training, c.agent_training, c.dissimilarity.training))
    return Cost(
        tuple(stage for stage in stages if stage.jobs),
        start,
        any(rule is not None for rule in rules),
        c.device,
        left_out(run),
        _factors(run, {stage.stage: stage.training_seconds for stage in stages}),
        threads=c.threads,
        megabytes=megabytes,
        asked=asked(run),
        outputs=outputs(run.plan),
    )


def _factors(run: Run, seconds: Mapping[str, float]) -> dict[str, float]:
    """Return measured seconds over those of the cost model, for each kind of training."""
    c, plan, unit = run.configuration, run.plan, run.plan.sizing.costs.calibration.unit
    chunks, repetitions = c.pool.chunks, c.agents.repetitions
    costs = plan.sizing.costs
    modelled = {
        "trials": sum((costs.chunk(name).seconds - unit) * chunks for name in c.domains),
        "mixtures": sum((costs.pair(a, b).seconds - unit) * c.dissimilarity.chunks for a, b in plan.mixed),
        "agents": sum(
            (costs.agent(name, agent.name).seconds - unit) * repetitions
            for name in c.domains
            for agent in c.agents.networks
        ),
    }
    return {kind: seconds[kind] / total for kind, total in modelled.items() if total > 0}


def _domains(timing: Timing) -> StageCost:
    run, now = timing.run, clock("cpu")
    begun = now()
    for name in run.configuration.domains:
        timing.progress(f"preparing {name}")
        prepare_domain(run, name, timing.source(name))
    seconds = now() - begun
    count = len(run.configuration.domains)
    size = sum(timing.source(name).stat().st_size for name in run.configuration.domains)
    return StageCost("domains", count, 0, seconds + count * timing.start, 0.0, size + count * JOB_BYTES)


def _work(
    timing: Timing, domain: str, policies: list[Policy], settings: Learning, interface: Ground | None = None
) -> Callable[[float], list[Trial]]:
    """Return what trains policies on a share of a domain's samples or for a share of the steps."""
    c = timing.run.configuration
    if isinstance(settings, Reinforcement):
        learn = on_domain(timing.run, domain, timing.source(domain), interface)
        return lambda share: learn(policies, shorter(settings, share), 0)
    data = labelled(timing.domain(domain), c.pool.outputs, interface)

    def train(share: float) -> list[Trial]:
        part = cut(data, share, settings.batch_size)
        return train_chunk(part, policies, settings, order_seed=0, device=c.device, threads=c.threads)

    return train


def _samples(timing: Timing, domain: str) -> int:
    """Return the training samples of a domain, 0 where it is played."""
    return 0 if timing.run.configuration.control else len(timing.domain(domain).train_y)


def _trials(timing: Timing) -> StageCost:
    run, c = timing.run, timing.run.configuration
    seconds, size, jobs = 0.0, 0.0, 0
    timed = sorted({0, c.pool.chunks // 2})
    interface = measured_interface(timing) if run.plan.ends.pooled else None
    for name in c.domains:
        timing.progress(f"timing the pool on {name}")
        found: list[Trial] = []
        for chunk in () if c.pool.learners is not None else timed:
            work = _work(timing, name, pool.chunk(c.pool, c.seed, name, chunk), c.training, interface)

            def kept(share: float, work: Callable[[float], list[Trial]] = work, found: list[Trial] = found) -> None:
                found[:] = work(share)

            seconds += full(timing, kept, _samples(timing, name), c.training) * c.pool.chunks / len(timed)
        if c.pool.learners is None:
            seconds += evaluated(timing, [name], c.pool.policies_per_chunk, c.training) * c.pool.chunks
        here = len(run.plan.trial_jobs(name))
        size += shard_bytes("trials", [pack_trials(found)], c.pool.chunks, here)
        jobs += here
    return StageCost(
        "trials", jobs, len(c.domains) * c.pool.size, seconds + jobs * timing.start, seconds, size + jobs * JOB_BYTES
    )


def _agents(timing: Timing) -> StageCost:
    run, c = timing.run, timing.run.configuration
    seconds, size = 0.0, 0.0
    jobs = len(run.plan.agent_jobs)
    for name in c.domains:
        timing.progress(f"timing the agents on {name}")
        played = evaluated(timing, [name], 1, c.agent_training) if c.agents.networks else 0.0
        seconds += played * len(c.agents.networks) * c.agents.repetitions
        for agent in c.agents.networks:
            work = _work(timing, name, [Policy(pool.from_network(agent), 0)], c.agent_training)
            seconds += full(timing, work, _samples(timing, name), c.agent_training) * c.agents.repetitions
            if not size:
                trees = [pack_trials(work(0.0))]
                units = len(c.domains) * len(c.agents.networks) * c.agents.repetitions
                size = shard_bytes("agents", trees, units, jobs)
    trainings = len(c.domains) * len(c.agents.networks) * c.agents.repetitions
    outside = len(c.domains) * len(c.agents.outside)
    jobs += outside
    trainings += outside * c.agents.repetitions
    return StageCost("agents", jobs, trainings, seconds + jobs * timing.start, seconds, size + jobs * JOB_BYTES)


def _baseline(timing: Timing) -> StageCost:
    run, c = timing.run, timing.run.configuration
    if c.baseline is None:
        return StageCost("baseline", 0, 0, 0.0, 0.0, 0.0)
    seconds, trained = 0.0, run.plan.baseline_domains
    policy = Policy(pool.from_network(c.baseline.network), 0)
    for name in trained:
        timing.progress(f"timing the baseline on {name}")
        work = _work(timing, name, [policy], c.baseline.training)
        trained_one = full(timing, work, 0, c.baseline.training)
        seconds += (trained_one + evaluated(timing, [name], 1, c.baseline.training)) * c.baseline.repetitions
    jobs = len(trained) + len(c.domains)
    trainings = len(trained) * c.baseline.repetitions
    return StageCost("baseline", jobs, trainings, seconds + jobs * timing.start, seconds, jobs * JOB_BYTES)
