"""A loop compiled by numba for what torch does in several passes over memory: max pooling of two by two.

Channels are taken in blocks, so that the compiler makes vectors of them; the last block overlaps the one before it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq.compilation import Compiler

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Shape = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
ZERO, TWO = np.uint64(0), np.uint64(2)  # unsigned, so that no index is read as one from the end


def _pool(raw: Floats, out: Floats, places: Integers, shape: Shape, side: tuple[np.uint64, np.uint64]) -> None:
    """Fill out and places from raw; NaN counts as the largest, and of equal numbers the first, row by row.

    ``raw`` are flat pictures (n, *side, channels), ``out`` flat ones of ``shape`` (n, side[0] // 2, side[1] // 2,
    channels), ``places`` as long: row times width plus column in the picture of ``raw``. Sizes are unsigned.
    """
    count, height, width, channels = shape
    lanes = min(channels, np.uint64(16))
    for n in range(count):
        for h in range(height):
            for w in range(width):
                to = ((n * height + h) * width + w) * channels
                place = TWO * h * side[1] + TWO * w
                top_left = (n * side[0] * side[1] + place) * channels
                top_right, bottom_left = top_left + channels, top_left + side[1] * channels
                bottom_right = bottom_left + channels
                first, below = np.int64(place), np.int64(place + side[1])
                for block in range(ZERO, channels, lanes):
                    start = min(block, channels - lanes)
                    for lane in range(lanes):
                        c = start + lane
                        most, where = raw[top_left + c], first
                        other = raw[top_right + c]
                        more = (other > most) | (other != other)
                        most, where = other if more else most, first + 1 if more else where
                        other = raw[bottom_left + c]
                        more = (other > most) | (other != other)
                        most, where = other if more else most, below if more else where
                        other = raw[bottom_right + c]
                        more = (other > most) | (other != other)
                        most, where = other if more else most, below + 1 if more else where
                        out[to + c] = most
                        places[to + c] = where


pool = Compiler(Path(__file__).parent)(_pool)
