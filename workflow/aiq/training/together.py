"""Networks trained as populations, dense or convolutional: the policies of a chunk, and what all populations share."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from math import nan
from typing import Any

import torch

from aiq.config.training import AdamW, Training
from aiq.policies.networks import initial_weights
from aiq.policies.size import reduced_sides
from aiq.records.trial import Architecture, Policy, Trial
from aiq.training import population, ragged
from aiq.training.checkpoints import Memory
from aiq.training.data import LabelledData
from aiq.training.device import accelerated
from aiq.training.feeds import Feed, SharedFeed, Table, kept
from aiq.training.networks.convolutional import ConvolutionalNet
from aiq.training.networks.convolutional_batch import ConvolutionalNets
from aiq.training.networks.dense import DenseNets
from aiq.training.orders import shared_order
from aiq.training.population import SLAB, Build, Member, Nets, Outcome, Run, Weights
from aiq.training.portions import portions
from aiq.training.ragged import RaggedFeed
from aiq.training.records import trial
from aiq.training.regression import DenseRegression, determination
from aiq.training.stopping import Report, part_of
from aiq.training.turns import Turns, whole


def train_chunk(
    data: LabelledData,
    policies: Sequence[Policy],
    settings: Training,
    *,
    order_seed: int,
    device: torch.device,
    dtype: torch.dtype,
    progress: Report | None,
    memory: Memory | None = None,
) -> Turns[list[Trial]]:
    """Train policies of one family on their common batch order; see ``supervised.train_chunk``."""
    told_ = {"order_seed": order_seed, "device": device, "dtype": dtype, "progress": progress, "memory": memory}
    outcomes = yield from chunk_by_turns(data, policies, settings, **told_)
    began = time.perf_counter()
    (accuracies,) = evaluate([policy.architecture for policy in policies], [o.weights for o in outcomes], data)
    kept_weights = on_host([o.weights for o in outcomes])
    add_time(outcomes, time.perf_counter() - began)
    return [
        trial(policy, data, o.curve, nan if o.curve.status == "diverged" else accuracy, weights)
        for policy, o, accuracy, weights in zip(policies, outcomes, accuracies, kept_weights, strict=True)
    ]


def fit_chunk(data: LabelledData, policies: Sequence[Policy], settings: Training, **told_: Any) -> list[Outcome]:
    """Return how the training of each policy of a chunk went; see ``chunk_by_turns``."""
    return whole(chunk_by_turns(data, policies, settings, **told_))


def chunk_by_turns(
    data: LabelledData,
    policies: Sequence[Policy],
    settings: Training,
    *,
    order_seed: int,
    device: torch.device,
    dtype: torch.dtype,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> Turns[list[Outcome]]:
    """Return how the training of each policy of a chunk went, with its final weights."""
    table = table_of(data, "train", policies[0].architecture.family, device, dtype)
    feed = SharedFeed(table, shared_order(order_seed, len(data.train_y), settings.convergence))
    started = initial([(p.architecture, p.seed) for p in policies], data, device, dtype)
    parts = populations([p.architecture for p in policies], table, data.outputs, settings)
    feeds = [(part, feed) for part in parts]
    return (yield from train(started, feeds, data, table.columns, settings, progress, memory))


def table_of(data: LabelledData, split: str, family: str, device: torch.device, dtype: torch.dtype) -> Table:
    """Return the table of a split, ``train`` or ``test``, for networks of a family."""
    flatten = family == "dense"
    x, y = (data.train_x, data.train_y) if split == "train" else (data.test_x, data.test_y)
    return kept(
        data,
        (split, flatten, dtype),
        device,
        lambda: Table(x, y, data.scale, device=device, dtype=dtype, flatten=flatten),
    )


def on_host(weights: Sequence[Weights]) -> list[Weights]:
    """Return the weights of some networks on the host; from a GPU all are brought in one piece."""
    if not accelerated(weights[0][0].device):
        return [list(tensors) for tensors in weights]
    every = [tensor for tensors in weights for tensor in tensors]
    pieces = iter(torch.cat([tensor.flatten() for tensor in every]).cpu().split([t.numel() for t in every]))
    return [[next(pieces).view(tensor.shape) for tensor in tensors] for tensors in weights]


def evaluate(
    architectures: Sequence[Architecture], weights: Sequence[Weights], data: LabelledData, *, tell: bool = False
) -> list[list[float]]:
    """Return each network's accuracy on the full test split, or R² clipped to [0, 1]; the networks are of one family.

    Returns:
        One list of accuracies; with ``tell`` a second one, of accuracies among the outputs of the domain's own classes
        alone (the same list where these are all outputs).
    """
    like = weights[0][0]
    family = architectures[0].family
    table = table_of(data, "test", family, like.device, like.dtype)
    rows = torch.arange(len(table.y), device=like.device)
    own = data.own if tell and data.own is not None and len(data.own) < data.outputs else None
    found: list[list[float]] = [[] for _ in range(1 if own is None else 2)]
    everything = list(range(len(architectures)))
    for part in [everything] if _common(family, like.device) else [[index] for index in everything]:
        nets = builder(data, True)([architectures[i] for i in part], [reduced(weights[i], table.columns) for i in part])
        right = torch.stack([nets.right(*table.gather(slab), own) for slab in rows.split(SLAB)]).sum(0)
        for accuracies, numbers in zip(found, right.reshape(len(found), -1).tolist(), strict=True):
            if data.numeric:
                accuracies += [determination(error, data.test_y) for error in numbers]
            else:
                accuracies += [int(count) / len(rows) for count in numbers]
    return found if own is not None or not tell else [*found, *found]


def _common(family: str, device: torch.device) -> bool:
    """Whether networks are computed in common: on a CPU a convolutional one is fastest alone."""
    return family == "dense" or accelerated(device)


def populations(
    architectures: Sequence[Architecture], table: Table, outputs: int, settings: Training
) -> list[list[int]]:
    """Return which networks train in common passes; on a GPU all do."""
    if accelerated(table.device):
        return [list(range(len(architectures)))]
    if architectures[0].family == "dense":
        return portions(architectures, table.features, outputs, settings.batch_size)
    return [[index] for index in range(len(architectures))]


def builder(data: LabelledData, shared: bool) -> Build:
    """Return what makes networks of architectures and weights, for samples of a domain.

    Raises:
        TypeError: convolutional networks are to learn numbers together.
    """

    def build(architectures: Sequence[Architecture], weights: Sequence[Weights]) -> Nets:
        """Make the networks of one population."""
        first = architectures[0]
        if first.family == "dense":
            made = DenseRegression if data.numeric else DenseNets
            return made(architectures, weights, shared=shared)
        if data.numeric:
            raise TypeError("convolutional networks learn numbers one at a time (training.reference)")
        if accelerated(weights[0][0].device):
            return ConvolutionalNets(architectures, weights, shared=shared)
        side = reduced_sides(first, data.shape)
        return ConvolutionalNet(first, weights[0], side=side, shared=shared)

    return build


def initial(
    networks: Sequence[tuple[Architecture, int]], data: LabelledData, device: torch.device, dtype: torch.dtype
) -> list[Member]:
    """Return members with the initial weights of their seeds."""
    return [
        Member(a, [t.to(device) for t in initial_weights(a, data.shape, data.outputs, seed, dtype)])
        for a, seed in networks
    ]


def train(
    members: Sequence[Member],
    feeds: Sequence[tuple[Sequence[int], Feed | RaggedFeed]],
    data: LabelledData,
    columns: torch.Tensor | None,
    settings: Training,
    progress: Report | None,
    memory: Memory | None = None,
) -> Turns[list[Outcome]]:
    """Train each population on its feed, and give the final weights of all members in order, with all columns.

    Dense networks train on the columns that are not zero throughout. A weight that meets only zeros has gradient
    zero: it keeps its initial value, or with AdamW the value decayed by the steps taken. (A column that is constant
    but not zero moves as the bias does and cannot be dropped.)
    """
    found: dict[int, Outcome] = {}
    for part, feed in feeds:
        build = builder(data, feed.shared)
        chosen = [Member(members[i].architecture, reduced(members[i].weights, columns)) for i in part]
        report = part_of(progress, len(found), len(part), len(members))
        if isinstance(feed, RaggedFeed):
            turns = ragged.by_turns(chosen, feed, settings, build, report, memory)
        else:
            turns = population.by_turns(partial(Run, chosen, feed, settings, build), build, report, memory)
        found |= zip(part, (yield from turns), strict=True)
    ordered = [found[index] for index in range(len(members))]
    if columns is None:
        return ordered
    decay = 1.0
    if isinstance(settings.optimizer, AdamW):
        decay = 1 - settings.optimizer.learning_rate * settings.optimizer.weight_decay
    restored = []
    for member, outcome in zip(members, ordered, strict=True):
        first = member.weights[0].clone() if decay == 1 else member.weights[0] * decay**outcome.steps
        first.index_copy_(1, columns, outcome.weights[0])
        restored.append(Outcome(outcome.curve, outcome.steps, [first, *outcome.weights[1:]]))
    return restored


def reduced(weights: Weights, columns: torch.Tensor | None) -> Weights:
    """Return weights with some columns of the first layer only."""
    return weights if columns is None else [weights[0].index_select(1, columns), *weights[1:]]


def add_time(outcomes: Sequence[Outcome], seconds: float) -> None:
    """Add an equal share of a time to each member."""
    for outcome in outcomes:
        outcome.curve.seconds += seconds / len(outcomes)
