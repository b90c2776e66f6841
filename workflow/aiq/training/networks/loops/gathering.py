"""Samples gathered, scaled and rounded to bfloat16 in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.training.networks.loops.numbers import compiler, low


def _gather(table: npt.NDArray[Any], rows: npt.NDArray[np.int64], scale: float, out: npt.NDArray[np.uint16]) -> None:
    """Fill out (len(rows), width) with rows of a table (n, width) of any numbers, times ``scale``.

    Four rows at a time: they come from anywhere in memory, and four are waited for together.
    """
    factor, count = np.float32(scale), len(rows)
    for i in range(0, count - 3, 4):
        a, b, c, d = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        for j in range(out.shape[1]):
            out[i, j] = low(np.float32(table[a, j]) * factor)
            out[i + 1, j] = low(np.float32(table[b, j]) * factor)
            out[i + 2, j] = low(np.float32(table[c, j]) * factor)
            out[i + 3, j] = low(np.float32(table[d, j]) * factor)
    for i in range(count - count % 4, count):
        row = rows[i]
        for j in range(out.shape[1]):
            out[i, j] = low(np.float32(table[row, j]) * factor)


gather = compiler(_gather)
