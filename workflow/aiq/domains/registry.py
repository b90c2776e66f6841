"""Which families of labelled domains there are, and how one is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from aiq.config.domains import ImageFolder, Labelled, Npz, Recorded, Sklearn, Torchvision
from aiq.domains import variants
from aiq.domains.base import LabelledDomain, Request, naming, random_key
from aiq.domains.family import Described, chosen
from aiq.domains.image_folder import load_image_folder
from aiq.domains.npz import load_npz
from aiq.domains.recorded import load_recorded
from aiq.domains.sheet import complete
from aiq.domains.sklearn_sets import load_sklearn
from aiq.domains.torchvision_sets import load_torchvision


@dataclass(frozen=True)
class Family(Described):
    """A family of labelled domains.

    Attributes:
        source: the word that chooses it in a configuration.
        settings: class of its settings.
        load: reads the whole data set; variants are made from what it returns.
        description: one line.
        samples: shapes of a sample.
        needs: modules that loading imports.
        example: parameters that work (for files: that would, if the files were there).
        kind: ``labelled``: arrays and labels, performance is accuracy on the test split.
        bounds: smallest and largest performance.
    """

    source: str
    settings: type[Labelled]
    load: Callable[[Labelled, Request], LabelledDomain]
    description: str
    samples: str
    needs: tuple[str, ...]
    example: Mapping[str, Any]
    kind: str = "labelled"
    bounds: tuple[float, float] = (0.0, 1.0)


_ALL = (
    Family(
        "sklearn",
        Sklearn,
        load_sklearn,
        "data sets that ship with scikit-learn: digits as pictures, wine and breast_cancer as vectors",
        "digits: images (1, 8, 8); wine: vectors (13,); breast_cancer: vectors (30,)",
        ("sklearn",),
        {"source": "sklearn", "name": "digits"},
    ),
    Family(
        "torchvision",
        Torchvision,
        load_torchvision,
        "image data sets that torchvision reads, downloaded where allowed",
        "images (1, 28, 28) or (3, 32, 32)",
        ("torch", "torchvision"),
        {"source": "torchvision", "name": "CIFAR10", "classes": [0, 3], "grey": True},
    ),
    Family(
        "npz",
        Npz,
        load_npz,
        "a NumPy archive with x_train, y_train, x_test and y_test",
        "images (1 or 3, H, W) or vectors (F,)",
        (),
        {"source": "npz", "path": "cifar10_grey32.npz", "labels": "cifar10"},
    ),
    Family(
        "image_folder",
        ImageFolder,
        load_image_folder,
        "pictures in one folder a class",
        "images (1 or 3, H, W)",
        ("PIL",),
        {"source": "image_folder", "path": "my-pictures", "size": 32, "grey": True},
    ),
    Family(
        "recorded",
        Recorded,
        load_recorded,
        "a competent agent's observations in a control problem, labelled with the actions it took",
        "vectors (4,), of cartpole3d (10,), or images (1, 32, 32)",
        ("gymnasium",),
        {"source": "recorded", "environment": "CartPole-v1", "view": "vector"},
    ),
)
FAMILIES: Mapping[str, Family] = MappingProxyType({family.source: family for family in _ALL})


def load(
    name: str, settings: Labelled, *, root_seed: int, data_root: str | None = None, download: bool = False
) -> LabelledDomain:
    """Load the domain that the settings describe.

    The same root seed gives the same arrays, whatever was loaded before and wherever the files lie; variants
    of one data set share its split.

    Args:
        name: name of the domain in the suite.
        settings: source, parameters and variant.
        root_seed: root of all randomness, a non-negative integer.
        data_root: folder where data sets lie; None stands for ``data`` in the working folder.
        download: whether a data set that is missing there may be downloaded to it.

    Raises:
        DomainError: data are missing, unreadable or unfit, or cannot give the variant.
    """
    family = chosen(FAMILIES, settings)
    key = random_key(settings)
    request = Request(name, root_seed, key, Path(data_root or "data").expanduser(), download)
    with naming(name):
        whole = family.load(settings, request)
    return complete(variants.apply(whole, settings, root_seed, key))
