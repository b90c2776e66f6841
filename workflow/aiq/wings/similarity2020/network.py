"""The network of the 2020 paper's image tests: blocks of two convolutions and a pooling, then a dense layer.

Source: Pereyda and Holder (2020), "Baseline Agent" and "Baseline Agent Validation": two convolution layers into a max
pooling, three times, then a dense layer with ReLU; Adam, categorical cross-entropy. Its figure is missing in print.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from aiq import seeding
from aiq.errors import TrainingError
from aiq.training.device import accelerated, computing, resolve
from aiq.training.orders import shuffles
from aiq.training.reference import build as build_optimizer
from aiq.wings.similarity2020.settings import BlockNetwork

Predict = Callable[[torch.Tensor], torch.Tensor]
"""Samples (n, channels, height, width), as stored -> logits (n, outputs)."""

_SLAB = 500


@dataclass(frozen=True, eq=False)
class Lesson:
    """What is learned in one training; its name names its streams of random numbers.

    ``x``: samples (n, channels, height, width): bytes, which the network sees over 255, or float32 as they are. ``y``:
    labels (n, heads), int64; head h counts from 0 among its own ``outputs[h]`` outputs, which stand in this order.
    """

    name: str
    x: torch.Tensor
    y: torch.Tensor
    outputs: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse labels that do not go with samples or heads, and samples that are no pictures."""
        if self.x.ndim != 4:
            raise TrainingError(f"{self.name} has samples of shape {tuple(self.x.shape[1:])}; pictures are needed")
        if self.y.shape != (len(self.x), len(self.outputs)) or not len(self.x):
            raise TrainingError(f"{self.name}: {len(self.x)} samples have labels of shape {tuple(self.y.shape)}")


@dataclass(frozen=True, eq=False)
class Learned:
    """A trained network: ``logits`` of samples as they are stored; NaN in the weights makes it ``lost``."""

    logits: Predict
    parameters: int
    lost: bool
    seconds: float


def build(network: BlockNetwork, halvings: int, shape: Sequence[int], outputs: int) -> nn.Sequential:
    """Return the network for samples (channels, height, width) with torch's own initial weights.

    Raises:
        TrainingError: the pictures are too small for so many poolings.
    """
    channels, height, width = shape
    layers: list[nn.Module] = []
    for filters in network.halved(halvings):
        layers += [nn.Conv2d(channels, filters, 3, padding=1), nn.ReLU()]
        layers += [nn.Conv2d(filters, filters, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        channels, height, width = filters, height // 2, width // 2
    if not (height and width):
        raise TrainingError(f"{len(network.filters)} blocks leave nothing of pictures of {shape[1]}x{shape[2]} pixels")
    layers += [nn.Flatten(), nn.Linear(channels * height * width, network.dense_nodes), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(network.dense_nodes, outputs))


def learn(
    lesson: Lesson,
    network: BlockNetwork,
    *,
    halvings: int = 0,
    repetition: int = 0,
    seed: int,
    device: str = "cpu",
    threads: int = 1,
) -> Learned:
    """Train one network by the mean cross-entropy of all heads.

    Weights and the order of samples are keyed by the lesson's name, the halvings and the repetition.
    """
    begun, where = time.perf_counter(), resolve(device)
    key = ("blocks", lesson.name, halvings, repetition)
    with computing(threads, where), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seeding.integer(seed, *key, "weights") % 2**63)
        model = build(network, halvings, lesson.x.shape[1:], sum(lesson.outputs))
        model = model.to(where, memory_format=torch.channels_last)
        optimizer = build_optimizer(network.optimizer, model.parameters())
        x, y = lesson.x.to(where), lesson.y.to(where)
        for order in _orders(len(x), network.epochs, seed, key, where):
            for batch in order.split(network.batch_size):
                optimizer.zero_grad(set_to_none=True)
                parts = model(_seen(x[batch], where)).split(list(lesson.outputs), dim=1)
                losses = [nn.functional.cross_entropy(part, y[batch, h]) for h, part in enumerate(parts)]
                torch.stack(losses).mean().backward()
                optimizer.step()
    model.eval()

    def logits(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad(), computing(threads, where):
            return torch.cat([model(_seen(part, where)) for part in x.split(_SLAB)]).cpu()

    parameters = sum(p.numel() for p in model.parameters())
    lost = not all(bool(p.isfinite().all()) for p in model.parameters())
    return Learned(logits, parameters, lost, time.perf_counter() - begun)


def _orders(
    count: int, epochs: int, seed: int, key: tuple[str | int, ...], device: torch.device
) -> Iterator[torch.Tensor]:
    """Yield the order of the samples in each epoch, on the device: NumPy's on a CPU, made there on a GPU."""
    if accelerated(device):
        seeds = [seeding.integer(seed, *key, "order", epoch) for epoch in range(epochs)]
        yield from (shuffles([epoch_seed], count, device)[0] for epoch_seed in seeds)
        return
    rng = seeding.generator(seed, *key, "order")
    for _ in range(epochs):
        yield torch.from_numpy(rng.permutation(count))


def accuracy(learned: Learned, x: torch.Tensor, y: torch.Tensor, outputs: tuple[int, ...]) -> tuple[float, ...]:
    """Return each head's share of right answers on samples with labels (n, heads); NaN of a lost network."""
    if learned.lost:
        return (np.nan,) * len(outputs)
    halves = learned.logits(x).split(list(outputs), dim=1)
    return tuple(float((half.argmax(1) == y[:, h]).double().mean()) for h, half in enumerate(halves))


def _seen(x: torch.Tensor, device: torch.device) -> torch.Tensor:
    seen = x.to(device).float() / 255 if x.dtype == torch.uint8 else x.to(device)
    return seen.contiguous(memory_format=torch.channels_last)
