"""Twins of a labelled test: its inputs and its outputs permuted by fixed random permutations.

For a network without built-in geometry a twin is as hard as its test, because permuting the places of its inputs and
its outputs permutes its initial weights, which all have the same distribution. It has nothing else to do with the test,
unless the permutations leave the test nearly as it is. ``measures.dissimilarity.relative`` compares tests with twins.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.base import LabelledDomain
from aiq.errors import DomainError

Samples = npt.NDArray[Any]


def twin_of(domain: LabelledDomain, number: int, root: int, *key: str | int) -> LabelledDomain:
    """Return a twin of a domain: in both splits the places that vary in training, and the classes, exchanged.

    Args:
        domain: of classes.
        number: of the twin, from 1 up.
        root: root seed.
        key: words that name the data set in keys of randomness.

    Raises:
        DomainError: a number is learned, or there are fewer than two classes.
    """
    if domain.numeric:
        raise DomainError(f"twin is {number}, but a number is learned: leave twin out")
    words = (*key, "twin", number)
    places, classes = places_that_vary(domain.train_x), domain.classes

    def exchanged(x: Samples, y: npt.NDArray[Any]) -> tuple[Samples, npt.NDArray[Any]]:
        return permuted_places(x, places, root, *words), deranged_labels(y, classes, root, *words)

    train_x, train_y = exchanged(domain.train_x, domain.train_y)
    test_x, test_y = exchanged(domain.test_x, domain.test_y)
    return replace(domain, train_x=train_x, train_y=train_y, test_x=test_x, test_y=test_y)


def places_that_vary(x: Samples) -> npt.NDArray[np.int64]:
    """Return the input places that are not the same in all samples: columns of vectors, pixels of pictures.

    Args:
        x: samples, (n, F) or (n, C, H, W); a pixel varies where any of its channels does.
    """
    flat = _flat(x)
    return np.flatnonzero((flat != flat[:1]).any(axis=(0, 1)))


def permuted_places(x: Samples, places: npt.NDArray[np.int64], root: int, *key: str | int) -> Samples:
    """Return samples with some places permuted, the same way in every sample; pixels keep their channels together.

    Args:
        x: samples, (n, F) or (n, C, H, W).
        places: which are moved among themselves, rising; all others stay.
        root: root seed.
        key: words of the key of randomness.
    """
    moved = _flat(x).copy()
    order = seeding.generator(root, *key, "places").permutation(places)
    moved[:, :, places] = moved[:, :, order]
    return moved.reshape(x.shape)


def deranged_labels(y: npt.NDArray[Any], classes: tuple[int, ...], root: int, *key: str | int) -> npt.NDArray[Any]:
    """Return labels renamed by a permutation of the classes that leaves none its own name.

    Drawn by repetition until no class keeps its name, so every derangement is equally likely.

    Args:
        y: labels, (n,), each one of ``classes``.
        classes: the labels that occur, rising, at least two.
        root: root seed.
        key: words of the key of randomness.

    Raises:
        DomainError: there are fewer than two classes.
    """
    if len(classes) < 2:
        raise DomainError(f"a twin needs at least 2 classes to exchange, there are {len(classes)}")
    names = np.array(classes)
    random = seeding.generator(root, *key, "labels")
    order = random.permutation(names)
    while (order == names).any():
        order = random.permutation(names)
    return np.asarray(order[np.searchsorted(names, y)], dtype=y.dtype)


def _flat(x: Samples) -> Samples:
    """Return samples as (n, channels, places); a vector has one channel."""
    return x.reshape(len(x), 1 if x.ndim == 2 else x.shape[1], -1)
