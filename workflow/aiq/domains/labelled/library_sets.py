"""Data sets that libraries bring: those that ship with scikit-learn, and the images that torchvision reads."""

from __future__ import annotations

import lzma
import os
import pickle
import tarfile
import tempfile
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from aiq.domains.base import DataSheet, LabelledDomain, Request
from aiq.domains.family import Family, Sizes
from aiq.domains.labelled.settings import Labelled
from aiq.domains.labelled.splits import Learned, plain_split, split, standardise, standardised
from aiq.errors import DomainError
from aiq.settings import fixed

SKLEARN = {
    "digits": Sizes(1797, 0, 10, (1, 8, 8)),
    "wine": Sizes(178, 0, 3, (13,)),
    "breast_cancer": Sizes(569, 0, 2, (30,)),
    "diabetes": Sizes(442, 0, 1, (10,)),
}
"""All samples; the test split is taken from them."""


class Sklearn(Labelled):
    """Data sets that ship with scikit-learn."""

    source: Literal["sklearn"] = Field(description="the source: sklearn")
    name: Literal["digits", "wine", "breast_cancer", "diabetes"] = Field(
        description="data set; in diabetes a number is learned (regression)"
    )
    test_fraction: ClassVar = fixed(0.25)  # share of samples held out as test split, stratified

    @property
    def numeric(self) -> bool:
        """Diabetes: the progression of the disease."""
        return self.name == "diabetes"

    @property
    def label_space(self) -> str:
        """One space a data set."""
        return f"sklearn:{self.name}"

    @property
    def holds(self) -> Sizes:
        """All samples, split."""
        whole = SKLEARN[self.name]
        test = round(whole.train * self.test_fraction)
        return replace(whole, train=whole.train - test, test=test)


_DESCRIPTIONS = {
    "digits": "Handwritten digits, 8x8 grey levels (test part of the UCI set Optical Recognition of Digits)",
    "wine": "Chemical analysis of wines of three cultivars, 13 quantities (UCI Wine)",
    "breast_cancer": "Features of cell nuclei, benign or malignant, 30 quantities (UCI Breast Cancer Wisconsin)",
    "diabetes": "Progression of diabetes a year after 10 quantities were measured (Efron and others 2004)",
}
_UCI = "CC BY 4.0 (UCI Machine Learning Repository)"
_LARS = "not stated; published with Least Angle Regression (Annals of Statistics 32, 2004)"
_DIGITS_MAXIMUM = 16


def load_sklearn(settings: Sklearn, request: Request) -> LabelledDomain:
    """Load digits as pictures (1, 8, 8) of 0 ... 255, the others as standardised vectors.

    The grey levels of digits, 0 ... 16, are multiplied by 255 / 16 and rounded. The split is stratified where classes
    are learned and depends on the root seed and the data set alone.
    """
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{settings.name}")(**({"scaled": False} if settings.numeric else {}))
    share, root, key = settings.test_fraction, request.root_seed, (*request.key, "split")
    if settings.numeric:
        train, test = plain_split(len(bunch.target), share, root, *key)
        y, how = standardised(bunch.target[train], bunch.target[test]), "seeded split at random"
    else:
        labels, names = bunch.target.astype(np.int64), tuple(str(name) for name in bunch.target_names)
        train, test = split(labels, share, root, *key)
        y, how = Learned(labels[train], labels[test], len(names), names, (), "classes"), "seeded stratified split"
    if settings.name == "digits":
        x = np.rint(bunch.images * (255 / _DIGITS_MAXIMUM)).astype(np.uint8)[:, np.newaxis]
        train_x, test_x, note = x[train], x[test], "grey levels 0 ... 16 multiplied by 255 / 16"
    else:
        train_x, test_x = standardise(bunch.data[train], bunch.data[test])
        note = "features standardised by the training split"
    sheet = DataSheet(
        description=_DESCRIPTIONS[settings.name],
        source=f"scikit-learn, sklearn.datasets.load_{settings.name}",
        licence=_LARS if settings.numeric else _UCI,
        class_names=y.names,
        notes=(note, f"{how}, {share:g} of the samples are the test split", *y.notes),
    )
    space = settings.label_space
    return LabelledDomain(request.name, train_x, y.train, test_x, y.test, space, y.labels, sheet, y.target)


