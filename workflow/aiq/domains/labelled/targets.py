"""What is learned, made of what a source holds: classes numbered from 0, or numbers standardised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.domains.base import Target
from aiq.domains.labelled.stratify import plain_split, split
from aiq.errors import DomainError

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
    one, other = np.asarray(train, np.float64), np.asarray(test, np.float64)
    for what, numbers in (("training", one), ("test", other)):
        if not np.isfinite(numbers).all():
            raise DomainError(f"the numbers to be learned in the {what} split are not all finite: repair them")
    mean, deviation = float(one.mean()), float(one.std())
    if deviation == 0:
        raise DomainError(f"all numbers to be learned in the training split are {mean:g}: nothing to tell apart")
    notes = (
        f"the number to be learned has mean {mean:.6g} and standard deviation {deviation:.6g} in the training split; "
        "it is standardised by them",
        "performance is R² on the test split, clipped to [0, 1]: 0 is no better than the mean",
    )
    made = [((numbers - mean) / deviation).astype(np.float32) for numbers in (one, other)]
    return Learned(made[0], made[1], 1, (), notes, "number")


def numbered(train: Sequence[str], test: Sequence[str]) -> Learned:
    """Return labels of classes given as words, numbered in their order (that of numbers, where all are numbers)."""
    words = {*train, *test}
    names = sorted(words, key=float) if all(number(word) is not None for word in words) else sorted(words)
    of_name = {name: label for label, name in enumerate(names)}
    one, other = (np.array([of_name[word] for word in part], np.int64) for part in (train, test))
    return Learned(one, other, len(names), tuple(names), (), "classes")


def learned(words: Sequence[str], target: Target, column: str) -> npt.NDArray[Any]:
    """Return a column of words as what is learned: the words, or numbers.

    Raises:
        DomainError: a word is no number where one is to be learned.
    """
    if target == "classes":
        return np.array(words, dtype=object)
    found = [number(word) for word in words]
    for place, (value, word) in enumerate(zip(found, words, strict=True), start=1):
        if value is None:
            raise DomainError(f"column {column!r} has {word!r} in row {place}, no number; take target: classes")
    return np.array(found, np.float64)


def made(train: npt.NDArray[Any], test: npt.NDArray[Any], target: Target) -> Learned:
    """Return what is learned of both splits."""
    return standardised(train, test) if target == "number" else numbered(list(train), list(test))


def divided(
    values: npt.NDArray[Any], target: Target, test_fraction: float, root: int, *key: str | int
) -> tuple[Indices, Indices]:
    """Return sorted indices of a training and a test split, stratified where classes are learned."""
    if target == "number":
        return plain_split(len(values), test_fraction, root, *key, "split")
    labels = np.unique(values.astype(str), return_inverse=True)[1].astype(np.int64)
    return split(labels, test_fraction, root, *key, "split")


def number(word: str) -> float | None:
    """Return a word as a finite number, or None."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
