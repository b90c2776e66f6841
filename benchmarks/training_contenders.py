"""Ways of training the same policies on the same data: ours, and the named peers it is compared with."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from aiq.config.training import Pool, Training
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.policies import networks
from aiq.policies.networks import compressed, weight_shapes
from aiq.records.trial import Architecture, Policy
from aiq.training.data import LabelledData, mixed
from aiq.training.feeds import mixture_order, shared_order
from aiq.training.reference import Samples, accuracy
from aiq.training.supervised import train_chunk, train_mixtures, weights_seed

RATE = 0.001
SEED = 20250101
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Case:
    """A comparison: the pool, the data and how long each policy trains."""

    name: str
    family: Literal["dense", "convolutional", "mixture"] = "dense"
    policies: int = 32
    width: tuple[int, int] = (1, 32)
    layers: tuple[int, int] = (1, 3)
    batch: int = 32
    samples: int = 16_000
    side: int = 32
    border: int = 0
    epochs: int = 1
    peer_policies: int = 8
    device: str = "cpu"

    @property
    def settings(self) -> Training:
        """Settings of the training."""
        adam = {"name": "adam", "learning_rate": RATE}
        told = {"epochs": self.epochs, "batch_size": self.batch, "optimizer": adam}
        return Training.model_validate(told)

    def chunk(self) -> list[Policy]:
        """Return the policies."""
        family = "dense" if self.family == "mixture" else self.family
        drawn = Pool(
            family=family,
            size=self.policies,
            policies_per_chunk=self.policies,
            width=self.width,
            layers=self.layers,
        )
        return networks.chunk(drawn, SEED, self.name, 0)


def pictures(case: Case, name: str = "pictures", seed: int = 0) -> LabelledDomain:
    """Ten kinds of blurred random pictures under strong noise, inside a border of zeros where the case has one."""
    generator = np.random.default_rng(seed)
    side, tests, classes = case.side - 2 * case.border, 1000, 10
    rough = generator.normal(size=(classes, 8, 8)).repeat(-(-side // 8), 1).repeat(-(-side // 8), 2)[:, :side, :side]
    y = generator.integers(0, classes, size=case.samples + tests)
    x = np.zeros((len(y), 1, case.side, case.side), dtype=np.uint8)
    inner = slice(case.border, case.border + side)
    for start in range(0, len(y), 4096):
        part = y[start : start + 4096]
        noisy = 128 + 25 * rough[part] + generator.normal(scale=70, size=(len(part), side, side))
        x[start : start + 4096, 0, inner, inner] = np.clip(noisy, 0, 255)
    n, sheet = case.samples, DataSheet("made for timing", "benchmarks", "none", (0, 255))
    return LabelledDomain(name, x[:n], y[:n], x[n:], y[n:], name, classes, sheet)


Round = Callable[[int], list[float]]
"""Trains the policies of one round, measures what a trial records and returns the accuracies."""


def ours(case: Case) -> Round:
    """The trainer of this project."""
    if case.family == "mixture":
        return _our_mixtures(case)
    data, chunk = LabelledData.of(pictures(case)), case.chunk()
    told = {"device": case.device}
    return lambda number: [t.performance for t in train_chunk(data, chunk, case.settings, order_seed=number, **told)]


def one_at_a_time(case: Case) -> Round:
    """One policy at a time, data preloaded as float32 tensors, fused Adam: the fair peer of the ratios."""
    if case.family == "mixture":
        return _mixtures_one_at_a_time(case)
    data, chunk, where = LabelledData.of(pictures(case)), case.chunk(), torch.device(case.device)
    x, y = data.train_x.to(where).float() * data.scale, data.train_y.to(where)
    test = Samples(data.test_x, data.test_y, data.scale, where, torch.float32)

    def run(number: int) -> list[float]:
        order = shared_order(number, len(x), None)
        found = []
        for policy in _part(chunk, number, case.peer_policies):
            module = networks.network(policy.architecture, data.shape, data.outputs, policy.seed).to(where)
            orders = (order.epoch(e, where) for e in range(case.epochs))
            _fit(module, ((x[rows], y[rows]) for rows in (part for o in orders for part in o.split(case.batch))))
            found.append(accuracy(module, test))
            compressed(module.parameters())
        return found

    return run


def data_loader(case: Case) -> Round:
    """The plain loop of tutorials: a DataLoader that makes each sample, ordinary Adam."""
    data, chunk = LabelledData.of(pictures(case)), case.chunk()
    test = Samples(data.test_x, data.test_y, data.scale, CPU, torch.float32)

    class Set(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return len(data.train_x)

        def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
            return data.train_x[index].float() * data.scale, data.train_y[index]

    def run(number: int) -> list[float]:
        found = []
        for policy in _part(chunk, number, max(1, case.peer_policies // 4)):
            module = networks.network(policy.architecture, data.shape, data.outputs, policy.seed)
            generator = torch.Generator().manual_seed(number)
            loader = torch.utils.data.DataLoader(Set(), case.batch, shuffle=True, generator=generator)
            _fit(module, (batch for _ in range(case.epochs) for batch in loader), fused=False)
            found.append(accuracy(module, test))
            compressed(module.parameters())
        return found

    return run


def vmap(case: Case) -> Round:
    """``torch.func.vmap`` over the policies of each depth, padded to the pool's width, fused Adam."""
    data, chunk, where = LabelledData.of(pictures(case)), case.chunk(), torch.device(case.device)
    x, y = data.train_x.to(where).flatten(1).float() * data.scale, data.train_y.to(where)
    test_x, test_y = data.test_x.to(where).flatten(1).float() * data.scale, data.test_y.to(where)

    def run(number: int) -> list[float]:
        order, found = shared_order(number, len(x), None), []
        for depth in range(case.layers[0], case.layers[1] + 1):
            group = [policy for policy in chunk if len(policy.architecture.widths) == depth]
            if not group:
                continue
            tensors = [tensor.to(where) for tensor in _padded(group, data, case.width[1])]
            optimizer = torch.optim.Adam(tensors, lr=RATE, fused=True)
            gradient = torch.func.vmap(torch.func.grad(_loss), in_dims=(0, None, None))
            for epoch in range(case.epochs):
                for rows in order.epoch(epoch, where).split(case.batch):
                    for tensor, slope in zip(tensors, gradient(tuple(tensors), x[rows], y[rows]), strict=True):
                        tensor.grad = slope
                    optimizer.step()
            logits = torch.func.vmap(_logits, in_dims=(0, None))(tuple(tensors), test_x)
            found += (logits.argmax(2) == test_y).float().mean(1).tolist()
            for place, policy in enumerate(group):
                shapes = weight_shapes(policy.architecture, data.shape, data.outputs)
                sizes = [size for shape in shapes for size in (shape, shape[:1])]
                compressed(t[(place, *map(slice, s))] for t, s in zip(tensors, sizes, strict=True))
        return found

    return run


