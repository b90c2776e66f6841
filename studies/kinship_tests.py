"""The tests of the study of kinship: 20 labelled ones, some of them for convolutions, and six that are played."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from aiq import domains, seeding
from aiq.config import validate
from aiq.domains.base import LabelledDomain

SEED = 2025
PICTURES = ("mnist", "mnist-again", "mnist-noisy", "fashion", "fashion-noisy", "cifar", "digits")
"""Of the labelled tests, those that convolutional networks are trained on."""


def data_set(name: str, **variant: Any) -> LabelledDomain:
    """Return a data set by its name, as 8 x 8 pictures where it has any."""
    raw: dict[str, Any] = {"source": "sklearn", "name": name}
    less = {"size": 8, "limit": 1200, "limit_test": 600}
    if name in ("MNIST", "FashionMNIST"):
        raw = {"source": "torchvision", "name": name, **less}
    elif name == "CIFAR10":
        raw = {"source": "npz", "path": "cifar10_grey32.npz", "labels": "cifar10", **less}
    elif name in ("CartPole-v1", "cartpole3d"):
        raw = {"source": "recorded", "environment": name, "train_samples": 1200, "test_samples": 600}
    settings = validate(domains.FAMILIES[raw["source"]].settings, raw | variant)
    return domains.load(name, settings, root_seed=SEED, data_root=os.environ.get("AIQ_DATA_ROOT"), download=False)


def half(test: LabelledDomain, which: int) -> LabelledDomain:
    """Return every second sample: two halves share none."""
    rows = slice(which, None, 2)
    parts = {name: getattr(test, name)[rows] for name in ("train_x", "train_y", "test_x", "test_y")}
    return replace(test, **parts)


def moved(test: LabelledDomain, share: float) -> LabelledDomain:
    """Return pictures of which a share of the pixels has changed places, the same in every picture."""
    size = int(np.prod(test.shape))
    rng = seeding.generator(SEED, "kinship", "moved")
    chosen = np.sort(rng.permutation(size)[: round(share * size)])
    order = np.arange(size)
    order[chosen] = rng.permutation(chosen)

    def changed(x: Any) -> Any:
        return np.ascontiguousarray(x.reshape(len(x), -1)[:, order].reshape(x.shape))

    return replace(test, train_x=changed(test.train_x), test_x=changed(test.test_x))


def labelled() -> dict[str, LabelledDomain]:
    """Return 20 tests in eight families: pictures, tables, and what a regulator does with a pole."""
    found: dict[str, LabelledDomain] = {}
    for word, name in (("mnist", "MNIST"), ("fashion", "FashionMNIST"), ("digits", "digits")):
        whole = data_set(name)
        found |= {word: half(whole, 0), f"{word}-again": half(whole, 1), f"{word}-noisy": data_set(name, noise=0.3)}
    for word, name in (("cifar", "CIFAR10"), ("cancer", "breast_cancer"), ("wine", "wine")):
        whole = data_set(name)
        found |= {word: half(whole, 0), f"{word}-again": half(whole, 1)}
    pole, other = data_set("CartPole-v1"), data_set("cartpole3d")
    found |= {"pole": half(pole, 0), "pole-again": half(pole, 1)}
    found |= {"pole3d": half(other, 0), "pole3d-again": half(other, 1)}
    return found | {"scrambled": moved(data_set("MNIST"), 1.0)}


def played() -> dict[str, dict[str, Any]]:
    """Return six played tests in three families, in two of them the same test twice."""
    pole = {"source": "cartpole", "steps": 100}
    lake = {"source": "gymnasium", "id": "FrozenLake-v1", "bounds": [0, 1], "horizon": 50,
            "options": {"map_name": "4x4", "is_slippery": False}}  # fmt: skip
    cups = {"source": "anytime_cups", "steps": 50, "scale": [0, 1], "cups": 5}
    heavy = {**pole, "gravity": 60}
    return {"pole": pole, "pole-again": pole, "pole-heavy": heavy, "lake": lake, "lake-again": lake, "cups": cups}


def expected(a: str, b: str) -> str:
    """Return what a pair should read: ``same`` test, ``kin`` (noise, other physics), ``stranger``, or ``open``."""
    one, other = a.split("-"), b.split("-")
    if one[0] == other[0]:
        ends = {*one[1:], *other[1:]}
        return "same" if ends <= {"again"} else "kin"
    families = {one[0], other[0]}
    return "open" if families in ({"mnist", "digits"}, {"mnist", "scrambled"}) else "stranger"
