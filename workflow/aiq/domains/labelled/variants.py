"""Variants of a data set: fewer classes or samples, other pictures, noise, twins, repetition.

Applied in this order: classes, limit and limit_test, grey, size, noise, gaussian, duplicate, twin. Labels keep
their numbers in the data set's label space; those of a twin exchange them.

The draws of noise for a sample depend on the root seed, the key and the sample's number in the unreduced data set, not
on how many other samples are kept; and they are the same at every strength, so a stronger noise replaces the
pixels that a weaker one replaces, and more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.base import LabelledDomain, naming
from aiq.domains.labelled.image_folder import fit, to_grey
from aiq.domains.labelled.settings import Labelled, RandomClasses, lacking
from aiq.domains.labelled.splits import plain_subset, subset
from aiq.errors import DomainError

Samples = npt.NDArray[Any]
_TWIN = {"pixels": "input places that vary permuted", "picture": "pictures turned or mirrored"}
Indices = npt.NDArray[np.int64]
_BLOCK = 256


def _blocks(
    index: Indices, root: int, key: tuple[str | int, ...]
) -> Iterator[tuple[slice, Indices, np.random.Generator]]:
    """Yield the kept samples of each block: their rows, their numbers in it, and the block's generator."""
    for block in np.unique(index // _BLOCK):
        rows = slice(*np.searchsorted(index, (block * _BLOCK, (block + 1) * _BLOCK)))
        yield rows, index[rows] - block * _BLOCK, seeding.generator(root, *key, int(block))


def replace_uniform(
    x: Samples, index: Indices, fraction: float, low: Samples, high: Samples, root: int, *key: str | int
) -> Samples:
    """Replace entries by uniform noise, each independently with probability ``fraction``.

    A pixel of a colour picture (uint8, (n, C, H, W)) is replaced in all its channels. Pictures take whole grey levels 0
    ... 255, vectors (float32, (n, F)) uniform numbers over the feature's range [low, high]. ``index`` is the number of
    each sample in the unreduced data set, rising.
    """
    noisy = x.copy()
    places = (1, *x.shape[2:]) if x.ndim == 4 else x.shape[1:]
    for rows, local, random in _blocks(index, root, key):
        replaced = random.random((_BLOCK, *places), np.float32)[local] < fraction
        drawn: Samples
        if x.ndim == 4:
            drawn = random.integers(0, 256, (_BLOCK, *x.shape[1:]), np.uint8)[local]
        else:
            drawn = (low + random.random((_BLOCK, *x.shape[1:]), np.float32)[local] * (high - low)).astype(x.dtype)
        noisy[rows] = np.where(replaced, drawn, noisy[rows])
    return noisy


def add_gaussian(x: Samples, index: Indices, deviation: float, span: Samples, root: int, *key: str | int) -> Samples:
    """Add normal noise of standard deviation ``deviation · span``; pictures are rounded and clipped to 0 ... 255.

    ``index`` is the number of each sample in the unreduced data set, rising; ``span`` the value range: one number for
    pictures, shape (F,) for vectors.
    """
    noisy = x.copy()
    for rows, local, random in _blocks(index, root, key):
        sums = x[rows] + random.standard_normal((_BLOCK, *x.shape[1:]), np.float32)[local] * (deviation * span)
        noisy[rows] = np.clip(np.rint(sums), 0, 255) if x.dtype == np.uint8 else sums
    return noisy


# ---- The variant ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Part:
    """One split while variants are made: samples, labels and their numbers in the unreduced split."""

    name: str
    x: Samples
    y: npt.NDArray[Any]
    index: Indices

    def keep(self, rows: npt.NDArray[np.generic]) -> _Part:
        return _Part(self.name, self.x[rows], self.y[rows], self.index[rows])


def choose_classes(settings: Labelled, present: tuple[int, ...], root: int, *key: str | int) -> tuple[int, ...]:
    """Return the labels to keep, rising: the N lowest, the listed ones, or the first N of a seeded order.

    A random subset of the same draw with more classes contains the one with fewer.
    """
    asked = settings.classes
    if asked is None:
        return present
    if sentence := lacking(asked, present):
        raise DomainError(sentence)
    if isinstance(asked, list):
        return tuple(sorted(asked))
    if isinstance(asked, RandomClasses):
        order = seeding.generator(root, *key, "classes", 0).permutation(present)
        return tuple(sorted(int(label) for label in order[: asked.random]))
    return present[:asked]


def _reduce(part: _Part, settings: Labelled, kept: tuple[int, ...], root: int, key: tuple[str, ...]) -> _Part:
    if settings.classes is not None:
        part = part.keep(np.flatnonzero(np.isin(part.y, kept)))
    what = "limit" if part.name == "train" else "limit_test"
    wanted: int | None = getattr(settings, what)
    if wanted is not None and part.y.dtype == np.float32:
        part = part.keep(plain_subset(len(part.y), wanted, what, root, *key, "limit", part.name))
    elif wanted is not None:
        part = part.keep(subset(part.y, wanted, what, root, *key, "limit", part.name))
    return part


def _repaint(x: Samples, settings: Labelled) -> Samples:
    """Make pictures grey and bring them to size; vectors have neither."""
    for what, asked in (("grey", settings.grey), ("size", settings.size is not None)):
        if asked and x.ndim != 4:
            raise DomainError(f"{what} is set, but the samples are vectors of {x.shape[1]} numbers, not pictures")
    if settings.grey:
        x = to_grey(x.astype(np.uint8, copy=False))
    if settings.size is not None:
        x = fit(x.astype(np.uint8, copy=False), settings.size)
    return x


def _disturb(part: _Part, settings: Labelled, reference: Samples, root: int, key: tuple[str, ...]) -> Samples:
    """Add both kinds of noise, in units of the reference's ranges; 0 ... 255 for pictures."""
    low: Samples = np.zeros(1, np.float32)
    high: Samples = np.full(1, 255, np.float32)
    if part.x.ndim == 2:
        low, high = reference.min(axis=0), reference.max(axis=0)
    x = part.x
    if settings.noise > 0:
        x = replace_uniform(x, part.index, settings.noise, low, high, root, *key, "noise", part.name)
    if settings.gaussian > 0:
        span = np.asarray(high, np.float32) - np.asarray(low, np.float32)
        x = add_gaussian(x, part.index, settings.gaussian, span, root, *key, "gaussian", part.name)
    return x


def _notes(settings: Labelled, kept: tuple[int, ...]) -> tuple[str, ...]:
    drawn = "stratified by class" if kept else "at random"
    said = {
        "classes": f"classes kept: {', '.join(str(label) for label in kept)}",
        "limit": f"{settings.limit} training samples, drawn {drawn}",
        "limit_test": f"{settings.limit_test} test samples, drawn {drawn}",
        "grey": "grey: 0.299 R + 0.587 G + 0.114 B",
        "size": f"pictures {settings.size}x{settings.size}: larger ones averaged over areas, then padded with zeros",
        "noise": f"each pixel or entry replaced by uniform noise with probability {settings.noise:g}",
        "gaussian": f"normal noise of {settings.gaussian:g} of the value range added (pictures: rounded and clipped)",
        "twin": f"twin {settings.twin}: {_TWIN[settings.twin_moves]}, names of classes permuted or numbers negated",
        "duplicate": f"every sample {settings.duplicate} times, in both splits",
    }
    fields = Labelled.model_fields
    return tuple(text for what, text in said.items() if getattr(settings, what) != fields[what].default)


def apply(domain: LabelledDomain, settings: Labelled, root: int, key: tuple[str, ...]) -> LabelledDomain:
    """Return the variant of a data set that the settings ask for; ``key`` names it in keys of randomness.

    Raises:
        DomainError: the data set cannot give what is asked; the sentence names the domain.
    """
    with naming(domain.name):
        if domain.numeric and settings.classes is not None:
            raise DomainError("classes is set, but a number is learned, which has no classes: leave classes out")
        kept = choose_classes(settings, domain.classes, root, *key)
        parts = [
            _Part("train", domain.train_x, domain.train_y, np.arange(len(domain.train_y))),
            _Part("test", domain.test_x, domain.test_y, np.arange(len(domain.test_y))),
        ]
        parts = [_reduce(part, settings, kept, root, key) for part in parts]
        parts = [replace(part, x=_repaint(part.x, settings)) for part in parts]
        parts = [replace(part, x=_disturb(part, settings, domain.train_x, root, key)) for part in parts]
    if settings.duplicate > 1:
        parts = [
            replace(part, x=np.concatenate([part.x] * settings.duplicate), y=np.tile(part.y, settings.duplicate))
            for part in parts
        ]
    train, test = parts
    sheet = replace(domain.sheet, notes=domain.sheet.notes + _notes(settings, kept))
    made = replace(domain, train_x=train.x, train_y=train.y, test_x=test.x, test_y=test.y, sheet=sheet)
    with naming(domain.name):
        return twin_of(made, settings.twin, root, *key, moves=settings.twin_moves) if settings.twin else made


# ---- Twins ---------------------------------------------------------------------------------------
# For a network without built-in geometry a twin is as hard as its test, because permuting the places of its inputs and
# its outputs permutes its initial weights, which all have the same distribution. It has nothing else to do with the
# test, unless the permutations leave the test nearly as it is. A convolutional network knows which pixels are
# neighbours, and permuted pixels are harder for it. What keeps its initial weights' distribution is turning and
# mirroring the whole picture, and exchanging its channels: seven twins of a square picture, three of any other. A
# number that is learned is negated in every other twin, so that twins are as often copies as contradictions where the
# permutation of inputs changes little.


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
