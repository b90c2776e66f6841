"""Trainings on labelled data: a chunk of policies, and one architecture on mixtures of two domains or on one alone.

Each comes twice: ``..._by_turns`` goes on side by side with others (``turns.side_by_side``, within
``device.computing``); the other one trains at once. A result is a function of the arguments alone, bit-identical on
repetition with the same device and number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from aiq import seeding
from aiq.config.training import Training
from aiq.errors import TrainingError
from aiq.policies import networks
from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.training import reference, together
from aiq.training.data import LabelledData, MixedData
from aiq.training.orders import alone_order, mixture_order, shared_order
from aiq.training.stopping import ended, part_of
from aiq.training.task import How, Task, Trained, at_once, held
from aiq.training.turns import Turns


def train_chunk_by_turns(
    data: LabelledData, policies: Sequence[Policy], settings: Training, *, order_seed: int, **how: Unpack[How]
) -> Turns[list[Trial]]:
    """Train policies, of one family or of both, that share one batch order and measure them on the full test split.

    Each trial is the one that the policy would give if it were trained alone. ``order_seed`` names the held-out part
    (if there is a convergence rule) and the order of every epoch. A policy whose loss or weights are no longer finite
    after an epoch is ``diverged`` with performance NaN; the others go on.

    Raises:
        TrainingError: if there is no policy, or a policy cannot read the samples.
    """
    if not policies:
        raise TrainingError("a chunk of no policies was given, at least one is needed")
    for policy in policies:
        networks.weight_shapes(policy.architecture, data.shape, data.outputs)
    families = sorted({policy.architecture.family for policy in policies})
    parts = [[i for i, policy in enumerate(policies) if policy.architecture.family == name] for name in families]
    tasks = [chunk_task(data, [policies[i] for i in part], settings, order_seed) for part in parts]
    trained = yield from _train(tasks, parts, **how)
    return [_trial(*each, data) for each in zip(policies, trained, strict=True)]


def train_mixtures_by_turns(
    data: MixedData,
    architecture: Architecture,
    settings: Training,
    *,
    proportions: Sequence[float],
    repetitions: Sequence[int],
    samples: int | None,
    seed: int,
    **how: Unpack[How],
) -> Turns[list[MixtureResult]]:
    """Train one network for each proportion and repetition and measure it on both full test splits (Eqs. 7 to 9).

    Every training has a sample stream and initial weights of its own, keyed by both domains' names, the repetition and
    the proportion: a result does not depend on what else is trained in the same call. How samples are drawn is told at
    ``orders.mixture_order`` (2.5.3). Results come by proportion, then repetition.

    Args:
        data: the two domains on common ground.
        architecture: the network.
        settings: epochs (passes over the drawn samples), batch size, optimiser, convergence rule and trainer.
        proportions: probabilities of drawing from the first domain, in [0, 1].
        repetitions: numbers of the repetitions.
        samples: training samples at every proportion; None takes the smaller training split.
        seed: the root seed.
        how: see ``How``.

    Raises:
        TrainingError: if there is nothing to train, a proportion lies outside [0, 1], or the network cannot read
            the samples.
    """
    places = mixture_places(proportions, repetitions)
    count = min(len(data.first.train_y), len(data.second.train_y)) if samples is None else samples
    _check_samples(count)
    networks.weight_shapes(architecture, data.shape, data.outputs)
    members = [(p, r, weights_seed(data, p, r, seed)) for p, r in places]
    task = mixtures_task(data, architecture, settings, members=members, samples=count, seed=seed)
    trained = yield from _train([task], [range(len(places))], **how)
    parameters = networks.parameters(architecture, data.shape, data.outputs)
    return [_mixture(*each, parameters) for each in zip(places, trained, strict=True)]


def train_alone_by_turns(
    data: LabelledData,
    architecture: Architecture,
    settings: Training,
    *,
    places: Sequence[tuple[float, int]],
    samples: int,
    seed: int,
    key: tuple[str, ...] | None = None,
    steps: bool = False,
    **how: Unpack[How],
) -> Turns[list[AloneResult]]:
    """Train one network for each place on one domain, with the samples that the domain has in mixtures (2.5.3).

    At proportion 1 these are the ends of every mixture with the domain. Below 1 they are controls: what the domain
    reaches with fewer samples, nothing else being learned (its own learning curve). Every training has a sample stream
    and initial weights of its own, keyed by the domain's name, the repetition and the proportion: a result does not
    depend on what else is trained in the same call. How many samples are drawn is told at ``orders.alone_order``.

    Args:
        data: the domain on its suite's interface.
        architecture: the network.
        settings: epochs (passes over the drawn samples), batch size, optimiser, convergence rule and trainer.
        places: proportion in (0, 1] and number of the repetition of each training.
        samples: that a mixture draws.
        seed: the root seed.
        key: names of both domains of a mixture whose samples and weights at proportion 1 are to be had; None: of
            the domain's own.
        steps: whether a batch holds the proportion's share of the settings' batch (rounded, at least 1), as many
            samples of the domain as a batch of a mixture does, so that a control takes as many steps as a mixture.
        how: see ``How``.

    Raises:
        TrainingError: if there is nothing to train, a proportion lies outside (0, 1], or the network cannot read
            the samples.
    """
    check_places(places)
    _check_samples(samples)
    networks.weight_shapes(architecture, data.shape, data.outputs)
    seeds, orders, batches = [], [], []
    for proportion, repetition in places:
        place = (repetition, f"{proportion:.12g}")
        weights, stream = ("weights alone", "alone") if key is None else ("weights", "mixture")
        names = (data.name,) if key is None else key
        seeds.append(seeding.integer(seed, weights, *names, *place))
        orders.append(
            alone_order((stream, *names, *place), len(data.train_y), proportion, samples, seed, settings.convergence)
        )
        batches.append(max(1, round(proportion * settings.batch_size)) if steps else settings.batch_size)
    tasks, parts = [], []
    for batch in dict.fromkeys(batches):
        part = [i for i, own in enumerate(batches) if own == batch]
        rule = settings.model_copy(update={"batch_size": batch})
        chosen = [seeds[i] for i in part], [orders[i] for i in part]
        tasks.append(Task(data, [architecture] * len(part), *chosen, rule, tell=True))
        parts.append(part)
    trained = yield from _train(tasks, parts, **how)
    parameters = networks.parameters(architecture, data.shape, data.outputs)
    counts = [len(order.fit) + len(order.held_out) for order in orders]
    return [_alone(*each, parameters) for each in zip(places, counts, trained, strict=True)]


train_chunk = at_once(train_chunk_by_turns)
train_mixtures = at_once(train_mixtures_by_turns)
train_alone = at_once(train_alone_by_turns)


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


def mixture_places(proportions: Sequence[float], repetitions: Sequence[int]) -> list[tuple[float, int]]:
    """Return proportion and repetition of every mixture, by proportion, then repetition."""
    places = [(float(p), int(r)) for p in proportions for r in repetitions]
    if not places:
        raise TrainingError("a mixture needs at least one proportion and one repetition, none was given")
    if any(not 0 <= p <= 1 for p, _ in places):
        raise TrainingError(f"proportions {list(proportions)} must lie in [0, 1]")
    return places


def check_places(places: Sequence[tuple[float, int]]) -> None:
    """Refuse no place, and a proportion at which a domain has no samples."""
    if not places:
        raise TrainingError("a domain alone needs at least one proportion and one repetition, none was given")
    for proportion, _ in places:
        if not 0 < proportion <= 1:
            raise TrainingError(f"proportion {proportion} of a domain alone must lie in (0, 1]")


def _check_samples(samples: int) -> None:
    if samples < 1:
        raise TrainingError(f"a mixture of {samples} samples was asked for, at least 1 is needed")


def _train(tasks: Sequence[Task], parts: Sequence[Sequence[int]], **how: Unpack[How]) -> Turns[list[Trained]]:
    yield max(held(task) for task in tasks)
    trained: dict[int, Trained] = {}
    total = sum(len(part) for part in parts)
    for task, part in zip(tasks, parts, strict=True):
        own: How = {**how, "progress": part_of(how.get("progress"), len(trained), len(part), total)}
        if task.one_by_one:
            results = reference.train(task, **own)
        else:
            results = yield from together.train(task, **own)
        trained |= zip(part, results, strict=True)
    return [trained[i] for i in range(total)]


def _trial(policy: Policy, trained: Trained, data: LabelledData) -> Trial:
    curve = trained.curve
    return Trial(
        policy=policy,
        performance=trained.scores[0][0],
        parameters=networks.parameters(policy.architecture, data.shape, data.outputs),
        compressed=networks.compressed(trained.weights),
        epochs=len(curve.losses),
        seconds=curve.seconds,
        status=ended(curve),
        losses=tuple(curve.losses),
        validation=tuple(curve.validation),
    )


def _mixture(place: tuple[float, int], trained: Trained, parameters: int) -> MixtureResult:
    """Return the record of a mixture; one of a domain with itself has one score, which counts for both."""
    (first, first_told), (second, second_told) = trained.scores[0], trained.scores[-1]
    curve = trained.curve
    return MixtureResult(*place, first, second, parameters, curve.seconds, ended(curve), first_told, second_told)


def _alone(place: tuple[float, int], samples: int, trained: Trained, parameters: int) -> AloneResult:
    ((performance, performance_told),) = trained.scores
    proportion, repetition = float(place[0]), int(place[1])
    curve = trained.curve
    scores = performance, performance_told
    return AloneResult(proportion, repetition, samples, *scores, parameters, curve.seconds, ended(curve))