SKLEARN_SETS = Family(
    Sklearn,
    load_sklearn,
    "data sets that ship with scikit-learn: digits as pictures, wine, breast_cancer and diabetes as vectors",
    "digits: images (1, 8, 8); wine: vectors (13,); breast_cancer: vectors (30,); diabetes: vectors (10,)",
    ("sklearn",),
    {"source": "sklearn", "name": "digits"},
)


# ---- Data sets that torchvision reads ------------------------------------------------------------

Pictures = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.int64]


_DAMAGE = (EOFError, pickle.UnpicklingError, zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error)
_FAILURES = (*_DAMAGE, RuntimeError, OSError, ValueError, TypeError, LookupError, AssertionError)
TORCHVISION = {
    "MNIST": Sizes(60_000, 10_000, 10, (1, 28, 28)),
    "FashionMNIST": Sizes(60_000, 10_000, 10, (1, 28, 28)),
    "KMNIST": Sizes(60_000, 10_000, 10, (1, 28, 28)),
    "CIFAR10": Sizes(50_000, 10_000, 10, (3, 32, 32)),
    "CIFAR100": Sizes(50_000, 10_000, 100, (3, 32, 32)),
    "SVHN": Sizes(73_257, 26_032, 10, (3, 32, 32)),
    "EMNIST": Sizes(112_800, 18_800, 47, (1, 28, 28)),
}


def _idx(*splits: str) -> tuple[str, ...]:
    """Return the names of the files of some splits in the format of MNIST."""
    return tuple(f"{split}-{what}-ubyte" for split in splits for what in ("images-idx3", "labels-idx1"))


STORED = {
    **{
        name: tuple(f"{name}/raw/{file}" for file in _idx("train", "t10k"))
        for name in ("MNIST", "FashionMNIST", "KMNIST")
    },
    "EMNIST": tuple(f"EMNIST/raw/emnist-balanced-{file}" for file in _idx("train", "test")),
    "CIFAR10": tuple(
        f"cifar-10-batches-py/{file}"
        for file in (*(f"data_batch_{n}" for n in range(1, 6)), "test_batch", "batches.meta")
    ),
    "CIFAR100": tuple(f"cifar-100-python/{file}" for file in ("train", "test", "meta")),
    "SVHN": ("train_32x32.mat", "test_32x32.mat"),
}
"""The files that torchvision reads, below data_root."""


class Torchvision(Labelled):
    """Image data sets that torchvision loads: downloaded where allowed, else read from data_root."""

    source: Literal["torchvision"] = Field(description="the source: torchvision")
    name: Literal["MNIST", "FashionMNIST", "KMNIST", "EMNIST", "CIFAR10", "CIFAR100", "SVHN"] = Field(
        description="data set"
    )
    split: ClassVar = fixed("balanced")  # of EMNIST

    @property
    def label_space(self) -> str:
        """One space a data set."""
        return f"torchvision:{self.name}" + (f":{self.split}" if self.name == "EMNIST" else "")

    @property
    def stored(self) -> tuple[str, ...]:
        """The files that torchvision reads."""
        return STORED[self.name]

    @property
    def holds(self) -> Sizes:
        """The published counts."""
        return TORCHVISION[self.name]


@dataclass(frozen=True)
class Facts:
    """What the data sheet says, and where below data_root torchvision looks."""

    description: str
    licence: str
    place: str


FACTS = {
    "MNIST": Facts("Handwritten digits, grey 28x28", "CC BY-SA 3.0 (LeCun, Cortes, Burges)", "MNIST/raw"),
    "FashionMNIST": Facts("Articles of clothing, grey 28x28", "MIT (Zalando)", "FashionMNIST/raw"),
    "KMNIST": Facts("Cursive Japanese characters, grey 28x28", "CC BY-SA 4.0 (ROIS-CODH)", "KMNIST/raw"),
    "EMNIST": Facts("Handwritten letters and digits, grey 28x28", "not stated; from NIST database 19", "EMNIST/raw"),
    "CIFAR10": Facts("Photographs of 10 kinds of things, colour 32x32", "not stated", "cifar-10-batches-py"),
    "CIFAR100": Facts("Photographs of 100 kinds of things, colour 32x32", "not stated", "cifar-100-python"),
    "SVHN": Facts("House numbers in street views, colour 32x32", "non-commercial use only", "{train,test}_32x32.mat"),
}


