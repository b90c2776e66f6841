"""Train one policy at a time with torch's modules and optimisers: slow, simple, what every other trainer must equal."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence

import torch
from torch import nn

from aiq.config.training import Adadelta, Adam, AdamW, Optimizer, Sgd, Training
from aiq.policies import networks
from aiq.training.data import determination, training_split
from aiq.training.orders import Order
from aiq.training.stopping import Progress, Report
from aiq.training.task import Score, Task, Trained


def build(settings: Optimizer, tensors: Iterable[torch.Tensor]) -> torch.optim.Optimizer:
    """Return the named optimiser over tensors, torch's ordinary one."""
    match settings:
        case Adam():
            return torch.optim.Adam(tensors, lr=settings.learning_rate, betas=settings.betas, eps=settings.epsilon)
        case AdamW():
            return torch.optim.AdamW(
                tensors,
                lr=settings.learning_rate,
                betas=settings.betas,
                eps=settings.epsilon,
                weight_decay=settings.weight_decay,
            )
        case Sgd():
            return torch.optim.SGD(tensors, lr=settings.learning_rate, momentum=settings.momentum)
        case Adadelta():
            return torch.optim.Adadelta(tensors, lr=settings.learning_rate, rho=settings.rho, eps=settings.epsilon)


SLAB = 2048
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
        for part in some.split(SLAB):
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
    progress: Report | None = None,
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
        if progress is not None:
            progress(len(trained) / len(task.seeds))
    return trained


def _score(module: nn.Module, test: Samples, curve: Progress, own: Sequence[int] | None, tell: bool) -> Score:
    if curve.status == "diverged":
        return math.nan, math.nan if tell else None
    return accuracy(module, test), accuracy(module, test, only=own) if tell else None
