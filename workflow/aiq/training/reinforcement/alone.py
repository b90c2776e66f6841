"""One architecture trained on one control domain alone, under the interface of its suite: the ends of its mixtures."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from aiq import seeding
from aiq.config.reinforcement import Reinforcement
from aiq.domains.control import ControlDomain, Worlds
from aiq.domains.control.mixed_worlds import MixedDomain, mixed
from aiq.errors import TrainingError
from aiq.policies import size
from aiq.policies.networks import initial_weights
from aiq.policies.size import weight_shapes
from aiq.records.interface import ControlInterface
from aiq.records.trial import AloneResult, Architecture
from aiq.training.alone import check_places
from aiq.training.checkpoints import Memory
from aiq.training.device import computing
from aiq.training.reinforcement.chunks import resolved, train_members
from aiq.training.reinforcement.learner import world_seed
from aiq.training.reinforcement.mixtures import on_ground
from aiq.training.reinforcement.population import Member, Trained
from aiq.training.stopping import Report, part_of


def train_alone(
    domain: ControlDomain,
    architecture: Architecture,
    settings: Reinforcement,
    *,
    places: Sequence[tuple[float, int]],
    interface: ControlInterface,
    seed: int,
    key: tuple[str, str] | None = None,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> list[AloneResult]:
    """Train one network for each place by deep Q-learning on the domain alone and measure it on fresh episodes.

    At proportion 1 this is what a mixture with any domain of the suite is at its end. Below 1 the training has that
    share of the steps. That is not how many steps of the domain a mixture at this proportion has: episodes are
    drawn, and they differ in length from domain to domain and in the course of learning.

    Args:
        domain: to be trained on.
        architecture: the network, of the dense family.
        settings: of the training; ``steps`` are those at proportion 1.
        places: proportion in (0, 1] and number of the repetition of each training.
        interface: of the suite.
        seed: the root seed.
        key: names of both domains of a mixture whose streams and weights at proportion 1 are to be had; None: of
            the domain's own.
        device: ``cpu``, ``cuda``, ``cuda:1`` and so on.
        dtype: precision of the training.
        threads: threads of torch on the CPU.
        progress: told the finished share of the work, in [0, 1].
        memory: keeps the state of the training, so that an interrupted one goes on.

    Returns:
        Results in the order of the places; NaN where a training diverged or failed.

    Raises:
        TrainingError: nothing to train, a proportion outside (0, 1], so few steps that none is learned from, or a
            convolutional architecture.
    """
    where = resolved(device, domain)
    check_places(places)
    shape = (interface.observations,)
    weight_shapes(architecture, shape, interface.actions)

    def member(proportion: float, repetition: int) -> Member:
        words = (*(key or ("alone", domain.name)), repetition, f"{proportion:.12g}")
        started = seeding.integer(seed, "weights" if key else "weights alone", *words)
        weights = [w.to(where) for w in initial_weights(architecture, shape, interface.actions, started, dtype)]
        return Member(architecture, weights, seeding.integer(seed, "mixture" if key else "training", *words))

    def worlds(chosen: Sequence[Member]) -> Worlds:
        seeds = [world_seed(m.seed) for m in chosen]
        return mixed(domain, domain, [1.0] * len(chosen), seeds, interface=interface, device=device)

    found: dict[int, AloneResult] = {}
    parameters = size.parameters(architecture, shape, interface.actions)
    with computing(threads, where):
        for proportion in dict.fromkeys(p for p, _ in places):
            part = [i for i, (p, _) in enumerate(places) if p == proportion]
            rule = shortened(settings, proportion, domain.name)
            ground = MixedDomain(domain, domain, [1.0] * len(part), interface)
            report = part_of(progress, len(found), len(part), len(places))
            members = [member(*places[i]) for i in part]
            trained = train_members(members, ground, worlds, [on_ground(domain, ground)], rule, report, memory)
            found |= {i: _result(places[i], rule.steps, t, parameters) for i, t in zip(part, trained, strict=True)}
    return [found[i] for i in range(len(places))]


def shortened(settings: Reinforcement, proportion: float, name: str) -> Reinforcement:
    """Return the settings with a share of the steps, at least one.

    Raises:
        TrainingError: learning would start after the last step.
    """
    steps = max(1, round(proportion * settings.steps))
    if settings.learning_starts >= steps:
        raise TrainingError(
            f"{name} alone has {steps} steps at proportion {proportion:g}, but learning starts after "
            f"{settings.learning_starts}; give more steps or set controls to false"
        )
    return settings.model_copy(update={"steps": steps})


def _result(place: tuple[float, int], steps: int, trained: Trained, parameters: int) -> AloneResult:
    """Return the record of a training alone (proportion, repetition)."""
    if trained.curve.status is None:
        raise ValueError("a domain alone was recorded before its training ended")
    performance = trained.performances[0]
    return AloneResult(*place, steps, performance, None, parameters, trained.curve.seconds, trained.curve.status)
