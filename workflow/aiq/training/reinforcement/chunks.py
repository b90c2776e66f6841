"""A chunk of policies on one control domain gives trials, and on request the agents themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from aiq.config.reinforcement import Reinforcement
from aiq.domains.control import ControlDomain, Worlds
from aiq.errors import TrainingError
from aiq.policies import size
from aiq.policies.networks import initial_weights
from aiq.policies.size import weight_shapes
from aiq.records.trial import Policy, Trial
from aiq.training.checkpoints import Memory
from aiq.training.device import computing, resolve
from aiq.training.reinforcement.learner import PopulationLearner, world_seed
from aiq.training.reinforcement.networks import Weights
from aiq.training.reinforcement.population import Member, Trained, train
from aiq.training.reinforcement.reference import ReferenceLearner
from aiq.training.stopping import Report, part_of


@dataclass(frozen=True, eq=False)
class Agent:
    """A trained policy.

    Attributes:
        trial: its record.
        weights: of the best checkpoint, in the order of ``policies.networks.initial_weights`` (the last ones where no
            evaluation was reached).
        last: weights with which the training ended.
        failure: the sentence of the world that raised, if the trial failed.
    """

    trial: Trial
    weights: Weights
    last: Weights
    failure: str | None


def train_chunk(
    domain: ControlDomain,
    policies: Sequence[Policy],
    settings: Reinforcement,
    *,
    seeds: Sequence[int],
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> list[Trial]:
    """Train policies by deep Q-learning and measure the best checkpoint of each on fresh episodes.

    Each trial is the one that the policy would give alone with its seed, up to rounding: it has a world, a memory
    and random streams of its own.

    Args:
        domain: the control domain.
        policies: the chunk, of the dense family.
        settings: of the training.
        seeds: one a policy, in [0, 2**63): names all that is random in its training and evaluation but the initial
            weights, which hang on the policy's own seed.
        device: ``cpu``, ``cuda``, ``cuda:1`` and so on.
        dtype: precision of the training.
        threads: threads of torch on the CPU.
        progress: told the finished share of the work, in [0, 1], from time to time.
        memory: keeps the state of the training, so that an interrupted one goes on.

    Returns:
        One trial a policy, in the order given: ``performance`` is the mean over ``final_episodes`` fresh episodes,
        put on [0, 1] by the domain's bounds, of the checkpoint whose periodic evaluation was best; NaN with status
        ``diverged`` where a loss or weight was not finite at an evaluation, ``failed`` where a world raised.

    Raises:
        TrainingError: no policy, not one seed a policy, or a policy of the convolutional family.
    """
    told = {
        "seeds": seeds,
        "device": device,
        "dtype": dtype,
        "threads": threads,
        "progress": progress,
        "memory": memory,
    }
    return [agent.trial for agent in train_agents(domain, policies, settings, **told)]


def train_agents(
    domain: ControlDomain,
    policies: Sequence[Policy],
    settings: Reinforcement,
    *,
    seeds: Sequence[int],
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> list[Agent]:
    """Train as ``train_chunk`` does, and return the agents: trials and best checkpoints."""
    if not policies or len(seeds) != len(policies):
        raise TrainingError(f"{len(policies)} policies and {len(seeds)} seeds were given, as many of both are needed")
    shape = (domain.observations,)
    for policy in policies:
        weight_shapes(policy.architecture, shape, domain.actions)
    where = resolved(device, domain)
    members = [
        Member(
            p.architecture,
            [w.to(where) for w in initial_weights(p.architecture, shape, domain.actions, p.seed, dtype)],
            seed,
        )
        for p, seed in zip(policies, seeds, strict=True)
    ]

    def worlds(chosen: Sequence[Member]) -> Worlds:
        return domain.worlds([world_seed(member.seed) for member in chosen], device=device)

    with computing(threads, where):
        found = train_members(members, domain, worlds, [domain], settings, progress, memory)
    return [
        Agent(_trial(policy, domain, trained), trained.weights, trained.curve.last, trained.curve.failure)
        for policy, trained in zip(policies, found, strict=True)
    ]


def resolved(device: str, *domains: ControlDomain) -> torch.device:
    """Return the device, or refuse a GPU for domains that are simulated on the processor.

    Raises:
        TrainingError: as said, or this machine lacks the device.
    """
    for domain in domains:
        if device != "cpu" and not domain.on_gpu:
            raise TrainingError(
                f"domain {domain.name} is simulated on the processor, one world after the other, and device {device!r} "
                "would wait for it at every step: take device 'cpu'"
            )
    return resolve(device)


def train_members(
    members: Sequence[Member],
    domain: ControlDomain,
    worlds: Callable[[Sequence[Member]], Worlds],
    tests: Sequence[ControlDomain],
    settings: Reinforcement,
    progress: Report | None,
    memory: Memory | None = None,
) -> list[Trained]:
    """Train members by the trainer that the settings name; see ``population.train``."""
    if settings.trainer == "population":
        return train(members, domain, worlds, tests, settings, PopulationLearner, progress, memory)
    found: list[Trained] = []
    for number, member in enumerate(members):
        report = part_of(progress, number, 1, len(members))
        found += train([member], domain, worlds, tests, settings, ReferenceLearner, report, memory)
    return found


def _trial(policy: Policy, domain: ControlDomain, trained: Trained) -> Trial:
    """Return the record of a policy's training."""
    curve = trained.curve
    if curve.status is None:
        raise ValueError("a trial was recorded before its training ended")
    return Trial(
        policy=policy,
        performance=trained.performances[0],
        parameters=size.parameters(policy.architecture, (domain.observations,), domain.actions),
        compressed=size.compressed(trained.weights),
        epochs=len(curve.losses),
        seconds=curve.seconds,
        status=curve.status,
        losses=tuple(curve.losses),
        validation=tuple(curve.scores),
    )