CONTENDERS: dict[str, Callable[[Case], Round]] = {
    "ours": ours,
    "preloaded, fused Adam": one_at_a_time,
    "DataLoader": data_loader,
    "vmap": vmap,
}


def _part(chunk: Sequence[Policy], number: int, count: int) -> Sequence[Policy]:
    """Return every k-th policy, others each round, so that the rounds see the whole chunk."""
    step = max(1, len(chunk) // count)
    return chunk[number % step :: step]


def _fit(module: nn.Module, batches: object, fused: bool = True) -> None:
    """Train a module on batches."""
    optimizer = torch.optim.Adam(module.parameters(), lr=RATE, fused=fused)
    for x, y in batches:  # type: ignore[attr-defined]
        optimizer.zero_grad()
        functional.cross_entropy(module(x), y).backward()
        optimizer.step()


def _padded(group: Sequence[Policy], data: LabelledData, width: int) -> list[torch.Tensor]:
    """Return stacked weights and biases of policies of one depth, padded with zeros to one width."""
    nodes = [data.train_x[0].numel(), *[width] * len(group[0].architecture.widths), data.outputs]
    shapes = [s for before, after in itertools.pairwise(nodes) for s in ((after, before), (after,))]
    stacked = [torch.zeros(len(group), *shape) for shape in shapes]
    for place, policy in enumerate(group):
        weights = networks.initial_weights(policy.architecture, data.shape, data.outputs, policy.seed)
        for tensor, values in zip(stacked, weights, strict=True):
            tensor[(place, *(slice(size) for size in values.shape))] = values
    return stacked


def _logits(tensors: tuple[torch.Tensor, ...], x: torch.Tensor) -> torch.Tensor:
    """Return the logits of one dense network."""
    for layer in range(0, len(tensors), 2):
        x = functional.linear(x, tensors[layer], tensors[layer + 1])
        x = x.relu() if layer + 2 < len(tensors) else x
    return x


def _loss(tensors: tuple[torch.Tensor, ...], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy of one dense network."""
    return functional.cross_entropy(_logits(tensors, x), y)


PROPORTIONS = tuple(p / 10 for p in range(11))


def _our_mixtures(case: Case) -> Round:
    """Every proportion and repetition of a pair in one pass."""
    pair, architecture = _pair(case)

    def run(number: int) -> list[float]:
        results = train_mixtures(
            pair,
            architecture,
            case.settings,
            proportions=PROPORTIONS,
            repetitions=range(5 * number, 5 * number + 5),
            samples=case.samples,
            seed=SEED,
            device=case.device,
        )
        return [result.performance for result in results]

    return run


def _mixtures_one_at_a_time(case: Case) -> Round:
    """The same mixtures, one after the other."""
    (pair, architecture), where = _pair(case), torch.device(case.device)
    x = torch.cat([pair.first.train_x, pair.second.train_x]).to(where).float() * pair.first.scale
    y = torch.cat([pair.first.train_y, pair.second.train_y]).to(where)
    tests = [Samples(d.test_x, d.test_y, d.scale, where, torch.float32) for d in (pair.first, pair.second)]

    def run(number: int) -> list[float]:
        found = []
        for p in PROPORTIONS:
            order = mixture_order(pair, p, 5 * number, case.samples, SEED, None)
            seed = weights_seed(pair, p, 5 * number, SEED)
            module = networks.network(architecture, pair.shape, pair.outputs, seed).to(where)
            orders = (order.epoch(e, where) for e in range(case.epochs))
            _fit(module, ((x[r], y[r]) for r in (part for o in orders for part in o.split(case.batch))))
            one, two = (accuracy(module, test) for test in tests)
            found.append(p * one + (1 - p) * two)
        return found

    return run


def _pair(case: Case) -> tuple[object, Architecture]:
    """Return two domains on common ground and the network of the mixtures."""
    pair = mixed(pictures(case, "one", 1), pictures(case, "two", 2))
    return pair, Architecture("dense", (case.width[1],) * case.layers[1])
