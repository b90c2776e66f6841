"""Domains of the sanity suite, made of data that ship with scikit-learn: variants that ought to be alike or unlike.

Pictures are float32 in [0, 1] as vectors, the others standardised vectors. The data sets come from
``aiq.domains.load`` with the split of the root seed; a variant changes arrays only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt
import torch
from scipy import ndimage

from aiq import domains, seeding
from aiq.domains.base import LabelledDomain
from aiq.domains.labelled.library_sets import Sklearn
from aiq.training.data import LabelledData, MixedData

Floats = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int64]

SEED = 2025
SIDE = 8


@dataclass(frozen=True, eq=False)
class Domain:
    """Samples (n, features) and labels of both splits; domains of one ``label_space`` share their outputs."""

    name: str
    train_x: Floats
    train_y: Labels
    test_x: Floats
    test_y: Labels
    label_space: str
    outputs: int

    def data(self) -> LabelledData:
        """Return the domain by itself, with an output for each of its classes."""
        return _tensors(self, self.outputs, 0, self.train_x.shape[1])


@cache
def _loaded(name: str) -> LabelledDomain:
    return domains.load(name, Sklearn(source="sklearn", name=name), root_seed=SEED)


def plain(name: str) -> Domain:
    """Return digits, wine or breast_cancer as it is."""
    found = _loaded(name)
    scale = 255.0 if found.is_image else 1.0
    train, test = (np.asarray(x.reshape(len(x), -1) / scale, np.float32) for x in (found.train_x, found.test_x))
    return Domain(name.replace("_", "-"), train, found.train_y, test, found.test_y, name, found.labels)


def _each(domain: Domain, name: str, function: Callable[[Floats], Floats]) -> Domain:
    """Return the domain with another picture for each sample."""
    return replace(domain, name=name, train_x=function(domain.train_x), test_x=function(domain.test_x))


def upscaled(domain: Domain, side: int) -> Domain:
    """Return pictures shown at ``side`` x ``side`` pixels, linearly interpolated."""

    def larger(x: Floats) -> Floats:
        pictures = x.reshape(-1, SIDE, SIDE)
        shown = ndimage.zoom(pictures, (1, side / SIDE, side / SIDE), order=1, grid_mode=True, mode="nearest")
        return np.asarray(shown.reshape(len(x), -1), np.float32)

    return _each(domain, f"{domain.name} {side}x{side}", larger)


def padded(domain: Domain, features: int) -> Domain:
    """Return samples filled up with zeros behind."""
    return _each(
        domain, f"{domain.name} padded to {features}", lambda x: np.pad(x, ((0, 0), (0, features - x.shape[1])))
    )


def first_classes(domain: Domain, count: int) -> Domain:
    """Return the first ``count`` classes, with as many outputs."""
    train, test = domain.train_y < count, domain.test_y < count
    return Domain(
        f"{domain.name}, {count} classes",
        domain.train_x[train],
        domain.train_y[train],
        domain.test_x[test],
        domain.test_y[test],
        f"{domain.label_space} {count}",
        count,
    )


def constant(domain: Domain) -> Domain:
    """Return the samples all under label 0, with all outputs: nothing is to be learned but one answer."""
    return replace(
        domain,
        name=f"{domain.name}, one label",
        train_y=np.zeros_like(domain.train_y),
        test_y=np.zeros_like(domain.test_y),
    )


def wrong_labels(domain: Domain, share: float) -> Domain:
    """Return a share of the labels of both splits replaced by uniform ones."""

    def drawn(y: Labels, split: str) -> Labels:
        rng = seeding.generator(SEED, "sanity", "labels", domain.name, split)
        return np.where(rng.random(len(y)) < share, rng.integers(domain.outputs, size=len(y)), y)

    return replace(
        domain,
        name=f"{domain.name}, {share:.0%} labels random",
        train_y=drawn(domain.train_y, "train"),
        test_y=drawn(domain.test_y, "test"),
    )


def noisy(domain: Domain, share: float) -> Domain:
    """Return pictures with a share of the pixels replaced by uniform noise, drawn once."""
    rng = seeding.generator(SEED, "sanity", "pixels", domain.name)

    def disturbed(x: Floats) -> Floats:
        return np.where(rng.random(x.shape) < share, rng.random(x.shape), x).astype(np.float32)

    return _each(domain, f"{domain.name}, {share:.0%} pixels random", disturbed)


def duplicated(domain: Domain, times: int = 2) -> Domain:
    """Return every sample of both splits several times."""
    return replace(
        domain,
        name=f"{domain.name}, samples twice",
        train_x=np.tile(domain.train_x, (times, 1)),
        train_y=np.tile(domain.train_y, times),
        test_x=np.tile(domain.test_x, (times, 1)),
        test_y=np.tile(domain.test_y, times),
    )


def half(domain: Domain, which: int) -> Domain:
    """Return one of two disjoint halves of both splits, each drawn at random; both halves share labels."""
    parts = []
    for split, size in (("train", len(domain.train_y)), ("test", len(domain.test_y))):
        order = seeding.generator(SEED, "sanity", "halves", domain.label_space, split).permutation(size)
        parts.append(np.sort(order[which::2]))
    train, test = parts
    return replace(
        domain,
        name=f"{domain.name}-{'ab'[which]}",
        train_x=domain.train_x[train],
        train_y=domain.train_y[train],
        test_x=domain.test_x[test],
        test_y=domain.test_y[test],
    )


def permuted(domain: Domain, name: str, own_labels: bool) -> Domain:
    """Return pictures under one fixed permutation of pixels, their labels shared or of their own."""
    order = seeding.generator(SEED, "sanity", "permutation").permutation(domain.train_x.shape[1])
    space = name if own_labels else domain.label_space
    return replace(_each(domain, name, lambda x: np.ascontiguousarray(x[:, order])), label_space=space)


def rotated(domain: Domain, name: str, own_labels: bool) -> Domain:
    """Return pictures turned by a right angle, their labels shared or of their own."""

    def turned(x: Floats) -> Floats:
        pictures = np.rot90(x.reshape(-1, SIDE, SIDE), axes=(1, 2))
        return np.ascontiguousarray(pictures.reshape(len(x), -1))

    return replace(_each(domain, name, turned), label_space=name if own_labels else domain.label_space)


def renamed(domain: Domain, name: str, own_labels: bool = False) -> Domain:
    """Return the same samples under another name: a copy; its labels shared or of its own."""
    return replace(domain, name=name, label_space=name if own_labels else domain.label_space)


@dataclass(frozen=True, eq=False)
class Interface:
    """One interface for a suite: samples padded to the most features, an output for every label of every space."""

    features: int
    offsets: dict[str, int]
    outputs: int

    @classmethod
    def of(cls, suite: Sequence[Domain]) -> Interface:
        """Return the interface of a suite."""
        offsets: dict[str, int] = {}
        total = 0
        for domain in suite:
            if domain.label_space not in offsets:
                offsets[domain.label_space] = total
                total += domain.outputs
        return cls(max(domain.train_x.shape[1] for domain in suite), offsets, total)

    def data(self, domain: Domain) -> LabelledData:
        """Return a domain under the interface."""
        return _tensors(domain, self.outputs, self.offsets[domain.label_space], self.features)

    def mixed(self, first: Domain, second: Domain) -> MixedData:
        """Return two domains under the interface (or one with itself)."""
        one = self.data(first)
        same = first.name == second.name
        return MixedData(one, one if same else self.data(second), same)

    def own(self, domain: Domain) -> slice:
        """Return the outputs that stand for a domain's labels."""
        start = self.offsets[domain.label_space]
        return slice(start, start + domain.outputs)


def _tensors(domain: Domain, outputs: int, offset: int, features: int) -> LabelledData:
    """Return a domain as tensors, with zeros behind and labels counted from ``offset``."""
    behind = ((0, 0), (0, features - domain.train_x.shape[1]))
    return LabelledData(
        domain.name,
        torch.from_numpy(np.pad(domain.train_x, behind)),
        torch.from_numpy(domain.train_y + offset),
        torch.from_numpy(np.pad(domain.test_x, behind)),
        torch.from_numpy(domain.test_y + offset),
        outputs,
        1.0,
    )
