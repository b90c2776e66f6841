"""One architecture trained from scratch on mixtures of two control domains, at every proportion and repetition."""

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
from aiq.records.trial import Architecture, MixtureResult
from aiq.training.checkpoints import Memory
from aiq.training.device import computing
from aiq.training.reinforcement.chunks import resolved, train_members
from aiq.training.reinforcement.learner import world_seed
from aiq.training.reinforcement.padded import PaddedDomain
from aiq.training.reinforcement.population import Member, Trained
from aiq.training.stopping import Report


def train_mixtures(
    first: ControlDomain,
    second: ControlDomain,
    architecture: Architecture,
    settings: Reinforcement,
    *,
    proportions: Sequence[float],
    repetitions: Sequence[int],
    seed: int,
    interface: ControlInterface | None = None,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> list[MixtureResult]:
    """Train one network for each proportion and repetition by deep Q-learning (Eqs. 7 to 9; 2.5.3).

    The domain of every training episode is drawn: the first with the proportion as probability, else the second.
    The best checkpoint, by the expected performance p V_a + (1 - p) V_b of the periodic evaluations, is measured on
    fresh episodes of both domains. Every training has streams and initial weights of its own, keyed by both domains'
    names, the repetition and the proportion: a result does not depend on what else is trained in the same call.

    Args:
        first: drawn with the proportion as probability.
        second: the other one; the same for the noise floor.
        architecture: the network, of the dense family.
        settings: of the training; steps, memory and episodes are those of one training.
        proportions: in [0, 1].
        repetitions: numbers of the repetitions.
        seed: the root seed.
        interface: observations, actions and earnings of the whole suite; None takes those of the pair.
        device: ``cpu``, ``cuda``, ``cuda:1`` and so on.
        dtype: precision of the training.
        threads: threads of torch on the CPU.
        progress: told the finished share of the work, in [0, 1].
        memory: keeps the state of the training, so that an interrupted one goes on.

    Returns:
        Results by proportion, then repetition, in the order given; NaN where a training diverged or failed.

    Raises:
        TrainingError: nothing to train, a proportion outside [0, 1], or a convolutional architecture.
    """
    where = resolved(device, first, second)
    places = [(float(p), int(r)) for p in proportions for r in repetitions]
    if not places:
        raise TrainingError("a mixture needs at least one proportion and one repetition, none was given")
    if any(not 0 <= p <= 1 for p, _ in places):
        raise TrainingError(f"proportions {list(proportions)} must lie in [0, 1]")
    ground = MixedDomain(first, second, [p for p, _ in places], interface)
    shape = (ground.observations,)
    weight_shapes(architecture, shape, ground.actions)

    def member(proportion: float, repetition: int) -> Member:
        key = (first.name, second.name, repetition, f"{proportion:.12g}")
        started = seeding.integer(seed, "weights", *key)
        weights = [w.to(where) for w in initial_weights(architecture, shape, ground.actions, started, dtype)]
        return Member(architecture, weights, seeding.integer(seed, "mixture", *key), (proportion, 1 - proportion))

    def worlds(chosen: Sequence[Member]) -> Worlds:
        shares, seeds = [m.shares[0] for m in chosen], [world_seed(m.seed) for m in chosen]
        return mixed(first, second, shares, seeds, interface=interface, device=device)

    tests = [on_ground(domain, ground) for domain in (first, second)]
    members = [member(p, r) for p, r in places]
    with computing(threads, where):
        found = train_members(members, ground, worlds, tests, settings, progress, memory)
    parameters = size.parameters(architecture, shape, ground.actions)
    return [_result(place, trained, parameters) for place, trained in zip(places, found, strict=True)]


def on_ground(domain: ControlDomain, ground: ControlDomain | ControlInterface) -> ControlDomain:
    """Return a domain on the common ground, in the places of its declared space; itself, if it is as wide and has none.

    A domain that was laid in places is as wide as its suite's interface: between mixtures it is passed on as it is.
    """
    places = ground.places if isinstance(ground, ControlInterface) else None
    if places is None and (domain.observations, domain.actions) == (ground.observations, ground.actions):
        return domain
    return PaddedDomain(domain, ground.observations, ground.actions, places)


def _result(place: tuple[float, int], trained: Trained, parameters: int) -> MixtureResult:
    """Return the record of a mixture (proportion, repetition)."""
    if trained.curve.status is None:
        raise ValueError("a mixture was recorded before its training ended")
    return MixtureResult(*place, *trained.performances, parameters, trained.curve.seconds, trained.curve.status)
