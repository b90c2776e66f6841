"""Networks trained by deep Q-learning, and a chunk of policies on one control domain: trials, or the agents themselves.

What all trainings are told beside what each one trains is told at ``How``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

import torch

from aiq.config.reinforcement import Reinforcement
from aiq.domains.control import ControlDomain
from aiq.errors import TrainingError
from aiq.policies.networks import compressed, initial_weights, parameters, weight_shapes
from aiq.records.trial import Policy, Trial
from aiq.training.checkpoints import Memory
from aiq.training.device import computing, resolve
from aiq.training.networks.flat import Weights
from aiq.training.reinforcement.learner import PopulationLearner
from aiq.training.reinforcement.population import Member, Trained, train
from aiq.training.reinforcement.reference import ReferenceLearner
from aiq.training.stopping import Report, ended, part_of


class How(TypedDict, total=False):
    """Where and how networks are trained.

    ``device`` (``cpu``, ``cuda``, ``cuda:1`` ...); ``dtype``, the precision; ``threads`` of torch on the CPU;
    ``progress``, told the finished share of the work, in [0, 1]; ``memory``, which keeps the state of the training, so
    that an interrupted one goes on.
    """

    device: str
    dtype: torch.dtype
    threads: int
    progress: Report | None
    memory: Memory | None


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


def train_networks(
    members: Sequence[Member],
    domain: ControlDomain,
    tests: Sequence[ControlDomain],
    settings: Reinforcement,
    *,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> list[Trained]:
    """Train networks by the trainer that the settings name; see ``population.train``."""
    shape, where = (domain.observations,), resolved(device, *tests)
    for member in members:
        weight_shapes(member.architecture, shape, domain.actions)
        weights = initial_weights(member.architecture, shape, domain.actions, member.weights_seed, dtype)
        member.weights = [tensor.to(where) for tensor in weights]
    with computing(threads, where):
        if settings.trainer == "population":
            return train(members, domain, tests, settings, PopulationLearner, progress, memory)
        trained: list[Trained] = []
        for number, member in enumerate(members):
            report = part_of(progress, number, 1, len(members))
            trained += train([member], domain, tests, settings, ReferenceLearner, report, memory)
        return trained


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
    **how: Unpack[How],
) -> list[Trial]:
    """Train policies of the dense family by deep Q-learning and measure the best checkpoint of each on fresh episodes.

    Each trial is the one that the policy would give alone with its seed, up to rounding: it has a world, a memory and
    random streams of its own. ``seeds``, one a policy, in [0, 2**63), name all that is random in its training and
    evaluation but the initial weights, which hang on the policy's own seed.

    Returns:
        One trial a policy, in the order given: ``performance`` is the mean over ``final_episodes`` fresh episodes,
        put on [0, 1] by the domain's bounds, of the checkpoint whose periodic evaluation was best; NaN with status
        ``diverged`` where a loss or weight was not finite at an evaluation, ``failed`` where a world raised.

    Raises:
        TrainingError: no policy, not one seed a policy, or a policy of the convolutional family.
    """
    return [agent.trial for agent in train_agents(domain, policies, settings, seeds=seeds, **how)]


def train_agents(
    domain: ControlDomain,
    policies: Sequence[Policy],
    settings: Reinforcement,
    *,
    seeds: Sequence[int],
    **how: Unpack[How],
) -> list[Agent]:
    """Train as ``train_chunk`` does, and return the agents: trials and best checkpoints."""
    if not policies or len(seeds) != len(policies):
        raise TrainingError(f"{len(policies)} policies and {len(seeds)} seeds were given, as many of both are needed")
    members = [Member(p.architecture, p.seed, seed) for p, seed in zip(policies, seeds, strict=True)]
    trained = train_networks(members, domain, [domain], settings, **how)
    return [
        Agent(_trial(policy, domain, result), result.weights, result.curve.last, result.curve.failure)
        for policy, result in zip(policies, trained, strict=True)
    ]


def _trial(policy: Policy, domain: ControlDomain, trained: Trained) -> Trial:
    curve = trained.curve
    return Trial(
        policy=policy,
        performance=trained.performances[0],
        parameters=parameters(policy.architecture, (domain.observations,), domain.actions),
        compressed=compressed(trained.weights),
        epochs=len(curve.losses),
        seconds=curve.seconds,
        status=ended(curve),
        losses=tuple(curve.losses),
        validation=tuple(curve.scores),
    )
