"""How large a domain's data will be, as far as the configuration tells before anything is read."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from aiq.config.base import Settings
from aiq.config.control import CartPole3D, Control
from aiq.config.domains import ImageFolder, Labelled, Npz, RandomClasses, Recorded, Sklearn, Torchvision


@dataclass(frozen=True, slots=True)
class Sizes:
    """Samples, classes and shape of a domain; ``known`` is False where they are assumptions.

    ``shape`` is (features,) or (channels, height, width); a control domain has 0 samples, its classes are actions,
    and ``world`` is the memory in megabytes of one of its worlds.
    """

    train: int
    test: int
    classes: int
    shape: tuple[int, ...]
    known: bool = True
    world: float = 0.0

    @property
    def inputs(self) -> int:
        """Numbers in a sample."""
        return prod(self.shape)

    @property
    def item_bytes(self) -> int:
        """Bytes of a stored number: pictures are uint8, vectors float32."""
        return 1 if len(self.shape) == 3 else 4

    @property
    def megabytes(self) -> float:
        """Megabytes of both splits, each held once."""
        return (self.train + self.test) * self.inputs * self.item_bytes / 1e6


SKLEARN = {
    "digits": Sizes(1797, 0, 10, (1, 8, 8)),
    "wine": Sizes(178, 0, 3, (13,)),
    "breast_cancer": Sizes(569, 0, 2, (30,)),
}
"""All samples; the test split is taken from them."""

TORCHVISION = {
    "MNIST": Sizes(60_000, 10_000, 10, (1, 28, 28)),
    "FashionMNIST": Sizes(60_000, 10_000, 10, (1, 28, 28)),
    "KMNIST": Sizes(60_000, 10_000, 10, (1, 28, 28)),
    "CIFAR10": Sizes(50_000, 10_000, 10, (3, 32, 32)),
    "CIFAR100": Sizes(50_000, 10_000, 100, (3, 32, 32)),
    "SVHN": Sizes(73_257, 26_032, 10, (3, 32, 32)),
}
EMNIST = {
    "byclass": Sizes(697_932, 116_323, 62, (1, 28, 28)),
    "bymerge": Sizes(697_932, 116_323, 47, (1, 28, 28)),
    "balanced": Sizes(112_800, 18_800, 47, (1, 28, 28)),
    "letters": Sizes(124_800, 20_800, 26, (1, 28, 28)),
    "digits": Sizes(240_000, 40_000, 10, (1, 28, 28)),
    "mnist": Sizes(60_000, 10_000, 10, (1, 28, 28)),
}
UNKNOWN = Sizes(60_000, 10_000, 10, (3, 32, 32), known=False)
"""What archives and folders are taken to hold until they are read: as much as the usual image data sets."""

PLAYED = Sizes(0, 0, 2, (8,))
"""Control domains whose observations the configuration does not tell."""


PYBULLET_WORLD = 52.0
"""Megabytes of a world of CartPole3D, measured with PyBullet 3.2.7."""


def sizes(settings: Settings) -> Sizes:
    """Return what a domain will hold: from known data sets, its limits and variants, else an assumption."""
    if isinstance(settings, Control):
        return _cartpole3d(settings) if isinstance(settings, CartPole3D) else PLAYED
    if not isinstance(settings, Labelled):
        raise TypeError(f"{type(settings).__name__} is no domain's settings")
    return _varied(_source(settings), settings)


def _cartpole3d(settings: CartPole3D) -> Sizes:
    """Return what a view of CartPole3D shows: position, pole and velocities, and seven numbers a ball in `full`."""
    without_balls = 11 if settings.preset == "wsu" and settings.view != "baseline" else 10
    balls = 7 * settings.most_balls if settings.view == "full" else 0
    return Sizes(0, 0, 5, (without_balls + balls,), world=PYBULLET_WORLD)


def _source(settings: Labelled) -> Sizes:
    """Return what the source holds before it is varied."""
    if isinstance(settings, Sklearn):
        whole = SKLEARN[settings.name]
        test = round(whole.train * settings.test_fraction)
        return Sizes(whole.train - test, test, whole.classes, whole.shape)
    if isinstance(settings, Torchvision):
        return EMNIST[settings.split] if settings.name == "EMNIST" else TORCHVISION[settings.name]
    if isinstance(settings, Recorded):
        numbers, actions = (10, 5) if settings.environment == "cartpole3d" else (4, 2)
        shape = (numbers,) if settings.view == "vector" else (1, 32, 32)
        return Sizes(settings.train_samples, settings.test_samples, actions, shape)
    if isinstance(settings, Npz | ImageFolder):
        return UNKNOWN
    raise TypeError(f"the sizes of {type(settings).__name__} are not known")


def _varied(whole: Sizes, settings: Labelled) -> Sizes:
    """Return the sizes after classes, limits, duplicates and pictures have been changed."""
    classes = min(_classes(settings.classes, whole.classes), whole.classes)
    share = classes / whole.classes
    splits = []
    for samples, limit in ((whole.train, settings.limit), (whole.test, settings.limit_test)):
        kept = round(samples * share)
        splits.append((kept if limit is None else min(kept, limit)) * settings.duplicate)
    shape = whole.shape
    if len(shape) == 3:
        side = settings.size
        shape = (1 if settings.grey else shape[0], *((side, side) if side else shape[1:]))
    return Sizes(splits[0], splits[1], classes, shape, whole.known)


def _classes(asked: Any, present: int) -> int:
    """Return how many classes are kept."""
    if asked is None:
        return present
    if isinstance(asked, RandomClasses):
        return asked.random
    return len(asked) if isinstance(asked, list) else int(asked)
