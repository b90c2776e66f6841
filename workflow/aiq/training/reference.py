"""What is trained on labelled data at once, the memory that it holds, and the trainer that every other one must equal.

That trainer takes one policy at a time with torch's modules and optimisers: slow and simple.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Required, TypedDict

import torch
from torch import nn

from aiq.config.training import Adadelta, Adam, AdamW, Optimizer, Sgd, Training
from aiq.policies import networks
from aiq.policies.networks import parameters, reduced
from aiq.records.trial import Architecture
from aiq.training.checkpoints import Memory, Progress
from aiq.training.data import LabelledData, MixedData, determination, training_split
from aiq.training.feeds import Order
from aiq.training.flat import Weights


@dataclass(frozen=True, eq=False)
class Task:
    """Networks of one family, trained on the samples of one domain or of two, and measured on every test split.

    Attributes:
        data: the domain, or two domains on common ground.
        architectures: one a network.
        seeds: of the initial weights, one a network.
        orders: of the samples: one for all networks if they are shared, else one a network.
        settings: epochs, batch size, optimiser and convergence rule.
        shared: whether all networks see the same samples; if not, they have one architecture.
        tell: whether a network is also scored as one that is told which domain a test sample belongs to: among the
            outputs of the domain's own classes alone.
    """

    data: LabelledData | MixedData
    architectures: Sequence[Architecture]
    seeds: Sequence[int]
    orders: Sequence[Order]
    settings: Training
    shared: bool = False
    tell: bool = False

    @property
    def family(self) -> str:
        """``dense`` or ``convolutional``."""
        return self.architectures[0].family

    @property
    def one_by_one(self) -> bool:
        """Whether networks are trained one at a time: convolutional ones that learn numbers."""
        return self.data.numeric and self.family == "convolutional"


Score = tuple[float, float | None]
"""Accuracy, or R² clipped to [0, 1], among all outputs, and where it is told the domain; None where nothing is told."""


@dataclass(frozen=True, eq=False)
class Trained:
    """What came of one network: its learning curve, its weights, and a score for every domain; NaN if it diverged."""

    curve: Progress
    weights: Weights
    scores: tuple[Score, ...]


class How(TypedDict, total=False):
    """Where and how networks are trained.

    ``device``; ``dtype``, the precision (torch.float32); ``memory``, which keeps the state of the training, so that an
    interrupted one goes on (the reference trainer has none).
    """

    device: Required[torch.device]
    dtype: torch.dtype
    memory: Memory | None


# ---- How much memory of a device a training will hold, from shapes alone ------------------------

SLAB = 512
"""Samples evaluated at once."""

FLOAT, INDEX = 4, 8
"""Bytes of a number and of a row's number."""

COPIES = 4
"""Copies of all weights beside the layout: initial ones, those without dropped columns, final ones, as restored."""

LAYOUT = 4
"""Arrays as large as the layout: values, gradients, two moments of the optimiser."""

TAPE = 6
"""Arrays as large as the activations of a step: results, their gradients, and what operations put between them."""

LOOK = 4
"""The same of an evaluation, which has no gradients."""

RECORDED = 2
"""A recorded window keeps its temporary arrays beside those of steps taken the ordinary way."""


def held(task: Task) -> int:
    """Return the bytes that a training will hold at most.

    The model adds up what is alive at the same time in the two phases of a training, steps and evaluation, and takes
    the larger. It counts the tensors of this package's networks; what libraries take for themselves is left to the
    share of memory that trainings may not fill (``jobs.gpu_memory``). It is meant to be too large rather than too
    small: a test measures that what trainings hold lies between a fifth of it and the whole.
    """
    data, parts, networks = task.data, task.data.parts, len(task.architectures)
    weights = sum(parameters(a, data.shape, data.outputs) for a in task.architectures)
    wide = _padded(task.architectures)
    padded = sum(parameters(a, data.shape, data.outputs) for a in wide)
    activations = sum(_of_one(a, data.shape) + data.outputs for a in wide)
    item = max(part.train_x.element_size() for part in parts)
    samples = sum(len(part.train_y) + len(part.test_y) for part in parts)
    rows = sum(len(order.fit) + len(order.held_out) for order in task.orders)
    streams = 1 if task.shared else networks
    batch, inputs = task.settings.batch_size, prod(data.shape)
    seen = max(SLAB, batch * streams) * inputs
    step = TAPE * RECORDED * batch * activations + RECORDED * 2 * seen
    look = LOOK * SLAB * activations + 2 * SLAB * streams * inputs
    stored = samples * (inputs * item + INDEX) + 4 * INDEX * rows
    return stored + FLOAT * (COPIES * weights + LAYOUT * padded + max(step, look))


def _padded(architectures: Sequence[Architecture]) -> list[Architecture]:
    wide = []
    for depth in {len(a.widths) for a in architectures}:
        alike = [a for a in architectures if len(a.widths) == depth]
        widest = tuple(max(layer) for layer in zip(*(a.widths for a in alike), strict=True))
        wide += [Architecture(alike[0].family, widest, alike[0].dense_nodes, alike[0].reduction)] * len(alike)
    return wide


def _of_one(architecture: Architecture, shape: tuple[int, ...]) -> int:
    if architecture.family == "dense":
        return sum(architecture.widths)
    numbers, sides = architecture.dense_nodes, shape[1:]
    for filters in architecture.widths:
        after = [reduced(side, architecture.reduction) for side in sides]
        numbers += filters * prod(sides if architecture.reduction == "pooling" else after)
        sides = tuple(after)
    return numbers


# ---- One at a time -------------------------------------------------------------------------------


