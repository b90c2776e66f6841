"""Noise on samples, drawn for a sample by its place in the data set.

The draws of a sample depend on the root seed, the key and the sample's number in the unreduced data set, not
on how many other samples are kept; and they are the same at every strength, so a stronger noise replaces the
pixels that a weaker one replaces, and more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding

Samples = npt.NDArray[Any]
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

    A pixel of a colour picture is replaced in all its channels. Pictures take whole grey levels 0 ... 255,
    vectors uniform numbers over the feature's range [low, high].

    Args:
        x: samples, uint8 (n, C, H, W) or float32 (n, F).
        index: number of each sample in the unreduced data set, rising, shape (n,).
        fraction: share of entries, in [0, 1].
        low: smallest value of each feature, shape (F,); not used for pictures.
        high: largest value of each feature, shape (F,); not used for pictures.
        root: root seed.
        key: words of the key of randomness.
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

    Args:
        x: samples, uint8 (n, C, H, W) or float32 (n, F).
        index: number of each sample in the unreduced data set, rising, shape (n,).
        deviation: standard deviation in units of the value range.
        span: the value range: one number for pictures, shape (F,) for vectors.
        root: root seed.
        key: words of the key of randomness.
    """
    noisy = x.copy()
    for rows, local, random in _blocks(index, root, key):
        sums = x[rows] + random.standard_normal((_BLOCK, *x.shape[1:]), np.float32)[local] * (deviation * span)
        noisy[rows] = np.clip(np.rint(sums), 0, 255) if x.dtype == np.uint8 else sums
    return noisy
