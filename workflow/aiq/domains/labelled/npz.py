"""A NumPy archive with x_train, y_train, x_test, y_test."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from numpy.lib import format
from pydantic import Field

from aiq.domains.base import DataSheet, LabelledDomain, Request, Target, locate
from aiq.domains.family import UNKNOWN, Family, Sizes
from aiq.domains.labelled.settings import OwnFiles
from aiq.domains.labelled.splits import Learned, standardise, standardised
from aiq.errors import DomainError

Array = npt.NDArray[np.generic]
LARGEST = 1e18  # of a number of a sample: its square is a float32 still
_KEYS = ("x_train", "y_train", "x_test", "y_test")
_MOST_LABELS = 100_000


class Npz(OwnFiles):
    """A NumPy archive with x_train, y_train, x_test, y_test."""

    source: Literal["npz"] = Field(description="the source: npz")
    labels: str | None = Field(None, description="name of the label space; archives that share it share labels")
    target: Target = Field(
        "classes",
        exclude_if=lambda target: target == "classes",  # younger than the fingerprints of domains
        description="what y_train and y_test hold: classes, or numbers (regression)",
    )

    @property
    def numeric(self) -> bool:
        """As the target says."""
        return self.target == "number"

    @property
    def holds(self) -> Sizes:
        """Known when it is read."""
        return replace(UNKNOWN, classes=1) if self.numeric else UNKNOWN

    @property
    def label_space(self) -> str:
        """The named space, else one of the file's own."""
        return f"npz:{self.labels or self.path}"


class _UnfitError(Exception):
    """What is wrong with an archive, as a sentence that lacks its subject."""


