"""What the trainings of a suite's dissimilarities will cost: its mixtures, and its domains alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aiq.config.reinforcement import Reinforcement
from aiq.plans.run import SuiteRun as Run
from aiq.plans.stages import parted
from aiq.policies import pool
from aiq.records.domains import ControlInterface, Interface
from aiq.records.trial import AloneResult, MixtureResult
from aiq.run.costing import JOB_BYTES, StageCost, shard_bytes
from aiq.run.costs.playing import Timing, cut, evaluated, full, shorter
from aiq.run.training.domains import prepared
from aiq.run.training.interface import Ground, found_interface, sharing
from aiq.run.training.trainers import on_pairs
from aiq.storage.trials import pack_alone, pack_mixtures
from aiq.training import reinforcement
from aiq.training.data import MixedData, mixed
from aiq.training.interface import alone as on_ground
from aiq.training.interface import mixed_on
from aiq.training.supervised import train_alone, train_mixtures

MIXED = 3  # pairs of control domains that are timed


def mixtures(timing: Timing) -> StageCost:
    """Estimate the mixtures: pairs of one shape, number of outputs and number of samples are timed once.

    Of control domains some pairs are timed, spread over all of them: their worlds differ in ways that no number tells.
    """
    run, c = timing.run, timing.run.configuration
    settings, interface = c.dissimilarity, _interface(timing)
    known: dict[tuple[object, ...], float] = {}
    seconds, tree = 0.0, None
    pairs = [(parted(a)[0], parted(b)[0]) for a, b in run.plan.mixed]
    chosen = pairs[len(pairs) // MIXED // 2 :: max(1, len(pairs) // MIXED)][:MIXED] if c.control else pairs
    networks = len(settings.trained_points) * settings.repetitions_per_chunk
    for a, b in chosen:
        signature, samples, work = _pair(timing, a, b, interface)
        if signature not in known:
            timing.progress(f"timing mixtures of {a} and {b}")
            trained = full(timing, work, samples, settings.training)
            known[signature] = trained + evaluated(timing, (a, b), networks, settings.training)
            tree = tree or pack_mixtures(work(0.0))
        seconds += known[signature] * settings.chunks * len(pairs) / len(chosen)
    jobs, units = len(run.plan.mixture_jobs), len(pairs) * settings.chunks
    trainings = len(pairs) * settings.repetitions * len(settings.trained_points)
    size = shard_bytes("mixtures", [tree], units, jobs) if tree else 0.0
    return StageCost("mixtures", jobs, trainings, seconds + jobs * timing.start, seconds, size + jobs * JOB_BYTES)


def _interface(timing: Timing) -> Ground | None:
    return measured_interface(timing) if timing.run.plan.ends.shared else None


def measured_interface(timing: Timing) -> Ground:
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
    repetitions = range(settings.repetitions_per_chunk)
    if isinstance(settings.training, Reinforcement):
        acting = settings.training

        def act(share: float) -> list[MixtureResult]:
            short = settings.model_copy(update={"training": shorter(acting, share)})
            run = replace(timing.run, configuration=c.model_copy(update={"dissimilarity": short}))
            return on_pairs(run, {name: timing.source(name) for name in {a, b}}, interface)(a, b, repetitions)

        return (a, b), 0, act  # the worlds of one source may cost as unlike as those of two
    pair = timing.domain(a), timing.domain(b)
    if isinstance(interface, Interface):
        joint, samples = mixed_on(interface, *pair, c.pool.outputs, sharing(settings)), interface.samples
    else:
        joint = mixed(*pair, c.pool.outputs, sharing=sharing(settings))
        samples = settings.samples or min(len(joint.first.train_y), len(joint.second.train_y))
    signature = (joint.shape, joint.outputs, samples, len(joint.first.test_y), len(joint.second.test_y))

    def train(share: float) -> list[MixtureResult]:
        return _mix(timing.run, joint, share, samples)

    return signature, samples, train


def _mix(run: Run, joint: MixedData, share: float, samples: int) -> list[MixtureResult]:
    """Train the first chunk of repetitions on a share of the samples of a pair."""
    c, settings = run.configuration, run.configuration.dissimilarity
    batch = settings.training.batch_size
    return train_mixtures(
        replace(joint, first=cut(joint.first, share, batch), second=cut(joint.second, share, batch)),
        pool.from_network(settings.network),
        settings.training,
        proportions=settings.trained_points,
        repetitions=range(settings.repetitions_per_chunk),
        samples=max(batch, round(share * samples)),
        seed=c.seed,
        device=c.device,
        threads=c.threads,
    )


def alone(timing: Timing) -> StageCost:
    """Estimate the domains alone: the first chunk of ends and of controls is timed on every domain.

    On control domains only ends are: a control has their cost times its share of the steps.
    """
    run, c = timing.run, timing.run.configuration
    settings, interface = c.dissimilarity, _interface(timing)
    if interface is None:
        return StageCost("alone", 0, 0, 0.0, 0.0, 0.0)
    seconds, trees, ends = 0.0, [], run.plan.ends
    chunks = {part: ends.chunks(part) for part in ends.parts}
    each = {part: len(ends.places(part, 0)) for part in ends.parts}
    for name in c.domains:
        timing.progress(f"timing {name} alone")
        for part in ends.parts:
            samples, work, share = _part(timing, name, part, interface)
            trained = full(timing, work, samples, settings.training)
            played = evaluated(timing, [name], each[part], settings.training)
            seconds += (trained * share + played) * chunks[part]
            trees += [] if len(trees) > 1 else [pack_alone(work(0.0))]
    count = len(c.domains)
    jobs, units = len(ends.jobs), count * sum(chunks.values())
    trainings = count * sum(chunks[part] * each[part] for part in ends.parts)
    size = shard_bytes("alone", trees, units, jobs)
    return StageCost("alone", jobs, trainings, seconds + jobs * timing.start, seconds, size + jobs * JOB_BYTES)


def _part(
    timing: Timing, name: str, part: str, interface: Ground
) -> tuple[int, Callable[[float], list[AloneResult]], float]:
    """Return the samples of a chunk of a domain alone, what trains a share of it, and how much of that it costs."""
    c = timing.run.configuration
    settings, network = c.dissimilarity, pool.from_network(c.dissimilarity.network)
    told = {"seed": c.seed, "device": c.device, "threads": c.threads}
    if isinstance(interface, ControlInterface) and isinstance(settings.training, Reinforcement):
        world, acting = prepared(timing.run, name, timing.source(name)), settings.training
        places = [(1.0, r) for r in range(timing.run.plan.ends.together(part))]

        def act(share: float) -> list[AloneResult]:
            short = shorter(acting, share)
            return reinforcement.train_alone(world, network, short, places=places, interface=interface, **told)

        return 0, act, 1.0 if part == "ends" else sum(settings.shares)
    data = on_ground(timing.domain(name), c.pool.outputs, interface)
    batch, places = settings.training.batch_size, timing.run.plan.ends.places(part, 0)

    def train(share: float) -> list[AloneResult]:
        samples = max(batch, round(share * interface.samples))
        some = cut(data, share, batch)
        steps = settings.controls_length == "steps"
        return train_alone(some, network, settings.training, places=places, samples=samples, steps=steps, **told)

    return interface.samples, train, 1.0
