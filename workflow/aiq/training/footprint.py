"""How much memory of a device a training will hold, from shapes alone: before anything of it is there.

The model adds up what is alive at the same time in the two phases of a training, steps and evaluation, and takes the
larger. It counts the tensors of this package's networks; what libraries take for themselves is left to the share of
memory that trainings may not fill (``jobs.gpu_memory``). It is meant to be too large rather than too small: a test
measures that what trainings hold lies between a fifth of it and the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from aiq.policies.size import parameters, reduced
from aiq.records.trial import Architecture

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


@dataclass(frozen=True, slots=True)
class Task:
    """What is trained at once on a device.

    Attributes:
        architectures: of one family.
        shape: of a sample.
        outputs: of every network.
        batch: samples of a step.
        samples: rows that the device holds, training and test split together.
        item: bytes of a stored number.
        rows: rows whose order is made at once for an epoch: of all streams together.
        shared: whether all networks see the same samples.
    """

    architectures: Sequence[Architecture]
    shape: tuple[int, ...]
    outputs: int
    batch: int
    samples: int
    item: int
    rows: int
    shared: bool


def held(task: Task) -> int:
    """Return the bytes that a training will hold at most."""
    weights = sum(parameters(a, task.shape, task.outputs) for a in task.architectures)
    padded = _padded(task)
    data = task.samples * (prod(task.shape) * task.item + INDEX) + 4 * INDEX * task.rows
    streams = 1 if task.shared else len(task.architectures)
    seen = max(SLAB, task.batch * streams) * prod(task.shape)
    step = TAPE * RECORDED * _activations(task, task.batch) + RECORDED * 2 * seen
    look = LOOK * _activations(task, SLAB) + 2 * SLAB * streams * prod(task.shape)
    return data + FLOAT * (COPIES * weights + LAYOUT * padded + max(step, look))


def _padded(task: Task) -> int:
    """Return the numbers of a layout in which every network is as wide as the widest of its depth."""
    found = 0
    for depth in {len(a.widths) for a in task.architectures}:
        alike = [a for a in task.architectures if len(a.widths) == depth]
        widest = tuple(max(layer) for layer in zip(*(a.widths for a in alike), strict=True))
        wide = Architecture(alike[0].family, widest, alike[0].dense_nodes, alike[0].reduction)
        found += len(alike) * parameters(wide, task.shape, task.outputs)
    return found


def _activations(task: Task, samples: int) -> int:
    """Return the activations of all networks on some samples, each network as wide as the widest of its depth."""
    found = 0
    for depth in {len(a.widths) for a in task.architectures}:
        alike = [a for a in task.architectures if len(a.widths) == depth]
        widest = [max(layer) for layer in zip(*(a.widths for a in alike), strict=True)]
        found += len(alike) * (_of_one(alike[0], widest, task.shape) + task.outputs)
    return samples * found


def _of_one(architecture: Architecture, widths: Sequence[int], shape: tuple[int, ...]) -> int:
    """Return the activations of one network on one sample."""
    if architecture.family == "dense":
        return sum(widths)
    found, sides = architecture.dense_nodes, shape[1:]
    for filters in widths:
        after = [reduced(side, architecture.reduction) for side in sides]
        found += filters * prod(sides if architecture.reduction == "pooling" else after)
        sides = tuple(after)
    return found