def _read(path: Path) -> dict[str, Array]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            lacking = [key for key in _KEYS if key not in archive.files]
            if lacking:
                raise _UnfitError(
                    f"lacks {', '.join(lacking)}: it holds {', '.join(archive.files) or 'nothing'}, "
                    f"needed are {', '.join(_KEYS)}"
                )
            return {key: archive[key] for key in _KEYS}
    except (OSError, ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        why = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
        raise _UnfitError(f"is cut short or no NumPy archive of plain arrays{why}: save it with numpy.savez") from error


def _labels(y: Array, key: str) -> npt.NDArray[np.int64]:
    """Check labels: whole numbers from 0 up, shape (n,) or (n, 1)."""
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise _UnfitError(f"has {key} of shape {y.shape}: labels are one number per sample, shape (n,)")
    if not np.issubdtype(y.dtype, np.integer):
        raise _UnfitError(f"has {key} of type {y.dtype}: labels are whole numbers 0, 1, 2, ...")
    labels = y.astype(np.int64)
    if len(labels) and labels.min() < 0:
        raise _UnfitError(f"has the label {labels.min()} in {key}: labels are whole numbers from 0 up")
    if len(labels) and labels.max() >= _MOST_LABELS:
        raise _UnfitError(f"has the label {labels.max()} in {key}: number the classes 0, 1, 2, ...")
    return labels


def _samples(x: Array, key: str) -> Array:
    """Check samples: uint8 pictures, brought to (n, C, H, W), or vectors (n, F) of finite numbers."""
    if x.ndim == 2:
        if not (np.issubdtype(x.dtype, np.integer) or np.issubdtype(x.dtype, np.floating)):
            raise _UnfitError(f"has {key} of type {x.dtype}: vectors are real numbers")
        bad = np.flatnonzero(~np.isfinite(x).all(axis=1))
        if len(bad):
            raise _UnfitError(f"has NaN or infinity in {key}, first in sample {bad[0]}: repair or remove these samples")
        if (np.abs(x).max(initial=0) if x.dtype.kind == "f" else 0) > LARGEST:
            raise _UnfitError(f"has a number of {np.abs(x).max():.3g} in {key}: bring all within {LARGEST:g}")
        return x
    if x.dtype != np.uint8:
        raise _UnfitError(f"has {key} of type {x.dtype} and shape {x.shape}: pictures are uint8, 0 ... 255")
    if x.ndim == 3:
        return x[:, np.newaxis]
    if x.ndim == 4 and x.shape[1] in (1, 3):
        return x
    if x.ndim == 4 and x.shape[3] in (1, 3):
        return np.ascontiguousarray(x.transpose(0, 3, 1, 2))
    raise _UnfitError(
        f"has {key} of shape {x.shape}: allowed are (n, F) for vectors and (n, H, W), (n, C, H, W) or (n, H, W, C) "
        "with C of 1 or 3 for pictures"
    )


def _numbers(y: Array, key: str) -> Array:
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1 or not (np.issubdtype(y.dtype, np.integer) or np.issubdtype(y.dtype, np.floating)):
        raise _UnfitError(f"has {key} of type {y.dtype} and shape {y.shape}: what is learned is one number per sample")
    if not np.isfinite(y).all():
        raise _UnfitError(f"has NaN or infinity in {key}: repair or remove these samples")
    return y


def _build(arrays: dict[str, Array], settings: Npz, request: Request) -> LabelledDomain:
    check = _numbers if settings.numeric else _labels
    train_y, test_y = (check(arrays[key], key) for key in ("y_train", "y_test"))
    train_x, test_x = (_samples(arrays[key], key) for key in ("x_train", "x_test"))
    for split, x, y in (("train", train_x, train_y), ("test", test_x, test_y)):
        if len(x) == len(y) == 0:
            raise _UnfitError(f"has no samples in x_{split}")
        if len(x) != len(y):
            raise _UnfitError(
                f"has {len(x)} samples in x_{split} and {len(y)} labels in y_{split}: one label per sample"
            )
    if train_x.shape[1:] != test_x.shape[1:]:
        raise _UnfitError(f"has training samples of shape {train_x.shape[1:]} and test samples of {test_x.shape[1:]}")
    notes: tuple[str, ...] = ()
    if train_x.ndim == 2:
        train_x, test_x = standardise(train_x, test_x)
        notes = ("features standardised by the training split",)
    if settings.numeric:
        learned = standardised(train_y, test_y)
    else:
        learned = Learned(train_y, test_y, 1 + int(max(train_y.max(), test_y.max())), (), (), "classes")
    name = Path(settings.path).name
    sheet = DataSheet(f"The archive {name}", settings.path, settings.licence, notes=(*notes, *learned.notes))
    description = settings.label_space, learned.labels, sheet, learned.target
    return LabelledDomain(request.name, train_x, learned.train, test_x, learned.test, *description)


def held(settings: Npz, request: Request) -> Sizes | None:
    """Return what an archive holds, by its headers and the labels of its training split; None where it is unfit.

    Raises:
        DomainError: there is no such archive.
    """
    path = locate(settings.path, request, "NumPy archive")
    try:
        shapes = {key: _header(path, key) for key in ("x_train", "x_test")}
        with np.load(path, allow_pickle=False) as archive:
            classes = 1 if settings.numeric else 1 + int(np.max(archive["y_train"]))
    except (OSError, ValueError, EOFError, KeyError, TypeError, zipfile.BadZipFile):
        return None
    samples = shapes["x_train"][1:]
    if len(samples) == 3 and samples[0] not in (1, 3):
        samples = (samples[2], *samples[:2])  # (H, W, C)
    shape = (1, *samples) if len(samples) == 2 else samples
    return Sizes(shapes["x_train"][0], shapes["x_test"][0], classes, shape)


def _header(path: Path, key: str) -> tuple[int, ...]:
    """Return the shape of an array of an archive without reading the array."""
    with zipfile.ZipFile(path) as archive, archive.open(f"{key}.npy") as file:
        read = {1: format.read_array_header_1_0, 2: format.read_array_header_2_0}[format.read_magic(file)[0]]
        return tuple(int(side) for side in read(file)[0])


def load_npz(settings: Npz, request: Request) -> LabelledDomain:
    """Load an archive: uint8 pictures stay as they are, vectors are standardised by the training split."""
    path = locate(settings.path, request, "NumPy archive")
    try:
        return _build(_read(path), settings, request)
    except _UnfitError as error:
        raise DomainError(f"the archive {path} {error}") from error


FAMILY = Family(
    Npz,
    load_npz,
    "a NumPy archive with x_train, y_train, x_test and y_test",
    "images (1 or 3, H, W) or vectors (F,)",
    (),
    {"source": "npz", "path": "cifar10_grey32.npz", "labels": "cifar10"},
)
