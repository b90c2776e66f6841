"""Train one policy at a time with torch's modules and optimisers: slow, simple, what every other trainer must equal."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import torch
from torch import nn

from aiq.config.training import Adadelta, Adam, AdamW, Optimizer, Sgd, Training
from aiq.policies import networks
from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.training.data import LabelledData, MixedData
from aiq.training.orders import Order, mixture_order, shared_order
from aiq.training.records import alone_result, mixture_result, trial
from aiq.training.regression import determination
from aiq.training.stopping import Progress, Report

# ---- From an optimiser's settings to torch's own optimiser (for the reference trainer) -----------


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


# ---- Train one policy at a time with torch's modules and optimisers ------------------------------


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
    if samples.y.is_floating_point():
        return _fitness(module, samples, rows)
    if rows is None:
        rows = torch.arange(len(samples.y))
    right = 0
    with torch.no_grad():
        for part in rows.split(SLAB):
            x, y = samples.batch(part)
            logits = module(x)
            if only is None:
                right += int((logits.argmax(1) == y).sum())
            else:
                of_place = torch.tensor(list(only), device=y.device)
                right += int((of_place[logits[:, of_place].argmax(1)] == y).sum())
    return right / len(rows)


def _fitness(module: nn.Module, samples: Samples, rows: torch.Tensor | None) -> float:
    """Return how well numbers are predicted, see ``accuracy``."""
    error, some = 0.0, torch.arange(len(samples.y)) if rows is None else rows
    with torch.no_grad():
        for part in some.split(SLAB):
            x, y = samples.batch(part)
            error += float((module(x)[:, 0] - y).double().square().sum())
    return determination(error, samples.y) if rows is None else 1 - error / len(some)


def _loss(outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy of labels, or the mean squared error of numbers."""
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
    """Return the batches of an epoch, each of ``size`` rows but the last."""
    found = list(rows.split(size))
    if len(found) > 1 and len(found[-1]) < least:
        found[-2:] = [torch.cat(found[-2:])]
    return found


def _held_out(module: nn.Module, samples: Samples, rows: torch.Tensor) -> float:
    """Return the accuracy on samples held out, and leave the module in the mode in which it was."""
    training = module.training
    module.eval()
    found = accuracy(module, samples, rows)
    module.train(training)
    return found


def train_chunk(
    data: LabelledData,
    policies: Sequence[Policy],
    settings: Training,
    *,
    order_seed: int,
    device: torch.device,
    dtype: torch.dtype,
    progress: Report | None,
) -> list[Trial]:
    """Train the policies one after the other on their common batch order; see ``supervised.train_chunk``."""
    train = Samples(data.train_x, data.train_y, data.scale, device, dtype)
    test = Samples(data.test_x, data.test_y, data.scale, device, dtype)
    order = shared_order(order_seed, len(train.y), settings.convergence)
    trials = []
    for policy in policies:
        began = time.perf_counter()
        module = networks.network(policy.architecture, data.shape, data.outputs, policy.seed, dtype).to(device)
        curve = fit(module, train, order, settings)
        performance = float("nan") if curve.status == "diverged" else accuracy(module, test)
        curve.seconds = time.perf_counter() - began
        trials.append(trial(policy, data, curve, performance, list(module.parameters())))
        if progress is not None:
            progress(len(trials) / len(policies))
    return trials


def mixture_samples(data: MixedData, device: torch.device, dtype: torch.dtype) -> Samples:
    """Return both training splits as one table; kept as uint8 where both are, else in floating point."""
    parts = [data.first] if data.same else [data.first, data.second]
    y = torch.cat([part.train_y for part in parts])
    if len({(part.train_x.dtype, part.scale) for part in parts}) == 1:
        return Samples(torch.cat([part.train_x for part in parts]), y, parts[0].scale, device, dtype)
    x = torch.cat([part.train_x.to(dtype) * part.scale for part in parts])
    return Samples(x, y, 1.0, device, dtype)


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
) -> list[MixtureResult]:
    """Train the mixtures one after the other; ``members`` are (proportion, repetition, seed of the weights)."""
    train = mixture_samples(data, device, dtype)
    parts = (data.first, data.second)
    results = []
    for proportion, repetition, weights_seed in members:
        began = time.perf_counter()
        order = mixture_order(data, proportion, repetition, samples, seed, settings.convergence)
        module = networks.network(architecture, data.shape, data.outputs, weights_seed, dtype).to(device)
        curve = fit(module, train, order, settings)
        plain, told = zip(*(_scores(module, part, curve, device, dtype) for part in parts), strict=True)
        curve.seconds = time.perf_counter() - began
        results.append(mixture_result(data, architecture, (proportion, repetition), curve, plain, told))
        if progress is not None:
            progress(len(results) / len(members))
    return results


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
) -> list[AloneResult]:
    """Train a domain alone, one stream of samples after the other; see ``alone.train_alone``."""
    train = Samples(data.train_x, data.train_y, data.scale, device, dtype)
    results = []
    for (proportion, repetition, weights_seed), order in zip(members, orders, strict=True):
        began = time.perf_counter()
        module = networks.network(architecture, data.shape, data.outputs, weights_seed, dtype).to(device)
        curve = fit(module, train, order, settings)
        score = _scores(module, data, curve, device, dtype)
        curve.seconds = time.perf_counter() - began
        results.append(alone_result(data, architecture, (proportion, repetition), order, curve, score))
        if progress is not None:
            progress(len(results) / len(members))
    return results


def _scores(
    module: nn.Module, data: LabelledData, curve: Progress, device: torch.device, dtype: torch.dtype
) -> tuple[float, float | None]:
    """Return the accuracy on a test split among all outputs and among the domain's own; NaN if diverged.

    Where a number is learned there is one output, and no telling (None).
    """
    if curve.status == "diverged":
        return float("nan"), None if data.numeric else float("nan")
    test = Samples(data.test_x, data.test_y, data.scale, device, dtype)
    if data.numeric:
        return accuracy(module, test), None
    return accuracy(module, test), accuracy(module, test, only=data.own)
