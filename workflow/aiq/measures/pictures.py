"""Entropies of single grey pictures: of every pixel's neighbourhood, of the histogram of grey levels."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.records.estimate import Floats

Levels = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]

_PIXELS = 2_000_000
_GREYS = 256
_HIGHEST = 65535


def grey_levels(images: npt.ArrayLike) -> Levels:
    """Return pictures as whole grey levels, shape (n, height, width).

    Whole numbers are taken as they are; real numbers must lie in [0, 1] and are rounded to 256 levels.

    Raises:
        InputError: for another shape, no pictures, whole levels outside 0 to 65535, or real numbers outside [0, 1].
    """
    pictures = np.asarray(images)
    if pictures.ndim != 3 or pictures.size == 0:
        raise InputError(f"images have shape {pictures.shape}; needed are grey pictures (n, height, width), not empty")
    if pictures.dtype.kind in "biu":
        low, high = int(pictures.min()), int(pictures.max())
        if low < 0 or high > _HIGHEST:
            raise InputError(f"grey levels span {low} to {high}; whole grey levels must lie in 0 to {_HIGHEST}")
        if high < _GREYS:
            return pictures.astype(np.uint8, copy=False)
        return pictures.astype(np.uint16, copy=False)
    if pictures.dtype.kind != "f":
        raise InputError(f"images are of type {pictures.dtype}; needed are whole grey levels or real numbers in [0, 1]")
    if not (pictures.min() >= 0 and pictures.max() <= 1):
        raise InputError(f"real grey values span {pictures.min():g} to {pictures.max():g}; they must lie in [0, 1]")
    return np.asarray(np.rint(pictures * (_GREYS - 1)), dtype=np.uint8)


def _entropy_by_equal_pairs() -> Floats:
    """Return the table [n, e] of the entropy in bits of n values among which e pairs are equal.

    Up to five values the number of equal pairs tells how they fall into groups: 5 = 3 + 2 has 3 + 1 equal
    pairs, 4 + 1 has 6, and so on, no two alike.
    """
    table = np.zeros((6, 11))
    for n in range(1, 6):
        for groups in _partitions(n, n):
            equal = sum(math.comb(g, 2) for g in groups)
            table[n, equal] = math.log2(n) - sum(g * math.log2(g) for g in groups) / n
    return table


def _partitions(n: int, largest: int) -> list[tuple[int, ...]]:
    """Return all ways to write n as a sum of whole numbers up to ``largest``, in falling order."""
    if n == 0:
        return [()]
    return [(g, *rest) for g in range(min(n, largest), 0, -1) for rest in _partitions(n - g, g)]


_TABLE = _entropy_by_equal_pairs()


def local_bits(levels: Levels) -> Floats:
    """Return each picture's mean over pixels of the entropy of the pixel and its direct neighbours, (n,), in bits.

    The disk of radius 1 around a pixel holds 5 pixels, fewer at the borders.
    """
    count, height, width = levels.shape
    sizes = np.full((height, width), 5)
    for border in (sizes[0], sizes[-1], sizes[:, 0], sizes[:, -1]):
        border -= 1
    table = _TABLE[sizes]
    rows, columns = np.indices((height, width))
    bits = np.empty(count)
    step = max(1, _PIXELS // (height * width))
    for start in range(0, count, step):
        equal = _equal_pairs(levels[start : start + step])
        bits[start : start + step] = table[rows, columns, equal].mean(axis=(1, 2))
    return bits


def _equal_pairs(x: Levels) -> npt.NDArray[np.uint8]:
    """Return, for each pixel, how many pairs of pixels in its disk have equal levels, (n, height, width)."""
    pairs = np.zeros(x.shape, dtype=np.uint8)
    beside, below = x[:, :, 1:] == x[:, :, :-1], x[:, 1:] == x[:, :-1]
    pairs[:, :, 1:] += beside  # pixel and left
    pairs[:, :, :-1] += beside  # pixel and right
    pairs[:, 1:] += below  # pixel and up
    pairs[:, :-1] += below  # pixel and down
    pairs[:, :, 1:-1] += x[:, :, 2:] == x[:, :, :-2]  # left and right
    pairs[:, 1:-1] += x[:, 2:] == x[:, :-2]  # up and down
    falling, rising = x[:, 1:, 1:] == x[:, :-1, :-1], x[:, :-1, 1:] == x[:, 1:, :-1]
    pairs[:, 1:, 1:] += rising  # up and left of the lower right pixel of the square
    pairs[:, :-1, :-1] += rising  # right and down of its upper left pixel
    pairs[:, 1:, :-1] += falling  # up and right of its lower left pixel
    pairs[:, :-1, 1:] += falling  # left and down of its upper right pixel
    return pairs


def histogram_bits(levels: Levels) -> Floats:
    """Return the Shannon entropy of each picture's grey-level histogram, (n,), in bits."""
    flat = levels.reshape(levels.shape[0], -1)
    greys = int(flat.max()) + 1
    pixels = flat.shape[1]
    weights = np.arange(pixels + 1, dtype=np.float64)
    weights[1:] *= np.log2(weights[1:])
    bits = np.empty(flat.shape[0])
    step = max(1, _PIXELS // max(pixels, greys))
    for start in range(0, flat.shape[0], step):
        block = flat[start : start + step].astype(np.int64)
        offset = np.arange(block.shape[0])[:, None] * greys
        counts = np.bincount((block + offset).ravel(), minlength=block.shape[0] * greys).reshape(-1, greys)
        bits[start : start + step] = np.log2(pixels) - weights[counts].sum(axis=1) / pixels
    return np.maximum(bits, 0)
