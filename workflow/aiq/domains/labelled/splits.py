"""What is learned, and which samples are for the test: classes numbered from 0 or numbers standardised, and splits.

Splits and subsets are drawn so that every class keeps its share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.base import Target
from aiq.errors import DomainError

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Learned:
    """What is learned of the samples of both splits.

    ``train`` and ``test``: labels (int64) or standardised numbers (float32), shape (n,). ``labels``: how many there
    are, 1 for a number. ``names``: of the classes. ``notes``: for the data sheet.
    """

    train: npt.NDArray[Any]
    test: npt.NDArray[Any]
    labels: int
    names: tuple[str, ...]
    notes: tuple[str, ...]
    target: Target


def standardised(train: npt.ArrayLike, test: npt.ArrayLike) -> Learned:
    """Return numbers to be learned, shifted and scaled by mean and standard deviation of the training split.

    R² does not change when numbers are shifted and scaled, the loss of a network does.

    Raises:
        DomainError: numbers are not finite, or all the same in the training split.
    """
    train_numbers, test_numbers = np.asarray(train, np.float64), np.asarray(test, np.float64)
    for what, numbers in (("training", train_numbers), ("test", test_numbers)):
        if not np.isfinite(numbers).all():
            raise DomainError(f"the numbers to be learned in the {what} split are not all finite: repair them")
    mean, deviation = float(train_numbers.mean()), float(train_numbers.std())
    if deviation == 0:
        raise DomainError(f"all numbers to be learned in the training split are {mean:g}: nothing to tell apart")
    notes = (
        f"the number to be learned has mean {mean:.6g} and standard deviation {deviation:.6g} in the training split; "
        "it is standardised by them",
        "performance is R² on the test split, clipped to [0, 1]: 0 is no better than the mean",
    )
    scaled = [((numbers - mean) / deviation).astype(np.float32) for numbers in (train_numbers, test_numbers)]
    return Learned(scaled[0], scaled[1], 1, (), notes, "number")


def numbered(train: npt.NDArray[Any], test: npt.NDArray[Any]) -> Learned:
    """Return labels of classes given as words, numbered in their order (that of numbers, where all are numbers)."""
    words = {*train, *test}
    names = sorted(words, key=float) if all(number(word) is not None for word in words) else sorted(words)
    of_name = {name: label for label, name in enumerate(names)}
    train_labels, test_labels = (np.array([of_name[word] for word in part], np.int64) for part in (train, test))
    return Learned(train_labels, test_labels, len(names), tuple(names), (), "classes")


def number(word: str) -> float | None:
    """Return a word as a finite number, or None."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


# ---- Samples drawn so that every class keeps its share -------------------------------------------


def allocate(counts: Indices, n: int, most: Indices) -> Indices:
    """Share ``n`` samples among classes in proportion to ``counts``, by largest remainders, at least 1 each.

    Counts and ``most``, what each class can give, are positive, shape (k,); n lies between k and the sum of ``most``.
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

    A class's samples are the first of a permutation that depends on the root seed, the key and the class alone, so
    larger subsets contain smaller ones (up to the rounding of shares). ``what`` is the setting's name.

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
    """Return sorted indices of ``n`` of ``count`` samples, whatever they are; larger subsets contain smaller ones."""
    if n > count:
        raise DomainError(f"{what} is {n}, but there are {count} samples: choose at most {count} or leave it out")
    return np.sort(seeding.generator(root, *key).permutation(count)[:n])


def plain_split(count: int, test_fraction: float, root: int, *key: str | int) -> tuple[Indices, Indices]:
    """Return sorted indices of a training and a test split of samples without classes, at least 2 in each."""
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


def standardise(train: npt.NDArray[np.generic], test: npt.NDArray[np.generic]) -> tuple[Floats, Floats]:
    """Shift and scale every feature by mean and standard deviation of the training split; (n, F), float32.

    A feature that is constant in the training split becomes 0 there (it is shifted, not scaled).
    """
    train64, test64 = train.astype(np.float64), test.astype(np.float64)
    mean, deviation = train64.mean(axis=0), train64.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    return ((train64 - mean) / scale).astype(np.float32), ((test64 - mean) / scale).astype(np.float32)
