"""Networks of one architecture, each on a stream of samples of its own: mixtures of two domains, and domains alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import nan
from typing import Any

import torch

from aiq.config.training import Training
from aiq.records.trial import AloneResult, Architecture, MixtureResult
from aiq.training.checkpoints import Memory
from aiq.training.data import LabelledData, MixedData
from aiq.training.feeds import Feed, OwnFeed, Table, kept
from aiq.training.orders import Order, mixture_order
from aiq.training.population import Outcome
from aiq.training.ragged import RaggedFeed
from aiq.training.records import alone_result, mixture_result
from aiq.training.stopping import Report
from aiq.training.together import add_time, evaluate, initial, populations, table_of, train
from aiq.training.turns import Turns, whole


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
) -> Turns[list[MixtureResult]]:
    """Train all mixtures together, each on its own stream of samples; see ``mixtures.train_mixtures``."""
    told_ = {"samples": samples, "seed": seed, "device": device, "dtype": dtype, "progress": progress, "memory": memory}
    outcomes = yield from mixtures_by_turns(data, architecture, settings, members=members, **told_)
    began = time.perf_counter()
    scores = [
        _scores(architecture, outcomes, part) for part in ((data.first,) if data.same else (data.first, data.second))
    ]
    add_time(outcomes, time.perf_counter() - began)
    return [
        mixture_result(data, architecture, (p, repetition), o.curve, (one[0], two[0]), (one[1], two[1]))
        for (p, repetition, _), o, one, two in zip(members, outcomes, scores[0], scores[-1], strict=True)
    ]


def fit_mixtures(data: MixedData, architecture: Architecture, settings: Training, **told_: Any) -> list[Outcome]:
    """Return how the training of each mixture went; see ``mixtures_by_turns``."""
    return whole(mixtures_by_turns(data, architecture, settings, **told_))


def mixtures_by_turns(
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
) -> Turns[list[Outcome]]:
    """Return how the training of each mixture went, with its final weights."""
    flat = architecture.family == "dense"
    table = kept(data, ("train", flat, dtype), device, lambda: mixture_table(data, device, dtype, flat))
    orders = [mixture_order(data, p, repetition, samples, seed, settings.convergence) for p, repetition, _ in members]
    started = initial([(architecture, weights_seed) for *_, weights_seed in members], data.first, device, dtype)
    parts = populations([architecture] * len(members), table, data.outputs, settings)
    feeds = [(part, OwnFeed(table, [orders[i] for i in part])) for part in parts]
    return (yield from train(started, feeds, data.first, table.columns, settings, progress, memory))


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


def train_alone(
    data: LabelledData,
    architecture: Architecture,
    settings: Training,
    *,
    members: Sequence[tuple[float, int, int]],
    orders: Sequence[Order],
    device: torch.device,
    dtype: torch.dtype,
    progress: Report | None,
    memory: Memory | None = None,
) -> Turns[list[AloneResult]]:
    """Train a domain alone with several numbers of samples together; see ``alone.train_alone``."""
    told_ = {"orders": orders, "device": device, "dtype": dtype, "progress": progress, "memory": memory}
    outcomes = yield from alone_by_turns(data, architecture, settings, members=members, **told_)
    began = time.perf_counter()
    scores = _scores(architecture, outcomes, data)
    add_time(outcomes, time.perf_counter() - began)
    return [
        alone_result(data, architecture, (p, repetition), order, o.curve, score)
        for (p, repetition, _), order, o, score in zip(members, orders, outcomes, scores, strict=True)
    ]


def alone_by_turns(
    data: LabelledData,
    architecture: Architecture,
    settings: Training,
    *,
    members: Sequence[tuple[float, int, int]],
    orders: Sequence[Order],
    device: torch.device,
    dtype: torch.dtype,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> Turns[list[Outcome]]:
    """Return how the training of a domain alone went with each stream of samples, with the final weights."""
    dense = architecture.family == "dense"
    table = table_of(data, "train", architecture.family, device, dtype)
    started = initial([(architecture, weights_seed) for *_, weights_seed in members], data, device, dtype)
    feeds: list[tuple[list[int], Feed | RaggedFeed]] = []
    for group in _groups(orders, together=dense and not data.numeric and settings.convergence is None):
        parts = populations([architecture] * len(group), table, data.outputs, settings)
        for part in ([group[place] for place in places] for places in parts):
            own = [orders[i] for i in part]
            alike = len({_lengths(order) for order in own}) == 1
            feeds.append((part, OwnFeed(table, own) if alike else RaggedFeed(table, own)))
    return (yield from train(started, feeds, data, table.columns, settings, progress, memory))


def _groups(orders: Sequence[Order], together: bool) -> list[list[int]]:
    """Return the streams that may train in one population, the longest first: all, or those of the same lengths."""
    ranked = sorted(range(len(orders)), key=lambda i: -len(orders[i].fit))
    if together:
        return [ranked]
    lengths = dict.fromkeys(_lengths(orders[i]) for i in ranked)
    return [[i for i in ranked if _lengths(orders[i]) == both] for both in lengths]


def _lengths(order: Order) -> tuple[int, int]:
    """Return how many samples a stream trains on and holds out: 14 and 15 in all can both train on 13."""
    return len(order.fit), len(order.held_out)


def _scores(
    architecture: Architecture, outcomes: Sequence[Outcome], data: LabelledData
) -> list[tuple[float, float | None]]:
    """Return each network's accuracies on a test split, among all outputs and told the domain; NaN if diverged.

    Where a number is learned nothing is told (None).
    """
    architectures, weights = [architecture] * len(outcomes), [o.weights for o in outcomes]
    plain, told = evaluate(architectures, weights, data, tell=True)
    both = zip(outcomes, plain, [None] * len(told) if data.numeric else told, strict=True)
    lost = (nan, None if data.numeric else nan)
    return [lost if o.curve.status == "diverged" else (one, other) for o, one, other in both]
