"""Twins of a labelled test: its inputs and its outputs permuted by fixed random permutations.

For a network without built-in geometry a twin is as hard as its test, because permuting the places of its inputs and
its outputs permutes its initial weights, which all have the same distribution. It has nothing else to do with the test,
unless the permutations leave the test nearly as it is. ``measures.dissimilarity.relative`` compares tests with twins.

A convolutional network knows which pixels are neighbours, and permuted pixels are harder for it. What keeps its initial
weights' distribution is turning and mirroring the whole picture, and exchanging its channels: seven twins of a square
picture, three of any other. Where a number is learned, it is negated in every other twin, so that twins are as often
copies as contradictions where the permutation of inputs changes little.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.base import LabelledDomain
from aiq.errors import DomainError

Samples = npt.NDArray[Any]
Moves = Literal["pixels", "picture"]
"""What a twin of pictures moves: every pixel for itself, or the picture as a whole."""


def twin_of(domain: LabelledDomain, number: int, root: int, *key: str | int, moves: Moves = "pixels") -> LabelledDomain:
    """Return a twin of a domain: in both splits the places that vary in training, and the classes, exchanged.

    A number that is learned is negated in twins of odd number (from 1 up); with ``moves`` ``picture`` pictures are
    turned and mirrored as a whole.

    Raises:
        DomainError: there are fewer than two classes, or pictures are asked for where there are none.
    """
    words = (*key, "twin", number)
    places, classes = places_that_vary(domain.train_x), domain.classes
    if moves == "picture" and not domain.is_image:
        raise DomainError(
            "twin_moves is picture, but the samples are vectors, which cannot be turned: set it to pixels or leave it "
            "out"
        )

    def exchanged(x: Samples, y: npt.NDArray[Any]) -> tuple[Samples, npt.NDArray[Any]]:
        whole = moves == "picture"
        moved = turned(x, number, root, *key) if whole else permuted_places(x, places, root, *words)
        if domain.numeric:
            return moved, -y if number % 2 else y
        return moved, deranged_labels(y, classes, root, *words)

    train_x, train_y = exchanged(domain.train_x, domain.train_y)
    test_x, test_y = exchanged(domain.test_x, domain.test_y)
    return replace(domain, train_x=train_x, train_y=train_y, test_x=test_x, test_y=test_y)


def places_that_vary(x: Samples) -> npt.NDArray[np.int64]:
    """Return the input places that differ among samples: columns, or pixels where any of their channels does."""
    flat = _flat(x)
    return np.flatnonzero((flat != flat[:1]).any(axis=(0, 1)))


def permuted_places(x: Samples, places: npt.NDArray[np.int64], root: int, *key: str | int) -> Samples:
    """Return samples with some places permuted alike in all; pixels keep their channels together, other places stay."""
    moved = _flat(x).copy()
    order = seeding.generator(root, *key, "places").permutation(places)
    moved[:, :, places] = moved[:, :, order]
    return moved.reshape(x.shape)


def turned(x: Samples, number: int, root: int, *key: str | int) -> Samples:
    """Return pictures (n, C, H, W) turned and mirrored as a whole, with their channels permuted; never as they were.

    Twins of numbers that follow one another are all different until every symmetry was used once. Where height and
    width differ, pictures are turned by half turns only.
    """
    turns = (0, 1, 2, 3) if x.shape[2] == x.shape[3] else (0, 2)
    ways = [(turn, mirror) for turn, mirror in product(turns, (False, True)) if turn or mirror]
    order = seeding.generator(root, *key, "twins", "turned").permutation(len(ways))
    turn, mirror = ways[order[(number - 1) % len(ways)]]
    channels = seeding.generator(root, *key, "twin", number, "channels").permutation(x.shape[1])
    moved = np.rot90(x[:, channels], turn, axes=(2, 3))
    return np.ascontiguousarray(moved[..., ::-1] if mirror else moved)


def deranged_labels(y: npt.NDArray[Any], classes: tuple[int, ...], root: int, *key: str | int) -> npt.NDArray[Any]:
    """Return labels (n,) renamed by a permutation of the rising classes that leaves none its own name."""
    names = np.array(classes)
    order = names[derangement(len(names), root, *key, "labels")]
    return np.asarray(order[np.searchsorted(names, y)], dtype=y.dtype)


def derangement(count: int, root: int, *key: str | int) -> npt.NDArray[np.int64]:
    """Return a permutation of 0 ... count - 1 that leaves nothing in its place; every one is equally likely."""
    if count < 2:
        raise DomainError(f"a twin needs at least 2 classes or actions to exchange, there are {count}")
    random, names = seeding.generator(root, *key), np.arange(count)
    order = random.permutation(names)
    while (order == names).any():
        order = random.permutation(names)
    return order


def _flat(x: Samples) -> Samples:
    """Return samples as (n, channels, places); a vector has one channel."""
    return x.reshape(len(x), 1 if x.ndim == 2 else x.shape[1], -1)
