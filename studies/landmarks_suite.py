"""Dissimilarities of 16 variants of three image data sets, all pairs, for the study of landmarks.

MNIST, Fashion-MNIST and grey CIFAR10 as 14 by 14 pictures, 500 training and 500 test samples each; of every data set:
all classes, classes 0 to 4, classes 5 to 9, turned by a right angle, and a quarter or a half of the pixels replaced by
noise (CIFAR10 without the last and without classes 5 to 9). Networks of two layers of 32, 10 epochs, 11 proportions,
three trainings each, by the library's trainers as in the sanity suite. Labels of different data sets are apart. Signed
areas with their standard errors.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache

import numpy as np

from aiq import domains
from aiq.domains.labelled.library_sets import Sklearn, Torchvision
from aiq.domains.labelled.npz import Npz
from aiq.domains.labelled.settings import Labelled
from aiq.measures import dissimilarity
from studies.cells import Cells, Row
from studies.sanity_domains import Domain, Interface
from studies.sanity_trainings import POINTS, Mixing, mixtures

SIDE, SAMPLES = 14, 500
SETS = ("mnist", "fashion", "cifar10")
VARIANTS = ("all", "0-4", "5-9", "turned", "noise-.25", "noise-.5")
LEFT_OUT = ("cifar10 5-9", "cifar10 noise-.5")
FULL = tuple(name for a in SETS for b in VARIANTS if (name := f"{a} {b}") not in LEFT_OUT)
QUICK = ("digits all", "digits 0-4", "digits noise-.5")
HOW = Mixing(samples=SAMPLES, repetitions=3, width=32, epochs=10)


@cache
def test(name: str) -> Domain:
    """Return a variant, its samples as vectors in [0, 1]."""
    which, variant = name.split(" ")
    how: dict[str, object] = {"limit": SAMPLES, "limit_test": min(SAMPLES, 200 if which == "digits" else SAMPLES)}
    if variant in ("0-4", "5-9"):
        how["classes"] = list(range(int(variant[0]), int(variant[2]) + 1))
    if variant.startswith("noise"):
        how["noise"] = float(variant.removeprefix("noise-"))
    made: dict[str, Labelled] = {
        "digits": Sklearn.model_validate({"source": "sklearn", "name": "digits", **how}),
        "mnist": Torchvision.model_validate({"source": "torchvision", "name": "MNIST", "size": SIDE, **how}),
        "fashion": Torchvision.model_validate({"source": "torchvision", "name": "FashionMNIST", "size": SIDE, **how}),
        "cifar10": Npz.model_validate(
            {"source": "npz", "path": "cifar10_grey32.npz", "labels": "cifar10", "size": SIDE, **how}
        ),
    }
    found = domains.load(name, made[which], root_seed=0, data_root=os.environ.get("AIQ_DATA_ROOT", "data"))
    train, test_ = (np.asarray(x, dtype=np.float32) / 255 for x in (found.train_x, found.test_x))
    if variant == "turned":
        train, test_ = (np.rot90(x, axes=(2, 3)) for x in (train, test_))
    flat = [np.ascontiguousarray(x.reshape(len(x), -1)) for x in (train, test_)]
    plain = Domain(name, flat[0], found.train_y, flat[1], found.test_y, which, found.labels)
    return replace(plain, outputs=found.labels)


def pair(interface: Interface, a: str, b: str, how: Mixing) -> Row:
    """Return the signed area of a pair and its standard error."""
    accuracy = mixtures(interface, test(a), test(b), how)[..., 0]
    share = np.array(POINTS)
    curves = share * accuracy[..., 0] + (1 - share) * accuracy[..., 1]
    found = dissimilarity.measure(POINTS, curves)
    if found.error is None:
        raise ValueError(f"{a} and {b} have no standard error: {how.repetitions} repetitions are too few")
    return {"a": a, "b": b, "dissimilarity": found.signed.value, "se": found.error.se}


def run(quick: bool, cells: Cells) -> list[Row]:
    """Return a row per pair."""
    names = QUICK if quick else FULL
    interface = Interface.of([test(name) for name in names])
    how = replace(HOW, samples=100, epochs=2) if quick else HOW
    rows: list[Row] = []
    for place, a in enumerate(names):
        found = cells.of(
            {"pairs of": a, "quick": quick},
            lambda a=a, place=place: [pair(interface, a, b, how) for b in names[place + 1 :]],  # type: ignore[misc]
        )
        rows += found
    return rows


NOTES = "Pairs of different tests. A value below 0: the mixture does better than the line."