def build(settings: Optimizer, tensors: Iterable[torch.Tensor]) -> torch.optim.Optimizer:
    """Return the named optimiser over tensors, torch's ordinary one."""
    match settings:
        case Adam():
            return torch.optim.Adam(tensors, lr=settings.learning_rate, betas=settings.betas, eps=settings.epsilon)
        case AdamW():
            decay = {"eps": settings.epsilon, "weight_decay": settings.weight_decay}
            return torch.optim.AdamW(tensors, lr=settings.learning_rate, betas=settings.betas, **decay)
        case Sgd():
            return torch.optim.SGD(tensors, lr=settings.learning_rate)
        case Adadelta():
            return torch.optim.Adadelta(tensors, lr=settings.learning_rate, rho=settings.rho, eps=settings.epsilon)


_LOOKED = 2048
"""Samples evaluated at once."""


class Samples:
    """Rows of samples with labels that become floating-point batches on a device when asked for."""

    def __init__(self, x: torch.Tensor, y: torch.Tensor, scale: float, device: torch.device, dtype: torch.dtype):
        self.x, self.y = x.to(device), y.to(device)
        self._scale, self._dtype = scale, dtype

    def batch(self, rows: torch.Tensor | slice) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the samples (as the network sees them) and labels of some rows."""
        if isinstance(rows, torch.Tensor):
            rows = rows.to(self.x.device)
        x = self.x[rows].to(self._dtype)
        return (x if self._scale == 1 else x * self._scale), self.y[rows]


def accuracy(
    module: nn.Module, samples: Samples, rows: torch.Tensor | None = None, only: Sequence[int] | None = None
) -> float:
    """Return the share of samples (of some rows, or all) whose largest logit (of some outputs, or all) is right.

    Of numbers: R² clipped to [0, 1] of all rows, 1 less the mean squared error of some (those held out).
    """
    some, total = torch.arange(len(samples.y)) if rows is None else rows, 0.0
    own = None if only is None else torch.tensor(list(only), device=samples.y.device)
    numeric = samples.y.is_floating_point()
    with torch.no_grad():
        for part in some.split(_LOOKED):
            x, y = samples.batch(part)
            outputs = module(x)
            if numeric:
                total += float((outputs[:, 0] - y).double().square().sum())
            elif own is None:
                total += int((outputs.argmax(1) == y).sum())
            else:
                total += int((own[outputs[:, own].argmax(1)] == y).sum())
    if not numeric:
        return total / len(some)
    return determination(total, samples.y) if rows is None else 1 - total / len(some)


def _loss(outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if y.is_floating_point():
        return nn.functional.mse_loss(outputs[:, 0], y.to(outputs.dtype))
    return nn.functional.cross_entropy(outputs, y)


def fit(module: nn.Module, samples: Samples, order: Order, settings: Training, *, least: int = 1) -> Progress:
    """Train a module in place until its rule ends it, and return its learning curve and status.

    A last batch of fewer than ``least`` samples joins the one before it. Samples held out are looked at in ``eval``
    mode, so that layers which behave otherwise in training (dropout, batch normalisation) do what they do in the test.
    """
    optimizer = build(settings.optimizer, module.parameters())
    progress = Progress(settings.epochs, settings.convergence)
    while progress.status is None:
        total = 0.0
        for rows in _batches(order.epoch(len(progress.losses), samples.y.device), settings.batch_size, least):
            x, y = samples.batch(rows)
            loss = _loss(module(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(rows)
        finite = all(bool(weights.isfinite().all()) for weights in module.parameters())
        held_out = _held_out(module, samples, order.held_out) if len(order.held_out) else None
        progress.epoch(total / len(order.fit), finite, held_out)
    return progress


def _batches(rows: torch.Tensor, size: int, least: int) -> list[torch.Tensor]:
    batches = list(rows.split(size))
    if len(batches) > 1 and len(batches[-1]) < least:
        batches[-2:] = [torch.cat(batches[-2:])]
    return batches


def _held_out(module: nn.Module, samples: Samples, rows: torch.Tensor) -> float:
    """Return the accuracy on samples held out, and leave the module in the mode in which it was."""
    training = module.training
    module.eval()
    held_out = accuracy(module, samples, rows)
    module.train(training)
    return held_out


def train(
    task: Task,
    *,
    device: torch.device,
    dtype: torch.dtype = torch.float32,
    memory: object = None,
) -> list[Trained]:
    """Train the networks of a task one after the other; nothing is kept in a memory, of which there is none."""
    samples = Samples(*training_split(task.data, dtype), device, dtype)
    tests = [Samples(part.test_x, part.test_y, part.scale, device, dtype) for part in task.data.parts]
    tell = task.tell and not task.data.numeric
    trained: list[Trained] = []
    for place, (architecture, seed) in enumerate(zip(task.architectures, task.seeds, strict=True)):
        began = time.perf_counter()
        order = task.orders[0 if task.shared else place]
        module = networks.network(architecture, task.data.shape, task.data.outputs, seed, dtype).to(device)
        curve = fit(module, samples, order, task.settings)
        parts = zip(task.data.parts, tests, strict=True)
        scores = tuple(_score(module, test, curve, part.own, tell) for part, test in parts)
        curve.seconds = time.perf_counter() - began
        trained.append(Trained(curve, list(module.parameters()), scores))
    return trained


def _score(module: nn.Module, test: Samples, curve: Progress, own: Sequence[int] | None, tell: bool) -> Score:
    if curve.status == "diverged":
        return math.nan, math.nan if tell else None
    return accuracy(module, test), accuracy(module, test, only=own) if tell else None
