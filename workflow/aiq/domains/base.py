"""What a labelled domain is, whatever its source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aiq.domains.labelled.settings import Labelled
from aiq.errors import DomainError


@dataclass(frozen=True)
class DataSheet:
    """What a person must know of a domain before using it."""

    description: str
    source: str
    licence: str
    value_range: tuple[float, float]
    class_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    checksums: dict[str, str] = field(default_factory=dict)


Target = Literal["classes", "number"]
"""What is learned of a sample: its class, or a number (regression)."""


@dataclass(frozen=True, eq=False)
class LabelledDomain:
    """Samples with labels, split into training and test.

    Arrays of x have shape (n, C, H, W) for images (uint8, 0 ... 255, to be scaled by 1/255) or (n, F) for
    vectors (float32; numbers standardised by the training split, indicators and shares of n-grams as they are).
    Labels y (int64, shape (n,)) count within the label space, 0 ... labels - 1; ``classes`` are the labels that
    occur, in rising order.

    With the target ``number`` (regression) y is float32, standardised by the training split; there is one label
    (the one output of a network) and there are no classes. Performance is then R² on the test split, clipped to
    [0, 1], instead of accuracy.
    """

    name: str
    train_x: npt.NDArray[np.generic]
    train_y: npt.NDArray[Any]
    test_x: npt.NDArray[np.generic]
    test_y: npt.NDArray[Any]
    label_space: str
    labels: int
    sheet: DataSheet
    target: Target = "classes"

    def __post_init__(self) -> None:
        """Refuse what cannot be measured: no samples, one class, labels outside the space, numbers not finite."""
        for split, x, y in (("training", self.train_x, self.train_y), ("test", self.test_x, self.test_y)):
            if len(x) != len(y):
                raise DomainError(f"domain {self.name}: the {split} split has {len(x)} samples and {len(y)} labels")
            if len(x) == 0:
                raise DomainError(f"domain {self.name}: the {split} split is empty")
            if x.dtype not in (np.uint8, np.float32) or x.ndim not in (2, 4):
                raise DomainError(f"domain {self.name}: samples are {x.dtype} of {x.ndim} axes, not images or vectors")
            if x.dtype != np.uint8 and not np.isfinite(x).all():
                raise DomainError(f"domain {self.name}: the {split} split holds numbers that are not finite")
            self._check_labels(split, y)
        if self.train_x.shape[1:] != self.test_x.shape[1:]:
            raise DomainError(f"domain {self.name}: training and test samples differ in shape")
        if not self.numeric:
            self._check_classes()

    def _check_labels(self, split: str, y: npt.NDArray[Any]) -> None:
        """Refuse labels outside the space, and numbers to be learned that are not finite or all the same."""
        if not self.numeric:
            if y.min() < 0 or y.max() >= self.labels:
                raise DomainError(
                    f"domain {self.name}: labels of the {split} split lie outside 0 ... {self.labels - 1}"
                )
            return
        if y.dtype != np.float32 or not np.isfinite(y).all():
            raise DomainError(f"domain {self.name}: the numbers to be learned in the {split} split are not all finite")
        if y.min() == y.max():
            raise DomainError(
                f"domain {self.name}: all numbers to be learned in the {split} split are {y[0]:g}, there is nothing to "
                "tell apart"
            )

    def _check_classes(self) -> None:
        """Refuse classes that only the test split has, and one class alone."""
        stray = np.setdiff1d(self.test_y, self.train_y)
        if len(stray):
            raise DomainError(f"domain {self.name}: the test split has class {stray[0]}, which no training sample has")
        if len(self.classes) < 2:
            raise DomainError(f"domain {self.name} has one class only, at least 2 are needed to measure anything")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one sample."""
        return tuple(self.train_x.shape[1:])

    @property
    def numeric(self) -> bool:
        """Whether a number is learned (regression)."""
        return self.target == "number"

    @property
    def is_image(self) -> bool:
        """Whether samples are pictures (C, H, W)."""
        return self.train_x.ndim == 4

    @property
    def classes(self) -> tuple[int, ...]:
        """Labels that occur in the training split; none where a number is learned."""
        if self.numeric:
            return ()
        return tuple(int(label) for label in np.unique(self.train_y))


@dataclass(frozen=True)
class Request:
    """What a family's loading function is told besides the settings.

    Attributes:
        name: name of the domain in the suite, for sentences and sheets.
        root_seed: root of all randomness.
        key: words that name the data set in keys of randomness; variants of one data set share them, and
            they do not contain the folder it lies in.
        data_root: folder where data sets lie; None stands for ``data`` in the working folder.
        download: whether what is missing may be downloaded.
    """

    name: str
    root_seed: int
    key: tuple[str, ...]
    data_root: Path
    download: bool


def random_key(settings: Labelled) -> tuple[str, ...]:
    """Return the words that name a data set in keys of randomness: its label space, or its file's own name."""
    if settings.files:
        return ("domain", str(getattr(settings, "source", "")), Path(settings.files[0]).name)
    return ("domain", settings.label_space)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Let every refusal inside begin with the domain's name."""
    try:
        yield
    except DomainError as error:
        begin = f"domain {name}"
        if str(error).startswith(begin):
            raise
        raise DomainError(f"{begin}: {error}") from error