def _open(settings: Torchvision, root: Path, train: bool, download: bool) -> Any:
    from torchvision import datasets

    kind = getattr(datasets, settings.name)
    if settings.name == "SVHN":
        return kind(str(root), split="train" if train else "test", download=download)
    if settings.name == "EMNIST":
        return kind(str(root), split="balanced", train=train, download=download)
    return kind(str(root), train=train, download=download)


def _download(settings: Torchvision, root: Path) -> None:
    """Download both splits to a folder of their own below ``root``, then move each file to its place.

    Every file appears whole or not at all, and two processes that do this at the same time do no harm.
    """
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".download-", dir=root) as folder:
        for train in (True, False):
            _open(settings, Path(folder), train, download=True)
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                place = root / path.relative_to(folder)
                place.parent.mkdir(parents=True, exist_ok=True)
                os.replace(path, place)


def fetch(settings: Torchvision, request: Request) -> tuple[Any, Any]:
    """Open both splits with torchvision, after a download if they are missing and that is allowed.

    Raises:
        DomainError: they are missing or damaged; says which, where it was looked and what to do.
    """
    root = request.data_root
    what = settings.name
    place = (root / FACTS[settings.name].place).absolute()
    try:
        return _open(settings, root, True, False), _open(settings, root, False, False)
    except _FAILURES as error:
        if not request.download:
            raise DomainError(
                f"{what} is missing or damaged at {place} ({_first_line(error)}): allow download, put torchvision's "
                "files there or set data_root to the folder that has them"
            ) from error
    try:
        _download(settings, root)
        return _open(settings, root, True, False), _open(settings, root, False, False)
    except _FAILURES as error:
        raise DomainError(
            f"{what} is missing or damaged at {place} and could not be downloaded ({_first_line(error)}): "
            "put torchvision's files there or set data_root to the folder that has them"
        ) from error


def _first_line(error: BaseException) -> str:
    lines = str(error).splitlines()
    return lines[0][:200] if lines else type(error).__name__


def _arrays(data: Any, name: str) -> tuple[Pictures, Labels]:
    """Return pictures (n, C, H, W) and labels of one split, whatever torchvision holds them in."""
    y = np.asarray(data.labels if name == "SVHN" else data.targets, np.int64)
    x = np.asarray(data.data)
    if x.ndim == 3:
        x = x[:, np.newaxis]
    elif name.startswith("CIFAR"):
        x = x.transpose(0, 3, 1, 2)
    if name == "EMNIST":
        x = x.transpose(0, 1, 3, 2)
    return np.ascontiguousarray(x, np.uint8), y


def load_torchvision(settings: Torchvision, request: Request) -> LabelledDomain:
    """Load a data set's own training and test split.

    EMNIST's pictures, which its files hold transposed, are turned upright.
    """
    train, test = fetch(settings, request)
    (train_x, train_y), (test_x, test_y) = _arrays(train, settings.name), _arrays(test, settings.name)
    names = [str(name) for name in getattr(train, "classes", range(10))]
    notes = ["the data set's own training and test split"]
    del train, test
    if settings.name == "EMNIST":
        notes.append("split balanced, pictures turned upright")
    facts = FACTS[settings.name]
    sheet = DataSheet(
        description=facts.description,
        source=f"torchvision.datasets.{settings.name}",
        licence=facts.licence,
        class_names=tuple(names),
        notes=tuple(notes),
    )
    return LabelledDomain(request.name, train_x, train_y, test_x, test_y, settings.label_space, len(names), sheet)


TORCHVISION_SETS = Family(
    Torchvision,
    load_torchvision,
    "image data sets that torchvision reads, downloaded where allowed",
    "images (1, 28, 28) or (3, 32, 32)",
    ("torch", "torchvision"),
    {"source": "torchvision", "name": "CIFAR10", "classes": [0, 3], "grey": True},
)
