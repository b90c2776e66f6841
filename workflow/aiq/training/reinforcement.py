"""Deep Q-learning of pools of policies on control domains, and of one architecture on mixtures of two or one alone.

What all trainings are told beside what each one trains is told at ``How``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

import torch

from aiq import seeding
from aiq.config.training import Reinforcement
from aiq.domains.control import ControlDomain
from aiq.domains.control.mixed_worlds import MixedDomain
from aiq.domains.control.relabelled import on_ground
from aiq.errors import TrainingError
from aiq.policies import networks
from aiq.records.domains import ControlInterface
from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.training.checkpoints import Memory
from aiq.training.device import computing, resolve
from aiq.training.flat import Weights
from aiq.training.q_population import Member, Trained, train


class How(TypedDict, total=False):
    """Where and how networks are trained.

    ``device`` (``cpu``, ``cuda``, ``cuda:1`` ...); ``dtype``, the precision; ``threads`` of torch on the CPU;
    ``memory``, which keeps the state of the training, so that an interrupted one goes on.
    """

    device: str
    dtype: torch.dtype
    threads: int
    memory: Memory | None


def _resolved(device: str, *domains: ControlDomain) -> torch.device:
    for domain in domains:
        if device != "cpu" and not domain.on_gpu:
            raise TrainingError(
                f"domain {domain.name} is simulated on the processor, one world after the other, and device {device!r} "
                "would wait for it at every step: take device 'cpu'"
            )
    return resolve(device)


def _train_networks(
    members: Sequence[Member],
    domain: ControlDomain,
    tests: Sequence[ControlDomain],
    settings: Reinforcement,
    *,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
    memory: Memory | None = None,
) -> list[Trained]:
    """Train networks together; see ``q_population.train``."""
    shape, where = (domain.observations,), _resolved(device, *tests)
    for member in members:
        weights = networks.initial_weights(member.architecture, shape, domain.actions, member.weights_seed, dtype)
        member.weights = [tensor.to(where) for tensor in weights]
    with computing(threads, where):
        return train(members, domain, tests, settings, memory)


@dataclass(frozen=True, eq=False)
class Agent:
    """A trained policy: its record, the weights of the best checkpoint and the ``last`` ones, what a world raised.

    ``weights`` are in the order of ``policies.networks.initial_weights``; the last ones if no evaluation was reached.
    """

    trial: Trial
    weights: Weights
    last: Weights
    failure: str | None


def train_agents(
    domain: ControlDomain,
    policies: Sequence[Policy],
    settings: Reinforcement,
    *,
    seeds: Sequence[int],
    **how: Unpack[How],
) -> list[Agent]:
    """Train policies of the dense family by deep Q-learning and measure the best checkpoint of each on fresh episodes.

    Each agent is the one that the policy would give alone with its seed, up to rounding: it has a world, a memory and
    random streams of its own. ``seeds``, one a policy, in [0, 2**63), name all that is random in its training and
    evaluation but the initial weights, which hang on the policy's own seed.

    Returns:
        One agent a policy, in the order given: its trial's ``performance`` is the mean over ``final_episodes`` fresh
        episodes, put on [0, 1] by the domain's bounds, of the checkpoint whose periodic evaluation was best; NaN with
        status ``diverged`` where a loss or weight was not finite at an evaluation, ``failed`` where a world raised.

    Raises:
        TrainingError: a policy of the convolutional family.
    """
    members = [Member(p.architecture, p.seed, seed) for p, seed in zip(policies, seeds, strict=True)]
    trained = _train_networks(members, domain, [domain], settings, **how)
    agents = []
    for policy, result in zip(policies, trained, strict=True):
        curve, network = result.curve, (result.performances[0], result.weights, (domain.observations,), domain.actions)
        agents.append(Agent(curve.trial(policy, *network), result.weights, curve.last, curve.failure))
    return agents


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
    **how: Unpack[How],
) -> list[MixtureResult]:
    """Train one network for each proportion and repetition by deep Q-learning (Eqs. 7 to 9; 2.5.3).

    The domain of every training episode is drawn: the first with the proportion as probability, else the second. The
    best checkpoint, by the expected performance p V_a + (1 - p) V_b of the periodic evaluations, is measured on fresh
    episodes of both domains. Every training has streams and initial weights of its own, keyed by both domains' names,
    the repetition and the proportion: a result does not depend on what else is trained in the same call.

    Settings (steps, memory and episodes) are those of one training; ``interface``: observations, actions and earnings
    of the whole suite; None takes those of the pair.

    Returns:
        Results by proportion, then repetition, in the order given; NaN where a training diverged or failed.

    Raises:
        TrainingError: a convolutional architecture.
    """
    places = [(float(p), int(r)) for p in proportions for r in repetitions]
    members = []
    for p, r in places:
        key = (first.name, second.name, r, f"{p:.12g}")
        seeds = seeding.integer(seed, "weights", *key), seeding.integer(seed, "mixture", *key)
        members.append(Member(architecture, *seeds, (p, 1 - p)))
    trained, parameters = _train_mixed(members, (first, second), settings, interface, **how)
    results = []
    for place, result in zip(places, trained, strict=True):
        curve = result.curve
        results.append(MixtureResult(*place, *result.performances, parameters[0], curve.seconds, curve.ended))
    return results


def train_alone(
    domain: ControlDomain,
    architecture: Architecture,
    settings: Reinforcement,
    *,
    places: Sequence[tuple[float, int]],
    interface: ControlInterface,
    seed: int,
    **how: Unpack[How],
) -> list[AloneResult]:
    """Train one network for each place by deep Q-learning on the domain alone and measure it on fresh episodes.

    At proportion 1 this is what a mixture with any domain of the suite is at its end. Below 1 the training has that
    share of the steps. That is not how many steps of the domain a mixture at this proportion has: episodes are drawn,
    and they differ in length from domain to domain and in the course of learning. ``places`` are proportion in (0, 1]
    and number of the repetition of each training. Results are NaN where a training diverged or failed.

    Raises:
        TrainingError: so few steps that none is learned from, or a convolutional architecture.
    """
    results: dict[int, AloneResult] = {}
    for proportion in dict.fromkeys(p for p, _ in places):
        part = [i for i, (p, _) in enumerate(places) if p == proportion]
        rule = _shortened(settings, proportion, domain.name)
        members = []
        for i in part:
            key = ("alone", domain.name, places[i][1], f"{proportion:.12g}")
            seeds = seeding.integer(seed, "weights alone", *key), seeding.integer(seed, "training", *key)
            members.append(Member(architecture, *seeds))
        trained, parameters = _train_mixed(members, (domain,), rule, interface, **how)
        for i, result in zip(part, trained, strict=True):
            curve = result.curve
            counted = (rule.steps, result.performances[0], None, parameters[0], curve.seconds, curve.ended)
            results[i] = AloneResult(*places[i], *counted)
    return [results[i] for i in range(len(places))]


def _shortened(settings: Reinforcement, proportion: float, name: str) -> Reinforcement:
    steps = max(1, round(proportion * settings.steps))
    if settings.learning_starts >= steps:
        raise TrainingError(
            f"{name} alone has {steps} steps at proportion {proportion:g}, but learning starts after "
            f"{settings.learning_starts}; give more steps or set controls to false"
        )
    return settings.model_copy(update={"steps": steps})


@dataclass(frozen=True)
class PoolMember:
    """One trained network of a pool; NaN where it was lost.

    ``score``: best of its periodic evaluations, in [0, 1], by which it can be chosen; ``performances``: on fresh
    episodes of each domain, in [0, 1].
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
    **how: Unpack[How],
) -> list[PoolMember]:
    """Train networks of several sizes by deep Q-learning, on one domain or on episodes drawn from either of two.

    Each has streams and initial weights of its own, keyed by the names of the domains, the share (of the first of two
    domains in the episodes) and its number: a result does not depend on what else is trained in the same call. The best
    checkpoint of each, by its periodic evaluations, is measured on fresh episodes of every domain.

    Raises:
        TrainingError: no network, not one number each, a share outside [0, 1], or neither one nor two domains.
    """
    weight = share if len(domains) == 2 else 1.0
    shares, names = (weight, 1 - weight)[: len(domains)], [domain.name for domain in domains]
    members = []
    for architecture, number in zip(architectures, numbers, strict=True):
        key: tuple[str | int, ...] = ("pool", *names, f"{weight:.12g}", number)
        seeds = seeding.integer(seed, "weights", *key), seeding.integer(seed, "training", *key)
        members.append(Member(architecture, *seeds, shares))
    trained, parameters = _train_mixed(members, domains, settings, interface, **how)
    return [_pool_member(*each) for each in zip(trained, parameters, strict=True)]


def _train_mixed(
    members: Sequence[Member],
    domains: Sequence[ControlDomain],
    settings: Reinforcement,
    interface: ControlInterface | None,
    **how: Unpack[How],
) -> tuple[list[Trained], list[int]]:
    ground = MixedDomain(domains[0], domains[-1], [member.shares[0] for member in members], interface)
    trained = _train_networks(members, ground, [on_ground(domain, ground) for domain in domains], settings, **how)
    shape = (ground.observations,)
    return trained, [networks.parameters(member.architecture, shape, ground.actions) for member in members]


def _pool_member(trained: Trained, parameters: int) -> PoolMember:
    sound = trained.curve.status in ("finished", "converged") and bool(trained.curve.validation)
    score = max(trained.curve.validation) if sound else float("nan")
    return PoolMember(score, trained.performances, parameters, trained.curve.seconds)
