"""What a labelled domain is, whatever its source: its samples, its data sheet, and what reading one is told."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aiq.domains.labelled.settings import Labelled
from aiq.errors import DomainError


@dataclass(frozen=True)
class DataSheet:
    """What a person must know of a domain before using it.

    ``value_range`` is that of a sample's numbers, which ``complete`` looks up, or of a return of a control domain.
    """

    description: str
    source: str
    licence: str
    value_range: tuple[float, float] = (0.0, 255.0)
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
        with naming(self.name):
            for split, x, y in (("training", self.train_x, self.train_y), ("test", self.test_x, self.test_y)):
                if len(x) != len(y):
                    raise DomainError(f"the {split} split has {len(x)} samples and {len(y)} labels")
                if len(x) == 0:
                    raise DomainError(f"the {split} split is empty")
                if x.dtype not in (np.uint8, np.float32) or x.ndim not in (2, 4):
                    raise DomainError(f"samples are {x.dtype} of {x.ndim} axes, not images or vectors")
                if x.dtype != np.uint8 and not np.isfinite(x).all():
                    raise DomainError(f"the {split} split holds numbers that are not finite")
                self._check_labels(split, y)
            if self.train_x.shape[1:] != self.test_x.shape[1:]:
                raise DomainError("training and test samples differ in shape")
            if not self.numeric:
                self._check_classes()

    def _check_labels(self, split: str, y: npt.NDArray[Any]) -> None:
        """Refuse labels outside the space, and numbers to be learned that are not finite or all the same."""
        if not self.numeric:
            if y.min() < 0 or y.max() >= self.labels:
                raise DomainError(f"labels of the {split} split lie outside 0 ... {self.labels - 1}")
            return
        if y.dtype != np.float32 or not np.isfinite(y).all():
            raise DomainError(f"the numbers to be learned in the {split} split are not all finite")
        if y.min() == y.max():
            raise DomainError(
                f"all numbers to be learned in the {split} split are {y[0]:g}, there is nothing to tell apart"
            )

    def _check_classes(self) -> None:
        stray = np.setdiff1d(self.test_y, self.train_y)
        if len(stray):
            raise DomainError(f"the test split has class {stray[0]}, which no training sample has")
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

    ``name`` is that of the domain in the suite; ``key`` are words that name the data set in keys of randomness:
    variants of one data set share them, and they do not contain the folder it lies in. ``data_root`` is where data sets
    lie, ``download`` whether what is missing may be downloaded.
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


def locate(path: str, request: Request, what: str) -> Path:
    """Return the path from here if it exists, else the path from the folder of data sets."""
    here = Path(path).expanduser()
    there = request.data_root / here
    for place in (here, there):
        if place.exists():
            return place
    looked = f"{here.absolute()}" if here.is_absolute() else f"{here.absolute()} and {there.absolute()}"
    raise DomainError(f"there is no {what} at {looked}: correct path or set data_root")


# ---- The data sheet ------------------------------------------------------------------------------


PERFORMANCE = {
    "classes": "accuracy on the test split",
    "number": "R² on the test split (1 - squared error / squared error of the test mean), clipped to [0, 1]",
}
"""What a performance is, by target."""


def checksum(array: npt.NDArray[np.generic]) -> str:
    """Return the SHA-256 of an array's numbers, in C order and little-endian, as hexadecimal digits."""
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return hashlib.sha256(np.ascontiguousarray(little).data).hexdigest()


def complete(domain: LabelledDomain) -> LabelledDomain:
    """Add the arrays' checksums and the value range of the training split to the data sheet."""
    names = ("train_x", "train_y", "test_x", "test_y")
    checksums = {name: checksum(getattr(domain, name)) for name in names}
    span = (0.0, 255.0) if domain.is_image else (float(domain.train_x.min()), float(domain.train_x.max()))
    return replace(domain, sheet=replace(domain.sheet, value_range=span, checksums=checksums))


def _counts(y: npt.NDArray[Any]) -> dict[str, int]:
    """Return the samples of each class that occurs; of numbers, which have no classes, none."""
    if y.dtype == np.float32:
        return {}
    classes, counts = np.unique(y, return_counts=True)
    return {str(label): int(count) for label, count in zip(classes, counts, strict=True)}


def describe(domain: LabelledDomain) -> dict[str, Any]:
    """Return everything but the samples, ready for JSON: shape, type, classes, counts and the data sheet."""
    sheet = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(domain.sheet).items()}
    return {
        "name": domain.name,
        "samples": "images" if domain.is_image else "vectors",
        "shape": list(domain.shape),
        "dtype": str(domain.train_x.dtype),
        "target": domain.target,
        "performance": PERFORMANCE[domain.target],
        "label_space": domain.label_space,
        "labels": domain.labels,
        "classes": list(domain.classes),
        "train_samples": len(domain.train_y),
        "test_samples": len(domain.test_y),
        "train_counts": _counts(domain.train_y),
        "test_counts": _counts(domain.test_y),
        "sheet": sheet,
    }
