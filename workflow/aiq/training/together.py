"""Networks trained as populations, dense or convolutional: which train together, on which samples, and their scores."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from math import inf, nan
from typing import Unpack
from weakref import WeakKeyDictionary

import torch

from aiq.config.training import AdamW, Training
from aiq.policies.networks import initial_weights, reduced_sides
from aiq.records.trial import Architecture
from aiq.training.checkpoints import Memory
from aiq.training.convolutional import ConvolutionalNet, ConvolutionalNets
from aiq.training.data import LabelledData, determination, training_split
from aiq.training.dense import DenseNets, DenseRegression, by_depth
from aiq.training.device import Turns, accelerated
from aiq.training.feeds import Feed, Order, OwnFeed, RaggedFeed, SharedFeed, Table
from aiq.training.flat import Classifiers, Weights
from aiq.training.population import Build, Outcome, RaggedRun, Run, by_turns
from aiq.training.reference import SLAB, How, Score, Task, Trained


def train(task: Task, **how: Unpack[How]) -> Turns[list[Trained]]:
    """Train the networks of a task together and measure them; see ``fit``."""
    outcomes = yield from fit(task, **how)
    began = time.perf_counter()
    scores = [_scores(task, outcomes, part) for part in task.data.parts]
    weights = on_host([outcome.weights for outcome in outcomes])
    share = (time.perf_counter() - began) / len(outcomes)
    for outcome in outcomes:
        outcome.curve.seconds += share
    each = zip(outcomes, weights, zip(*scores, strict=True), strict=True)
    return [Trained(outcome.curve, own, marks) for outcome, own, marks in each]


def fit(
    task: Task,
    *,
    device: torch.device,
    dtype: torch.dtype = torch.float32,
    memory: Memory | None = None,
) -> Turns[list[Outcome]]:
    """Return how the training of each network went, with its final weights.

    Dense networks train on the columns that are not zero throughout. A weight that meets only zeros has gradient
    zero: it keeps its initial value, or with AdamW the value decayed by the steps taken. (A column that is constant
    but not zero moves as the bias does and cannot be dropped.)
    """
    data, flatten = task.data, task.family == "dense"
    table = _table(data, "train", lambda: training_split(data, dtype), flatten, device, dtype)
    initial = [
        [t.to(device) for t in initial_weights(a, data.shape, data.outputs, seed, dtype)]
        for a, seed in zip(task.architectures, task.seeds, strict=True)
    ]
    outcomes: dict[int, Outcome] = {}
    for part, feed in _feeds(task, table):
        build = builder(data.parts[0], feed.shared)
        architectures, weights = [task.architectures[i] for i in part], [_reduced(initial[i], table) for i in part]
        kind = RaggedRun if isinstance(feed, RaggedFeed) else Run
        run = partial(kind, architectures, weights, feed, task.settings, build)
        outcomes |= zip(part, (yield from by_turns(run, memory)), strict=True)
    return [_restored(weights, outcomes[i], table, task.settings) for i, weights in enumerate(initial)]


# ---- Which networks train in one population, and on what -----------------------------------------


def _feeds(task: Task, table: Table) -> list[tuple[Sequence[int], Feed]]:
    everybody = range(len(task.seeds))
    if task.shared:
        feed = SharedFeed(table, task.orders[0])
        return [(part, feed) for part in _populations(task, everybody, table)]
    feeds: list[tuple[Sequence[int], Feed]] = []
    for group in _groups(task):
        for part in _populations(task, group, table):
            orders = [task.orders[i] for i in part]
            alike = len({_lengths(order) for order in orders}) == 1
            feeds.append((part, OwnFeed(table, orders) if alike else RaggedFeed(table, orders)))
    return feeds


def _groups(task: Task) -> list[list[int]]:
    """Return the networks that may train in one population, the longest stream first.

    All may, or only those whose streams have the same lengths: where streams of unequal length cannot train together.
    """
    orders = task.orders
    ranked = sorted(range(len(orders)), key=lambda i: -len(orders[i].fit))
    if task.family == "dense" and not task.data.numeric and task.settings.convergence is None:
        return [ranked]
    lengths = dict.fromkeys(_lengths(orders[i]) for i in ranked)
    return [[i for i in ranked if _lengths(orders[i]) == both] for both in lengths]


def _lengths(order: Order) -> tuple[int, int]:
    """Return how many samples a stream trains on and holds out: 14 and 15 in all can both train on 13."""
    return len(order.fit), len(order.held_out)


def _populations(task: Task, group: Iterable[int], table: Table) -> list[list[int]]:
    networks = list(group)
    if accelerated(table.device):
        return [networks]
    if task.family != "dense":
        return [[i] for i in networks]
    architectures = tuple(task.architectures[i] for i in networks)
    parts = portions(architectures, table.features, task.data.outputs, task.settings.batch_size)
    return [[networks[place] for place in part] for part in parts]


_KEPT: WeakKeyDictionary[object, dict[tuple[object, ...], Table]] = WeakKeyDictionary()


def _table(
    data: object,
    split: str,
    samples: Callable[[], tuple[torch.Tensor, torch.Tensor, float]],
    flatten: bool,
    device: torch.device,
    dtype: torch.dtype,
) -> Table:
    """Return a table of data; on a GPU it is made once and kept as long as the data, for all who train."""
    tables = _KEPT.setdefault(data, {}) if accelerated(device) else {}
    key = (device, split, flatten, dtype)
    if key not in tables:
        tables[key] = Table(*samples(), device=device, dtype=dtype, flatten=flatten)
        if device.type == "cuda":  # others will read it on streams of their own
            torch.cuda.current_stream(device).synchronize()
    return tables[key]


def builder(data: LabelledData, shared: bool) -> Build:
    """Return what makes networks of architectures and weights, for samples of a domain."""

    def build(architectures: Sequence[Architecture], weights: Sequence[Weights]) -> Classifiers:
        first = architectures[0]
        if first.family == "dense":
            made = DenseRegression if data.numeric else DenseNets
            return made(architectures, weights, shared=shared)
        if accelerated(weights[0][0].device):
            return ConvolutionalNets(architectures, weights, shared=shared)
        return ConvolutionalNet(first, weights[0], side=reduced_sides(first, data.shape), shared=shared)

    return build


# ---- Which dense networks of a chunk train together on a CPU ----------------------------------------

CALLS = (40.0, 45.0)
"""Microseconds of calls a step: of any population, and for each hidden layer of its deepest network."""

UPPER = 60_000
"""Floating-point operations a microsecond of the products above first layers."""

FIRST = 190_000
"""Floating-point operations a microsecond of the products of first layers."""

PARAMETER, OUTSIDE = 0.0004, 0.0004
"""Microseconds that the update of one parameter takes, and more where there are twice as many as stay in the cache."""

CACHE = 250_000
"""Parameters whose buffers stay in the cache."""


@lru_cache(maxsize=32)  # a job's chunks are often alike
def portions(
    architectures: tuple[Architecture, ...], features: int, outputs: int, batch: int
) -> tuple[tuple[int, ...], ...]:
    """Divide a chunk of dense architectures into populations of similar ones, deepest first: positions, each once."""
    order = by_depth(architectures)
    best, cuts = [0.0], [0]
    for last in range(1, len(order) + 1):
        least, cut = inf, last - 1
        segment = _Segment(features, outputs, batch)
        for first in range(last - 1, -1, -1):
            segment.add(architectures[order[first]].widths)
            cost = segment.cost()
            if best[first] + cost < least:
                least, cut = best[first] + cost, first
            if cost > least:
                break
        best.append(least)
        cuts.append(cut)
    result: list[tuple[int, ...]] = []
    last = len(order)
    while last:
        result.insert(0, tuple(order[cuts[last] : last]))
        last = cuts[last]
    return tuple(result)


class _Segment:
    """A population under consideration; networks are added in the order of depth, the deepest last."""

    def __init__(self, features: int, outputs: int, batch: int) -> None:
        self._features, self._outputs, self._batch = features, outputs, batch
        self._rows = 0
        self._counts: list[int] = []
        self._widest: list[int] = []

    def add(self, widths: tuple[int, ...]) -> None:
        self._rows += widths[0] if widths else self._outputs
        for level, width in enumerate(reversed(widths)):
            if level == len(self._counts):
                self._counts.append(0)
                self._widest.append(0)
            self._counts[level] += 1
            self._widest[level] = max(self._widest[level], width)

    def cost(self) -> float:
        """Return the estimated microseconds of a step."""
        nodes = itertools.pairwise((self._outputs, *self._widest))
        upper = sum(count * after * before for count, (after, before) in zip(self._counts, nodes, strict=True))
        parameters = self._rows * self._features + upper
        return (
            CALLS[0]
            + CALLS[1] * len(self._counts)
            + 4 * self._rows * self._features * self._batch / FIRST
            + 6 * upper * self._batch / UPPER
            + parameters * (PARAMETER + OUTSIDE * min(3.0, max(0.0, parameters / CACHE - 1)))
        )


# ---- Weights -------------------------------------------------------------------------------------


def _reduced(weights: Weights, table: Table) -> Weights:
    return weights if table.columns is None else [weights[0].index_select(1, table.columns), *weights[1:]]


def _restored(initial: Weights, outcome: Outcome, table: Table, settings: Training) -> Outcome:
    if table.columns is None:
        return outcome
    first, decay = initial[0].clone(), 1.0
    if isinstance(settings.optimizer, AdamW):
        decay = 1 - settings.optimizer.learning_rate * settings.optimizer.weight_decay
    if decay != 1:
        first *= decay**outcome.steps
    first.index_copy_(1, table.columns, outcome.weights[0])
    return Outcome(outcome.curve, outcome.steps, [first, *outcome.weights[1:]])


def on_host(weights: Sequence[Weights]) -> list[Weights]:
    """Return the weights of some networks on the host; from a GPU all are brought in one piece."""
    if not accelerated(weights[0][0].device):
        return [list(tensors) for tensors in weights]
    every = [tensor for tensors in weights for tensor in tensors]
    pieces = iter(torch.cat([tensor.flatten() for tensor in every]).cpu().split([t.numel() for t in every]))
    return [[next(pieces).view(tensor.shape) for tensor in tensors] for tensors in weights]


# ---- Scores --------------------------------------------------------------------------------------


def _scores(task: Task, outcomes: Sequence[Outcome], data: LabelledData) -> list[Score]:
    tell = task.tell and not data.numeric
    plain, *restricted = evaluate(task.architectures, [outcome.weights for outcome in outcomes], data, tell=tell)
    among_own: Sequence[float | None] = restricted[0] if tell else [None] * len(outcomes)
    lost = (nan, nan if tell else None)
    each = zip(outcomes, plain, among_own, strict=True)
    return [lost if outcome.curve.status == "diverged" else (score, own) for outcome, score, own in each]


def evaluate(
    architectures: Sequence[Architecture], weights: Sequence[Weights], data: LabelledData, *, tell: bool = False
) -> list[list[float]]:
    """Return each network's accuracy on the full test split, or R² clipped to [0, 1]; the networks are of one family.

    With ``tell`` a second list is that among the outputs of the domain's own classes alone (the same where these are
    all).
    """
    like, dense = weights[0][0], architectures[0].family == "dense"
    table = _table(data, "test", lambda: (data.test_x, data.test_y, data.scale), dense, like.device, like.dtype)
    rows = torch.arange(len(table.y), device=like.device)
    own = data.own if tell and data.own is not None and len(data.own) < data.outputs else None
    scores: list[list[float]] = [[] for _ in range(1 if own is None else 2)]
    everybody = list(range(len(architectures)))
    at_once = dense or accelerated(like.device)  # on a CPU a convolutional network is fastest alone
    for part in [everybody] if at_once else [[i] for i in everybody]:
        chosen = [_reduced(weights[i], table) for i in part]
        nets = builder(data, True)([architectures[i] for i in part], chosen)
        right = torch.stack([nets.right(*table.gather(slab), own) for slab in rows.split(SLAB)]).sum(0)
        for accuracies, numbers in zip(scores, right.reshape(len(scores), -1).tolist(), strict=True):
            if data.numeric:
                accuracies += [determination(error, data.test_y) for error in numbers]
            else:
                accuracies += [int(count) / len(rows) for count in numbers]
    return scores if own is not None or not tell else [*scores, *scores]
