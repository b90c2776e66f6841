"""Draw samples so that every class keeps its share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.errors import DomainError

Indices = npt.NDArray[np.int64]


def allocate(counts: Indices, n: int, most: Indices) -> Indices:
    """Share ``n`` samples among classes in proportion to ``counts``, by largest remainders.

    Args:
        counts: samples that each class has, shape (k,), all positive.
        n: samples wanted, from k to the sum of ``most``.
        most: samples that each class can give, shape (k,), from 1 to ``counts``.

    Returns:
        Samples of each class, shape (k,), at least 1 each, summing to n.
    """
    quota = n * counts / counts.sum()
    share: npt.NDArray[np.int64] = np.clip(np.floor(quota).astype(np.int64), 1, most)
    while share.sum() != n:
        step = 1 if share.sum() < n else -1
        able = share < most if step > 0 else share > 1
        lack = np.where(able, step * (quota - share), -np.inf)
        share[np.argmax(lack)] += step
    return share


def _draw(y: Indices, classes: Indices, share: Indices, root: int, key: tuple[str | int, ...]) -> Indices:
    """Return the sorted indices of the first ``share`` samples of each class's keyed permutation."""
    drawn = []
    for label, number in zip(classes, share, strict=True):
        members = np.flatnonzero(y == label)
        drawn.append(seeding.generator(root, *key, int(label)).permutation(members)[:number])
    return np.sort(np.concatenate(drawn))


def subset(y: Indices, n: int, what: str, root: int, *key: str | int) -> Indices:
    """Return sorted indices of ``n`` samples, stratified by class.

    A class's samples are the first of a permutation that depends on the root seed, the key and the class
    alone, so larger subsets contain smaller ones (up to the rounding of shares).

    Args:
        y: labels, shape (samples,).
        n: samples wanted.
        what: name of the setting, for the sentences.
        root: root seed.
        key: words of the key of randomness.

    Raises:
        DomainError: n is larger than the number of samples or smaller than the number of classes.
    """
    classes, counts = np.unique(y, return_counts=True)
    if n > len(y):
        raise DomainError(f"{what} is {n}, but there are {len(y)} samples: choose at most {len(y)} or leave it out")
    if n < len(classes):
        raise DomainError(
            f"{what} is {n}, fewer than the {len(classes)} classes: choose at least one sample a class or fewer classes"
        )
    return _draw(y, classes, allocate(counts, n, counts), root, key)


def plain_subset(count: int, n: int, what: str, root: int, *key: str | int) -> Indices:
    """Return sorted indices of ``n`` of ``count`` samples, whatever they are; larger subsets contain smaller ones.

    Raises:
        DomainError: n is larger than the number of samples.
    """
    if n > count:
        raise DomainError(f"{what} is {n}, but there are {count} samples: choose at most {count} or leave it out")
    return np.sort(seeding.generator(root, *key).permutation(count)[:n])


def plain_split(count: int, test_fraction: float, root: int, *key: str | int) -> tuple[Indices, Indices]:
    """Return sorted indices of a training and a test split of samples without classes, at least 2 in each.

    Raises:
        DomainError: fewer than 4 samples.
    """
    if count < 4:
        raise DomainError(f"there are {count} samples, at least 4 are needed to have two in each split: add samples")
    n = int(np.clip(round(test_fraction * count), 2, count - 2))
    test = plain_subset(count, n, "test_fraction", root, *key)
    return np.setdiff1d(np.arange(count), test), test


def split(y: Indices, test_fraction: float, root: int, *key: str | int) -> tuple[Indices, Indices]:
    """Return sorted indices of a training and a test split, stratified by class.

    Raises:
        DomainError: a class has one sample only, so that it cannot be in both splits.
    """
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise DomainError(
            f"class {classes[np.argmin(counts)]} has one sample, at least 2 are needed to be in both splits: "
            "add samples or leave the class out"
        )
    n = int(np.clip(round(test_fraction * len(y)), len(classes), len(y) - len(classes)))
    test = _draw(y, classes, allocate(counts, n, counts - 1), root, key)
    return np.setdiff1d(np.arange(len(y)), test), test
