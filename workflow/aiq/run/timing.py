"""What a suite will cost: its domains are prepared aside, its trainings timed on a part of their data or steps."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from aiq.config.training import Learning, Reinforcement
from aiq.plans.layout import parted
from aiq.plans.run import SuiteRun as Run
from aiq.policies import networks
from aiq.records.domains import ControlInterface, Interface
from aiq.records.trial import AloneResult, MixtureResult, Policy, Trial
from aiq.run.costing import JOB_BYTES, Cost, Report, StageCost, clock, process_start, products, shard_bytes
from aiq.run.expected import cost_of_suite, reductions
from aiq.run.playing import Timing, cut, shorter, training_megabytes, whole
from aiq.run.training.domains import Ground, found_interface, prepare_domain, prepared, sharing
from aiq.run.training.trainers import on_domain, on_pairs
from aiq.storage.shards import pack_alone, pack_mixtures, pack_trials
from aiq.training import reinforcement
from aiq.training.data import MixedData, mixed, mixed_on
from aiq.training.data import alone as on_ground
from aiq.training.supervised import train_alone, train_chunk, train_mixtures

RESULT_BYTES = 60_000  # of the reduced results of a domain or a pair
MIXED = 3  # pairs of control domains that are timed
NOTHING = StageCost("", 0, 0, 0.0, 0.0, 0.0)


def estimate(run: Run, progress: Report) -> Cost:
    """Time small parts of a suite's trainings and return the cost of all of it."""
    c = run.configuration
    progress("starting a process")
    start = process_start()
    with tempfile.TemporaryDirectory() as folder:
        timing = Timing(run, Path(folder), start, progress)
        stages = [make(timing) for make in (_domains, _trials, _agents, _mixtures, _alone, _baseline)]
        smallest = min(c.domains, key=lambda name: run.plan.sizing.costs.chunk(name).megabytes)
        progress("measuring memory")
        megabytes = training_megabytes(run, smallest, timing.source(smallest))
    factors = _factors(run, {stage.stage: stage.training_seconds for stage in stages})
    return cost_of_suite(run, [*stages, _reduced(run, start)], start, factors=factors, megabytes=megabytes)


def _reduced(run: Run, start: float) -> StageCost:
    c, plan, rest, pairs = run.configuration, run.plan, reductions(run), sum(a <= b for a, b in run.plan.pairs)
    results = (2 * len(c.domains) + pairs + 4) * RESULT_BYTES / 2
    light = process_start("aiq.run.reducing.complexity")
    reduced = products(rest, len(c.domains) + pairs + 10, start, results + rest * JOB_BYTES)
    light_jobs = len(c.domains) * (1 if c.control else 2)  # the baseline's episodes give control its entropy
    light_jobs += plan.ends.measured
    baselines = plan.sizing.known_baselines(len(plan.pairs)).seconds if plan.with_known_baselines else 0.0
    seconds = reduced.core_seconds - light_jobs * (start - light) + baselines  # complexity and entropy load no torch
    return replace(reduced, core_seconds=seconds)


def _factors(run: Run, seconds: Mapping[str, float]) -> dict[str, float]:
    """Return measured seconds over those of the cost model, for each kind of training."""
    c, plan, costs = run.configuration, run.plan, run.plan.sizing.costs
    agents = [costs.agent(name, agent.name) for name in c.domains for agent in c.agents.networks]
    units = {
        "trials": (c.pool.chunks, [costs.chunk(name) for name in c.domains]),
        "mixtures": (c.dissimilarity.chunks, [costs.pair(a, b) for a, b in plan.mixed]),
        "agents": (c.agents.repetitions, agents),
    }
    modelled = {
        kind: sum((work.seconds - costs.calibration.unit) * times for work in works)
        for kind, (times, works) in units.items()
    }
    return {kind: seconds[kind] / total for kind, total in modelled.items() if total > 0}


def _stage(timing: Timing, name: str, jobs: int, trainings: int, seconds: float, size: float = 0.0) -> StageCost:
    return StageCost(name, jobs, trainings, seconds + jobs * timing.start, seconds, size + jobs * JOB_BYTES)


def _domains(timing: Timing) -> StageCost:
    names, now = timing.run.configuration.domains, clock("cpu")
    begun = now()
    for name in names:
        timing.progress(f"preparing {name}")
        prepare_domain(timing.run, name, timing.source(name))
    taken = now() - begun
    stage = _stage(timing, "domains", len(names), 0, 0.0, sum(timing.source(name).stat().st_size for name in names))
    return replace(stage, core_seconds=stage.core_seconds + taken)


# ---- trainings on one domain ---------------------------------------------------------------------


