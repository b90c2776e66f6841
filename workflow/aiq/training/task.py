"""What is trained on labelled data at once, the memory that it holds, what comes of it, and how it is called."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Required, TypedDict, TypeVar

import torch

from aiq.config.training import Training
from aiq.policies.networks import parameters, reduced
from aiq.records.trial import Architecture
from aiq.training.checkpoints import Memory
from aiq.training.data import LabelledData, MixedData
from aiq.training.device import computing, resolve
from aiq.training.networks.flat import Weights
from aiq.training.orders import Order
from aiq.training.stopping import Progress, Report
from aiq.training.turns import Turns, whole

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Task:
    """Networks of one family, trained on the samples of one domain or of two, and measured on every test split.

    Attributes:
        data: the domain, or two domains on common ground.
        architectures: one a network.
        seeds: of the initial weights, one a network.
        orders: of the samples: one for all networks if they are shared, else one a network.
        settings: epochs, batch size, optimiser, convergence rule and trainer.
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
        """Whether networks are trained one at a time: as asked for, and convolutional ones that learn numbers."""
        return self.settings.trainer == "reference" or (self.data.numeric and self.family == "convolutional")


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

    ``device``; ``dtype``, the precision (torch.float32); ``progress``, told the finished share of the work, in [0, 1];
    ``memory``, which keeps the state of the training, so that an interrupted one goes on (the reference trainer has
    none).
    """

    device: Required[torch.device]
    dtype: torch.dtype
    progress: Report | None
    memory: Memory | None


def at_once(by_turns: Callable[..., Turns[T]]) -> Callable[..., T]:
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
