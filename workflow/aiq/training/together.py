"""Policies of a chunk, and networks on mixtures, trained as populations: of dense or of convolutional networks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import nan

import torch

from aiq.config.training import AdamW, Training
from aiq.policies.networks import initial_weights
from aiq.policies.size import reduced_sides
from aiq.records.trial import Architecture, MixtureResult, Policy, Trial
from aiq.training.checkpoints import Memory
from aiq.training.convolutional import ConvolutionalNet
from aiq.training.convolutional_batch import ConvolutionalNets
from aiq.training.data import LabelledData, MixedData
from aiq.training.dense import DenseNets
from aiq.training.feeds import Feed, OwnFeed, SharedFeed, Table
from aiq.training.orders import mixture_order, shared_order
from aiq.training.population import SLAB, Build, Member, Nets, Outcome, Weights, train
from aiq.training.portions import portions
from aiq.training.records import mixture_result, trial
from aiq.training.stopping import Report, part_of


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
) -> list[Trial]:
    """Train policies of one family on their common batch order; see ``supervised.train_chunk``."""
    outcomes = fit_chunk(
        data, policies, settings, order_seed=order_seed, device=device, dtype=dtype, progress=progress, memory=memory
    )
    began = time.perf_counter()
    accuracies = evaluate([policy.architecture for policy in policies], [o.weights for o in outcomes], data)
    _add_time(outcomes, time.perf_counter() - began)
    return [
        trial(policy, data, o.curve, nan if o.curve.status == "diverged" else accuracy, o.weights)
        for policy, o, accuracy in zip(policies, outcomes, accuracies, strict=True)
    ]


def fit_chunk(
    data: LabelledData,
    policies: Sequence[Policy],
    settings: Training,
    *,
    order_seed: int,
    device: torch.device,
    dtype: torch.dtype,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> list[Outcome]:
    """Return how the training of each policy of a chunk went, with its final weights."""
    family = policies[0].architecture.family
    table = Table(*(data.train_x, data.train_y, data.scale), device=device, dtype=dtype, flatten=family == "dense")
    feed = SharedFeed(table, shared_order(order_seed, len(data.train_y), settings.convergence))
    initial = _initial([(p.architecture, p.seed) for p in policies], data, device, dtype)
    parts = _populations([p.architecture for p in policies], table, data.outputs, settings.batch_size)
    feeds = [(part, feed) for part in parts]
    return _train(initial, feeds, data.shape, table.columns, settings, progress, memory)


def train_mixtures(
    data: MixedData,
    architecture: Architecture,
    settings: Training,
    *,
    members: Sequence[tuple[float, int, int]],
    samples: int,
    seed: int,
    device: torch.device,
    dtype: torch.dtype,
    progress: Report | None,
    memory: Memory | None = None,
) -> list[MixtureResult]:
    """Train all mixtures together, each on its own stream of samples; see ``mixtures.train_mixtures``."""
    outcomes = fit_mixtures(
        data,
        architecture,
        settings,
        members=members,
        samples=samples,
        seed=seed,
        device=device,
        dtype=dtype,
        progress=progress,
        memory=memory,
    )
    began = time.perf_counter()
    pairs = [
        evaluate([architecture] * len(members), [o.weights for o in outcomes], part)
        for part in ((data.first,) if data.same else (data.first, data.second))
    ]
    _add_time(outcomes, time.perf_counter() - began)
    return [
        mixture_result(
            data, architecture, (p, repetition), o.curve, (nan, nan) if o.curve.status == "diverged" else (one, two)
        )
        for (p, repetition, _), o, one, two in zip(members, outcomes, pairs[0], pairs[-1], strict=True)
    ]


def fit_mixtures(
    data: MixedData,
    architecture: Architecture,
    settings: Training,
    *,
    members: Sequence[tuple[float, int, int]],
    samples: int,
    seed: int,
    device: torch.device,
    dtype: torch.dtype,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> list[Outcome]:
    """Return how the training of each mixture went, with its final weights."""
    table = mixture_table(data, device, dtype, architecture.family == "dense")
    orders = [mixture_order(data, p, repetition, samples, seed, settings.convergence) for p, repetition, _ in members]
    initial = _initial([(architecture, weights_seed) for *_, weights_seed in members], data.first, device, dtype)
    parts = _populations([architecture] * len(members), table, data.outputs, settings.batch_size)
    feeds = [(part, OwnFeed(table, [orders[i] for i in part])) for part in parts]
    return _train(initial, feeds, data.shape, table.columns, settings, progress, memory)


def mixture_table(data: MixedData, device: torch.device, dtype: torch.dtype, flatten: bool = True) -> Table:
    """Return both training splits as one table, kept as uint8 where both are, else as float32."""
    parts = [data.first] if data.same else [data.first, data.second]
    y = torch.cat([part.train_y for part in parts])
    scale = parts[0].scale
    if len({(part.train_x.dtype, part.scale) for part in parts}) == 1:
        x = parts[0].train_x if data.same else torch.cat([part.train_x for part in parts])
    else:
        x, scale = torch.cat([part.train_x.to(dtype) * part.scale for part in parts]), 1.0
    return Table(x, y, scale, device=device, dtype=dtype, flatten=flatten)


def evaluate(architectures: Sequence[Architecture], weights: Sequence[Weights], data: LabelledData) -> list[float]:
    """Return each network's accuracy on the full test split; the networks are of one family."""
    like = weights[0][0]
    family = architectures[0].family
    table = Table(
        *(data.test_x, data.test_y, data.scale), device=like.device, dtype=like.dtype, flatten=family == "dense"
    )
    rows = torch.arange(len(table.y), device=like.device)
    accuracies: list[float] = []
    everything = list(range(len(architectures)))
    for part in [everything] if _common(family, like.device) else [[index] for index in everything]:
        nets = _builder(data.shape, True)(
            [architectures[i] for i in part], [_reduced(weights[i], table.columns) for i in part]
        )
        right = torch.stack([nets.right(*table.gather(slab)) for slab in rows.split(SLAB)]).sum(0)
        accuracies += [int(count) / len(rows) for count in right.tolist()]
    return accuracies


