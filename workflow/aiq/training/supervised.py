"""Trainings on labelled data: a chunk of policies, and one architecture on mixtures of two domains or on one alone.

Each comes twice: ``..._by_turns`` goes on side by side with others (``device.side_by_side``, within
``device.computing``); the other one trains at once. A result is a function of the arguments alone, bit-identical on
repetition with the same device and number of threads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, Unpack

from aiq import seeding
from aiq.config.training import Training
from aiq.policies import networks
from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.training import reference, together
from aiq.training.data import LabelledData, MixedData
from aiq.training.device import Turns, computing, resolve, whole
from aiq.training.feeds import alone_order, mixture_order, shared_order
from aiq.training.reference import How, Task, Trained, held

T = TypeVar("T")


def _at_once(by_turns: Callable[..., Turns[T]]) -> Callable[..., T]:
    """Return what trains at once as another function trains in turns.

    It takes ``device`` by its name (``cpu``, ``cuda``, ``cuda:1`` ...) and ``threads`` of torch on the CPU; their
    defaults are ``cpu`` and 1.
    """

    @functools.wraps(by_turns)
    def train(*what: Any, device: str = "cpu", threads: int = 1, **more: Any) -> T:
        where = resolve(device)
        with computing(threads, where):
            return whole(by_turns(*what, device=where, **more))

    return train


class Way(How, total=False):
    """Where and how networks are trained; ``one_by_one``, whether the slow trainer takes them, for comparison."""

    one_by_one: bool


def train_chunk_by_turns(
    data: LabelledData, policies: Sequence[Policy], settings: Training, *, order_seed: int, **how: Unpack[Way]
) -> Turns[list[Trial]]:
    """Train policies, of one family or of both, that share one batch order and measure them on the full test split.

    Each trial is the one that the policy would give if it were trained alone. ``order_seed`` names the held-out part
    (if there is a convergence rule) and the order of every epoch. A policy whose loss or weights are no longer finite
    after an epoch is ``diverged`` with performance NaN; the others go on.

    Raises:
        TrainingError: if a policy cannot read the samples.
    """
    for policy in policies:
        networks.weight_shapes(policy.architecture, data.shape, data.outputs)
    families = sorted({policy.architecture.family for policy in policies})
    parts = [[i for i, policy in enumerate(policies) if policy.architecture.family == name] for name in families]
    tasks = [chunk_task(data, [policies[i] for i in part], settings, order_seed) for part in parts]
    trained = yield from _train(tasks, parts, **how)
    return [
        one.curve.trial(policy, one.scores[0][0], one.weights, data.shape, data.outputs)
        for policy, one in zip(policies, trained, strict=True)
    ]


def train_mixtures_by_turns(
    data: MixedData,
    architecture: Architecture,
    settings: Training,
    *,
    proportions: Sequence[float],
    repetitions: Sequence[int],
    samples: int | None,
    seed: int,
    **how: Unpack[Way],
) -> Turns[list[MixtureResult]]:
    """Train one network for each proportion and repetition and measure it on both full test splits (Eqs. 7 to 9).

    Every training has a sample stream and initial weights of its own, keyed by both domains' names, the repetition and
    the proportion: a result does not depend on what else is trained in the same call. How samples are drawn is told at
    ``feeds.mixture_order`` (2.5.3). Results come by proportion, then repetition.

    Proportions are the probabilities of drawing from the first domain, ``samples`` those at every proportion; None
    takes the smaller training split.

    Raises:
        TrainingError: if the network cannot read the samples.
    """
    places = [(float(p), int(r)) for p in proportions for r in repetitions]
    count = min(len(data.first.train_y), len(data.second.train_y)) if samples is None else samples
    parameters = networks.parameters(architecture, data.shape, data.outputs)
    members = [(p, r, weights_seed(data, p, r, seed)) for p, r in places]
    task = mixtures_task(data, architecture, settings, members=members, samples=count, seed=seed)
    trained = yield from _train([task], [range(len(places))], **how)
    return [_mixture(*each, parameters) for each in zip(places, trained, strict=True)]


def train_alone_by_turns(
    data: LabelledData,
    architecture: Architecture,
    settings: Training,
    *,
    places: Sequence[tuple[float, int]],
    samples: int,
    seed: int,
    **how: Unpack[Way],
) -> Turns[list[AloneResult]]:
    """Train one network for each place on one domain, with the samples that the domain has in mixtures (2.5.3).

    At proportion 1 these are the ends of every mixture with the domain. Below 1 they are controls: what the domain
    reaches with fewer samples, nothing else being learned (its own learning curve). Every training has a sample stream
    and initial weights of its own, keyed by the domain's name, the repetition and the proportion: a result does not
    depend on what else is trained in the same call. How many samples are drawn is told at ``feeds.alone_order``.

    Places are proportion in (0, 1] and number of the repetition of each training, ``samples`` those that a mixture
    draws. A batch holds the proportion's share of the settings' batch (rounded, at least 1), as many samples of the
    domain as a batch of a mixture does, so that a control takes as many steps as a mixture.

    Raises:
        TrainingError: if the network cannot read the samples.
    """
    parameters = networks.parameters(architecture, data.shape, data.outputs)
    seeds, orders, batches = [], [], []
    for proportion, repetition in places:
        key = (data.name, repetition, f"{proportion:.12g}")
        seeds.append(seeding.integer(seed, "weights alone", *key))
        drawn = (len(data.train_y), proportion, samples, seed, settings.convergence)
        orders.append(alone_order(("alone", *key), *drawn))
        batches.append(max(1, round(proportion * settings.batch_size)))
    tasks, parts = [], []
    for batch in dict.fromkeys(batches):
        part = [i for i, own in enumerate(batches) if own == batch]
        rule = settings.model_copy(update={"batch_size": batch})
        chosen = [seeds[i] for i in part], [orders[i] for i in part]
        tasks.append(Task(data, [architecture] * len(part), *chosen, rule, tell=True))
        parts.append(part)
    trained = yield from _train(tasks, parts, **how)
    counts = [len(order.fit) + len(order.held_out) for order in orders]
    return [_alone(*each, parameters) for each in zip(places, counts, trained, strict=True)]


train_chunk = _at_once(train_chunk_by_turns)
train_mixtures = _at_once(train_mixtures_by_turns)
train_alone = _at_once(train_alone_by_turns)


def chunk_task(data: LabelledData, policies: Sequence[Policy], settings: Training, order_seed: int) -> Task:
    """Return what is trained of a chunk of policies of one family."""
    orders = [shared_order(order_seed, len(data.train_y), settings.convergence)]
    architectures, seeds = [policy.architecture for policy in policies], [policy.seed for policy in policies]
    return Task(data, architectures, seeds, orders, settings, shared=True)


def mixtures_task(
    data: MixedData,
    architecture: Architecture,
    settings: Training,
    *,
    members: Sequence[tuple[float, int, int]],
    samples: int,
    seed: int,
) -> Task:
    """Return what is trained of mixtures; members are (proportion, repetition, seed of the initial weights)."""
    orders = [mixture_order(data, p, r, samples, seed, settings.convergence) for p, r, _ in members]
    seeds = [weights for *_, weights in members]
    return Task(data, [architecture] * len(members), seeds, orders, settings, tell=True)


def weights_seed(data: MixedData, proportion: float, repetition: int, seed: int) -> int:
    """Return the seed of the initial weights of one mixture."""
    return seeding.integer(seed, "weights", data.first.name, data.second.name, repetition, f"{proportion:.12g}")


def _train(
    tasks: Sequence[Task], parts: Sequence[Sequence[int]], *, one_by_one: bool = False, **how: Unpack[How]
) -> Turns[list[Trained]]:
    yield max(held(task) for task in tasks)
    trained: dict[int, Trained] = {}
    for task, part in zip(tasks, parts, strict=True):
        if one_by_one or task.one_by_one:
            results = reference.train(task, **how)
        else:
            results = yield from together.train(task, **how)
        trained |= zip(part, results, strict=True)
    return [trained[i] for i in range(len(trained))]


def _mixture(place: tuple[float, int], trained: Trained, parameters: int) -> MixtureResult:
    """Return the record of a mixture; one of a domain with itself has one score, which counts for both."""
    (first, first_told), (second, second_told) = trained.scores[0], trained.scores[-1]
    curve = trained.curve
    return MixtureResult(*place, first, second, parameters, curve.seconds, curve.ended, first_told, second_told)


def _alone(place: tuple[float, int], samples: int, trained: Trained, parameters: int) -> AloneResult:
    ((performance, performance_told),) = trained.scores
    curve, scores = trained.curve, (performance, performance_told)
    return AloneResult(float(place[0]), int(place[1]), samples, *scores, parameters, curve.seconds, curve.ended)
