"""Networks of several sizes trained on one control domain or on a mixture of two, each with what it was chosen by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from aiq.records.trial import Architecture
from aiq.training.checkpoints import Memory
from aiq.training.device import computing
from aiq.training.reinforcement.chunks import resolved, train_members
from aiq.training.reinforcement.learner import world_seed
from aiq.training.reinforcement.mixtures import on_ground
from aiq.training.reinforcement.population import Member, Trained


@dataclass(frozen=True)
class PoolMember:
    """One trained network of a pool.

    Attributes:
        score: best of its periodic evaluations, in [0, 1], by which it can be chosen; NaN where it was lost.
        performances: on fresh episodes of each domain, in [0, 1]; NaN where it was lost.
        parameters: trainable numbers.
        seconds: that its training took.
    """

    score: float
    performances: tuple[float, ...]
    parameters: int
    seconds: float


def train_pool(
    domains: Sequence[ControlDomain],
    architectures: Sequence[Architecture],
    settings: Reinforcement,
    *,
    share: float,
    numbers: Sequence[int],
    seed: int,
    interface: ControlInterface | None = None,
    device: str = "cpu",
    threads: int = 1,
    memory: Memory | None = None,
) -> list[PoolMember]:
    """Train networks by deep Q-learning, side by side, on one domain or on episodes drawn from either of two.

    Each has streams and initial weights of its own, keyed by the names of the domains, the share and its number: a
    result does not depend on what else is trained in the same call. The best checkpoint of each, by its periodic
    evaluations, is measured on fresh episodes of every domain.

    Args:
        domains: one, or the two of a mixture.
        architectures: the networks, of the dense family.
        settings: of every training.
        share: of the first domain in the episodes, in [0, 1]; not read where there is one domain.
        numbers: of the networks, one each.
        seed: the root seed.
        interface: observations, actions and earnings; None takes those of the domains.
        device: ``cpu`` or ``cuda``.
        threads: threads of torch on the CPU.
        memory: keeps the state of the training, so that an interrupted one goes on.

    Returns:
        The networks in their order.

    Raises:
        TrainingError: no network, not one number each, a share outside [0, 1], or neither one nor two domains.
    """
    if not architectures or len(architectures) != len(numbers) or not 1 <= len(domains) <= 2 or not 0 <= share <= 1:
        raise TrainingError(
            f"a pool of {len(architectures)} networks with {len(numbers)} numbers on {len(domains)} domains at a share "
            f"of {share:g} was asked for; needed are one number each, one or two domains, a share in [0, 1]"
        )
    first, second = domains[0], domains[-1]
    weight = share if len(domains) == 2 else 1.0
    ground = MixedDomain(first, second, [weight] * len(numbers), interface)
    shape, where = (ground.observations,), resolved(device, *domains)
    shares = (weight, 1 - weight)[: len(domains)]

    def member(architecture: Architecture, number: int) -> Member:
        """Return a network before its training."""
        weight_shapes(architecture, shape, ground.actions)
        key: tuple[str | int, ...] = ("pool", *(domain.name for domain in domains), f"{weight:.12g}", number)
        started = seeding.integer(seed, "weights", *key)
        weights = initial_weights(architecture, shape, ground.actions, started, torch.float32)
        return Member(architecture, [w.to(where) for w in weights], seeding.integer(seed, "training", *key), shares)

    def worlds(chosen: Sequence[Member]) -> Worlds:
        seeds = [world_seed(m.seed) for m in chosen]
        return mixed(first, second, [weight] * len(chosen), seeds, interface=interface, device=device)

    tests = [on_ground(domain, ground) for domain in domains]
    members = [member(architecture, n) for architecture, n in zip(architectures, numbers, strict=True)]
    with computing(threads, where):
        found = train_members(members, ground, worlds, tests, settings, None, memory)
    sizes = [size.parameters(architecture, shape, ground.actions) for architecture in architectures]
    return [_told(trained, parameters) for trained, parameters in zip(found, sizes, strict=True)]


def _told(trained: Trained, parameters: int) -> PoolMember:
    """Return the record of a network; one that was lost has no score."""
    sound = trained.curve.status in ("finished", "converged") and bool(trained.curve.scores)
    score = max(trained.curve.scores) if sound else float("nan")
    return PoolMember(score, trained.performances, parameters, trained.curve.seconds)
