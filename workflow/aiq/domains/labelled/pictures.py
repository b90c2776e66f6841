"""Pictures of another colour or size: grey from colour, padded or averaged to a square."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.errors import DomainError

Pictures = npt.NDArray[np.uint8]
_CHUNK = 1024
_LUMA = (19595, 38470, 7471)


def to_grey(x: Pictures) -> Pictures:
    """Turn colour pictures (n, 3, H, W) grey: 0.299 R + 0.587 G + 0.114 B (luma of ITU-R BT.601), rounded.

    The weights are those of 16-bit fixed-point arithmetic, so the result equals Pillow's mode L; grey ones stay.
    """
    if x.shape[1] == 1:
        return x
    if x.shape[1] != 3:
        raise DomainError(f"grey needs pictures of 1 or 3 channels, these have {x.shape[1]}: leave grey out")
    grey = np.empty((len(x), 1, *x.shape[2:]), np.uint8)
    for start in range(0, len(x), _CHUNK):
        part = x[start : start + _CHUNK]
        total = np.full((len(part), *x.shape[2:]), 0x8000, np.uint32)
        for channel, weight in enumerate(_LUMA):
            total += part[:, channel].astype(np.uint32) * np.uint32(weight)
        grey[start : start + len(part), 0] = total >> 16
    return grey


def _averaging(old: int, new: int) -> npt.NDArray[np.float32]:
    """Return the matrix, shape (new, old), whose row i averages the stretch [i, i + 1) · old / new of a line."""
    edges = np.arange(new + 1) * (old / new)
    pixel = np.arange(old)
    overlap = np.minimum(edges[1:, None], pixel + 1) - np.maximum(edges[:-1, None], pixel)
    shares: npt.NDArray[np.float32] = (np.clip(overlap, 0, None) * (new / old)).astype(np.float32)
    return shares


def _shrink(x: Pictures, height: int, width: int) -> Pictures:
    down, across = _averaging(x.shape[2], height), _averaging(x.shape[3], width).T
    small = np.empty((*x.shape[:2], height, width), np.uint8)
    for start in range(0, len(x), _CHUNK):
        part = x[start : start + _CHUNK].astype(np.float32)
        small[start : start + len(part)] = np.rint(down @ part @ across)
    return small


def fit(x: Pictures, size: int) -> Pictures:
    """Bring pictures (n, C, H, W) to size x size pixels without distorting them.

    A picture that is longer or wider is first made smaller by averaging over areas, its longer side to ``size``. What
    is then missing is padded with zeros, the picture in the middle (one more row below or column to the right where the
    difference is odd). No picture is enlarged.
    """
    height, width = x.shape[2:]
    longer = max(height, width)
    if longer > size:
        x = _shrink(x, max(1, round(height * size / longer)), max(1, round(width * size / longer)))
        height, width = x.shape[2:]
    if (height, width) == (size, size):
        return x
    top, left = (size - height) // 2, (size - width) // 2
    padded = np.zeros((*x.shape[:2], size, size), np.uint8)
    padded[:, :, top : top + height, left : left + width] = x
    return padded
