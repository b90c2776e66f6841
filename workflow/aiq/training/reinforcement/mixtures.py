"""One architecture trained by deep Q-learning on mixtures of two control domains or on one alone; pools of networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from aiq import seeding
from aiq.config.reinforcement import Reinforcement
from aiq.domains.control import ControlDomain
from aiq.domains.control.mixed_worlds import MixedDomain
from aiq.domains.control.relabelled import on_ground
from aiq.errors import TrainingError
from aiq.policies.networks import parameters as count_parameters
from aiq.records.domains import ControlInterface
from aiq.records.trial import AloneResult, Architecture, MixtureResult
from aiq.training.reinforcement.chunks import How, train_networks
from aiq.training.reinforcement.population import Member, Trained
from aiq.training.stopping import ended, part_of
from aiq.training.supervised import check_places, mixture_places


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

    Args:
        first: drawn with the proportion as probability.
        second: the other one; the same for the noise floor.
        architecture: the network, of the dense family.
        settings: of the training; steps, memory and episodes are those of one training.
        proportions: in [0, 1].
        repetitions: numbers of the repetitions.
        seed: the root seed.
        interface: observations, actions and earnings of the whole suite; None takes those of the pair.
        how: see ``chunks.How``.

    Returns:
        Results by proportion, then repetition, in the order given; NaN where a training diverged or failed.

    Raises:
        TrainingError: nothing to train, a proportion outside [0, 1], or a convolutional architecture.
    """
    places = mixture_places(proportions, repetitions)
    members = []
    for p, r in places:
        key = (first.name, second.name, r, f"{p:.12g}")
        seeds = seeding.integer(seed, "weights", *key), seeding.integer(seed, "mixture", *key)
        members.append(Member(architecture, *seeds, (p, 1 - p)))
    trained, parameters = _train_mixed(members, (first, second), settings, interface, **how)
    return [_mixture(*each, parameters[0]) for each in zip(places, trained, strict=True)]


def _mixture(place: tuple[float, int], trained: Trained, parameters: int) -> MixtureResult:
    first, second = trained.performances
    return MixtureResult(*place, first, second, parameters, trained.curve.seconds, ended(trained.curve))


def train_alone(
    domain: ControlDomain,
    architecture: Architecture,
    settings: Reinforcement,
    *,
    places: Sequence[tuple[float, int]],
    interface: ControlInterface,
    seed: int,
    key: tuple[str, str] | None = None,
    **how: Unpack[How],
) -> list[AloneResult]:
    """Train one network for each place by deep Q-learning on the domain alone and measure it on fresh episodes.

    At proportion 1 this is what a mixture with any domain of the suite is at its end. Below 1 the training has that
    share of the steps. That is not how many steps of the domain a mixture at this proportion has: episodes are drawn,
    and they differ in length from domain to domain and in the course of learning. ``places`` are proportion in (0, 1]
    and number of the repetition of each training; ``key``: names of both domains of a mixture whose streams and weights
    at proportion 1 are to be had (None: of the domain's own). Results are NaN where a training diverged or failed.

    Raises:
        TrainingError: nothing to train, a proportion outside (0, 1], so few steps that none is learned from, or a
            convolutional architecture.
    """
    check_places(places)
    results: dict[int, AloneResult] = {}
    for proportion in dict.fromkeys(p for p, _ in places):
        part = [i for i, (p, _) in enumerate(places) if p == proportion]
        rule = _shortened(settings, proportion, domain.name)
        members = []
        for i in part:
            words = (*(key or ("alone", domain.name)), places[i][1], f"{proportion:.12g}")
            weights, training = ("weights", "mixture") if key else ("weights alone", "training")
            seeds = seeding.integer(seed, weights, *words), seeding.integer(seed, training, *words)
            members.append(Member(architecture, *seeds))
        own: How = {**how, "progress": part_of(how.get("progress"), len(results), len(part), len(places))}
        trained, parameters = _train_mixed(members, (domain,), rule, interface, **own)
        each = zip(part, trained, strict=True)
        results |= {i: _alone(places[i], rule.steps, result, parameters[0]) for i, result in each}
    return [results[i] for i in range(len(places))]


def _alone(place: tuple[float, int], steps: int, trained: Trained, parameters: int) -> AloneResult:
    (performance,), curve = trained.performances, trained.curve
    return AloneResult(*place, steps, performance, None, parameters, curve.seconds, ended(curve))


def _shortened(settings: Reinforcement, proportion: float, name: str) -> Reinforcement:
    """Return the settings with a share of the steps, at least one."""
    steps = max(1, round(proportion * settings.steps))
    if settings.learning_starts >= steps:
        raise TrainingError(
            f"{name} alone has {steps} steps at proportion {proportion:g}, but learning starts after "
            f"{settings.learning_starts}; give more steps or set controls to false"
        )
    return settings.model_copy(update={"steps": steps})


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
    **how: Unpack[How],
) -> list[PoolMember]:
    """Train networks of several sizes by deep Q-learning, on one domain or on episodes drawn from either of two.

    Each has streams and initial weights of its own, keyed by the names of the domains, the share (of the first of two
    domains in the episodes) and its number: a result does not depend on what else is trained in the same call. The best
    checkpoint of each, by its periodic evaluations, is measured on fresh episodes of every domain.

    Raises:
        TrainingError: no network, not one number each, a share outside [0, 1], or neither one nor two domains.
    """
    if not architectures or len(architectures) != len(numbers) or not 1 <= len(domains) <= 2 or not 0 <= share <= 1:
        raise TrainingError(
            f"a pool of {len(architectures)} networks with {len(numbers)} numbers on {len(domains)} domains at a share "
            f"of {share:g} was asked for; needed are one number each, one or two domains, a share in [0, 1]"
        )
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
    trained = train_networks(members, ground, [on_ground(domain, ground) for domain in domains], settings, **how)
    shape = (ground.observations,)
    return trained, [count_parameters(member.architecture, shape, ground.actions) for member in members]


def _pool_member(trained: Trained, parameters: int) -> PoolMember:
    """Return the record of a network of a pool; one that was lost has no score."""
    sound = trained.curve.status in ("finished", "converged") and bool(trained.curve.scores)
    score = max(trained.curve.scores) if sound else float("nan")
    return PoolMember(score, trained.performances, parameters, trained.curve.seconds)