def _common(family: str, device: torch.device) -> bool:
    """Whether networks are computed in common: on a CPU a convolutional one is fastest alone."""
    return family == "dense" or device.type == "cuda"


def _populations(architectures: Sequence[Architecture], table: Table, outputs: int, batch: int) -> list[list[int]]:
    """Return which networks train in common passes; on a GPU all do."""
    if table.device.type != "cpu":
        return [list(range(len(architectures)))]
    if architectures[0].family == "dense":
        return portions(architectures, table.features, outputs, batch)
    return [[index] for index in range(len(architectures))]


def _builder(shape: tuple[int, ...], shared: bool) -> Build:
    """Return what makes networks of architectures and weights, for samples of a shape."""

    def build(architectures: Sequence[Architecture], weights: Sequence[Weights]) -> Nets:
        """Make the networks of one population."""
        first = architectures[0]
        if first.family == "dense":
            return DenseNets(architectures, weights, shared=shared)
        if weights[0][0].device.type == "cuda":
            return ConvolutionalNets(architectures, weights, shared=shared)
        return ConvolutionalNet(first, weights[0], side=reduced_sides(first, shape), shared=shared)

    return build


def _initial(
    networks: Sequence[tuple[Architecture, int]], data: LabelledData, device: torch.device, dtype: torch.dtype
) -> list[Member]:
    """Return members with the initial weights of their seeds."""
    return [
        Member(a, [t.to(device) for t in initial_weights(a, data.shape, data.outputs, seed, dtype)])
        for a, seed in networks
    ]


def _train(
    members: Sequence[Member],
    feeds: Sequence[tuple[Sequence[int], Feed]],
    shape: tuple[int, ...],
    columns: torch.Tensor | None,
    settings: Training,
    progress: Report | None,
    memory: Memory | None = None,
) -> list[Outcome]:
    """Train each population on its feed, and give the final weights of all members in order, with all columns.

    Dense networks train on the columns that are not zero throughout. A weight that meets only zeros has gradient
    zero: it keeps its initial value, or with AdamW the value decayed by the steps taken. (A column that is constant
    but not zero moves as the bias does and cannot be dropped.)
    """
    found: dict[int, Outcome] = {}
    for part, feed in feeds:
        build = _builder(shape, feed.shared)
        reduced = [Member(members[i].architecture, _reduced(members[i].weights, columns)) for i in part]
        report = part_of(progress, len(found), len(part), len(members))
        found |= zip(part, train(reduced, feed, settings, build, report, memory), strict=True)
    outcomes = [found[index] for index in range(len(members))]
    if columns is None:
        return outcomes
    decay = 1.0
    if isinstance(settings.optimizer, AdamW):
        decay = 1 - settings.optimizer.learning_rate * settings.optimizer.weight_decay
    restored = []
    for member, outcome in zip(members, outcomes, strict=True):
        first = member.weights[0] * decay**outcome.steps
        first[:, columns] = outcome.weights[0]
        restored.append(Outcome(outcome.curve, outcome.steps, [first, *outcome.weights[1:]]))
    return restored


def _reduced(weights: Weights, columns: torch.Tensor | None) -> Weights:
    """Return weights with some columns of the first layer only."""
    return weights if columns is None else [weights[0][:, columns], *weights[1:]]


def _add_time(outcomes: Sequence[Outcome], seconds: float) -> None:
    """Add an equal share of a time to each member."""
    for outcome in outcomes:
        outcome.curve.seconds += seconds / len(outcomes)