def _work(
    timing: Timing, domain: str, policies: list[Policy], settings: Learning, interface: Ground | None = None
) -> Callable[[float], list[Trial]]:
    """Return what trains policies on a share of a domain's samples or for a share of the steps."""
    c = timing.run.configuration
    if isinstance(settings, Reinforcement):
        learn = on_domain(timing.run, domain, timing.source(domain), interface)
        return lambda share: learn(policies, shorter(settings, share), 0)
    data = on_ground(timing.domain(domain), interface)

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
    timed = [] if c.pool.learners is not None else sorted({0, c.pool.chunks // 2})
    interface = _measured(timing) if run.plan.ends.pooled else None
    for name in c.domains:
        timing.progress(f"timing the pool on {name}")
        trials: list[Trial] = []
        for chunk in timed:
            work = _work(timing, name, networks.chunk(c.pool, c.seed, name, chunk), c.training, interface)

            def kept(share: float, work: Callable[[float], list[Trial]] = work, trials: list[Trial] = trials) -> None:
                trials[:] = work(share)

            each = whole(timing, kept, _samples(timing, name), c.training, [name], c.pool.policies_per_chunk)
            seconds += each * c.pool.chunks / len(timed)
        here = len(run.plan.trial_jobs(name))
        size += shard_bytes("trials", [pack_trials(trials)], c.pool.chunks, here)
        jobs += here
    return _stage(timing, "trials", jobs, len(c.domains) * c.pool.size, seconds, size)


def _agents(timing: Timing) -> StageCost:
    run, c = timing.run, timing.run.configuration
    seconds, size, jobs = 0.0, 0.0, len(run.plan.agent_jobs)
    trainings = len(c.domains) * len(c.agents.networks) * c.agents.repetitions
    for name in c.domains:
        timing.progress(f"timing the agents on {name}")
        for agent in c.agents.networks:
            work = _work(timing, name, [Policy(networks.from_network(agent), 0)], c.agent_training)
            seconds += whole(timing, work, _samples(timing, name), c.agent_training, [name], 1) * c.agents.repetitions
            size = size or shard_bytes("agents", [pack_trials(work(0.0))], trainings, jobs)
    outside = len(c.domains) * len(c.agents.outside)
    return _stage(timing, "agents", jobs + outside, trainings + outside * c.agents.repetitions, seconds, size)


def _baseline(timing: Timing) -> StageCost:
    run, c, settings = timing.run, timing.run.configuration, timing.run.configuration.baseline
    if settings is None:
        return NOTHING
    seconds, trained = 0.0, run.plan.baseline_domains
    policy = Policy(networks.from_network(settings.network), 0)
    for name in trained:
        timing.progress(f"timing the baseline on {name}")
        work = _work(timing, name, [policy], settings.training)
        seconds += whole(timing, work, 0, settings.training, [name], 1) * settings.repetitions
    return _stage(timing, "baseline", len(trained) + len(c.domains), len(trained) * settings.repetitions, seconds)


# ---- dissimilarities: mixtures, and domains alone ------------------------------------------------


def _mixtures(timing: Timing) -> StageCost:
    """Estimate the mixtures: pairs of one shape, number of outputs and number of samples are timed once.

    Of control domains some pairs are timed, spread over all of them: their worlds differ in ways that no number tells.
    """
    run, c = timing.run, timing.run.configuration
    settings, interface = c.dissimilarity, _interface(timing)
    timed: dict[tuple[object, ...], float] = {}
    seconds, tree = 0.0, None
    pairs = [(parted(a)[0], parted(b)[0]) for a, b in run.plan.mixed]
    chosen = pairs[len(pairs) // MIXED // 2 :: max(1, len(pairs) // MIXED)][:MIXED] if c.control else pairs
    networks = len(settings.trained_points) * settings.repetitions_per_chunk
    for a, b in chosen:
        signature, samples, work = _pair(timing, a, b, interface)
        if signature not in timed:
            timing.progress(f"timing mixtures of {a} and {b}")
            timed[signature] = whole(timing, work, samples, settings.training, (a, b), networks)
            tree = tree or pack_mixtures(work(0.0))
        seconds += timed[signature] * settings.chunks * len(pairs) / len(chosen)
    jobs, units = len(run.plan.mixture_jobs), len(pairs) * settings.chunks
    trainings = len(pairs) * settings.repetitions * len(settings.trained_points)
    size = shard_bytes("mixtures", [tree], units, jobs) if tree else 0.0
    return _stage(timing, "mixtures", jobs, trainings, seconds, size)


def _interface(timing: Timing) -> Ground | None:
    return _measured(timing) if timing.run.plan.ends.shared else None


def _measured(timing: Timing) -> Ground:
    """Return the interface of the suite from its prepared domains."""
    run, c = timing.run, timing.run.configuration
    if c.control:
        return found_interface(run, (prepared(run, name, timing.source(name)) for name in c.domains))
    return found_interface(run, (timing.domain(name) for name in c.domains))


def _pair(
    timing: Timing, a: str, b: str, interface: Ground | None
) -> tuple[tuple[object, ...], int, Callable[[float], list[MixtureResult]]]:
    """Return what makes the cost of a pair, its samples, and what trains a share of its first repetitions."""
    c = timing.run.configuration
    settings = c.dissimilarity
    if isinstance(settings.training, Reinforcement):
        acting = settings.training

        def act(share: float) -> list[MixtureResult]:
            short = settings.model_copy(update={"training": shorter(acting, share)})
            run = replace(timing.run, configuration=c.model_copy(update={"dissimilarity": short}))
            train = on_pairs(run, {name: timing.source(name) for name in {a, b}}, interface)
            return train(a, b, range(settings.repetitions_per_chunk))

        return (a, b), 0, act  # the worlds of one source may cost as unlike as those of two
    pair = timing.domain(a), timing.domain(b)
    if isinstance(interface, Interface):
        joint, samples = mixed_on(interface, *pair, sharing(settings)), interface.samples
    else:
        joint = mixed(*pair, sharing=sharing(settings))
        samples = settings.samples or min(len(joint.first.train_y), len(joint.second.train_y))
    signature = (joint.shape, joint.outputs, samples, len(joint.first.test_y), len(joint.second.test_y))
    return signature, samples, lambda share: _mix(timing.run, joint, share, samples)


def _mix(run: Run, joint: MixedData, share: float, samples: int) -> list[MixtureResult]:
    c, settings = run.configuration, run.configuration.dissimilarity
    batch = settings.training.batch_size
    return train_mixtures(
        replace(joint, first=cut(joint.first, share, batch), second=cut(joint.second, share, batch)),
        networks.from_network(settings.network),
        settings.training,
        proportions=settings.trained_points,
        repetitions=range(settings.repetitions_per_chunk),
        samples=max(batch, round(share * samples)),
        seed=c.seed,
        device=c.device,
        threads=c.threads,
    )


def _alone(timing: Timing) -> StageCost:
    """Estimate the domains alone: the first chunk of ends and of controls is timed on every domain.

    On control domains only ends are: a control has their cost times its share of the steps.
    """
    run, c = timing.run, timing.run.configuration
    settings, interface = c.dissimilarity, _interface(timing)
    if interface is None:
        return NOTHING
    seconds, trees, ends = 0.0, [], run.plan.ends
    chunks = {part: ends.chunks(part) for part in ends.parts}
    each = {part: len(ends.places(part, 0)) for part in ends.parts}
    for name in c.domains:
        timing.progress(f"timing {name} alone")
        for part in ends.parts:
            samples, work, share = _part(timing, name, part, interface)
            seconds += whole(timing, work, samples, settings.training, [name], each[part], share) * chunks[part]
            trees += [] if len(trees) > 1 else [pack_alone(work(0.0))]
    count = len(c.domains)
    jobs, units = len(ends.jobs), count * sum(chunks.values())
    trainings = count * sum(chunks[part] * each[part] for part in ends.parts)
    return _stage(timing, "alone", jobs, trainings, seconds, shard_bytes("alone", trees, units, jobs))


def _part(
    timing: Timing, name: str, part: str, interface: Ground
) -> tuple[int, Callable[[float], list[AloneResult]], float]:
    """Return the samples of a chunk of a domain alone, what trains a share of it, and how much of that it costs."""
    c = timing.run.configuration
    settings, network = c.dissimilarity, networks.from_network(c.dissimilarity.network)
    options = {"seed": c.seed, "device": c.device, "threads": c.threads}
    if isinstance(interface, ControlInterface) and isinstance(settings.training, Reinforcement):
        world, acting = prepared(timing.run, name, timing.source(name)), settings.training
        places = [(1.0, r) for r in range(timing.run.plan.ends.together(part))]

        def act(share: float) -> list[AloneResult]:
            short = shorter(acting, share)
            return reinforcement.train_alone(world, network, short, places=places, interface=interface, **options)

        return 0, act, 1.0 if part == "ends" else sum(settings.shares)
    data = on_ground(timing.domain(name), interface)
    batch, places = settings.training.batch_size, timing.run.plan.ends.places(part, 0)

    def train(share: float) -> list[AloneResult]:
        samples = max(batch, round(share * interface.samples))
        some = cut(data, share, batch)
        return train_alone(some, network, settings.training, places=places, samples=samples, **options)

    return interface.samples, train, 1.0
