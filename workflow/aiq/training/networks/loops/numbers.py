"""The compiler of these loops, and numbers of bfloat16 inside of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from aiq.compilation import Compiler

compiler = Compiler(Path(__file__).parent)
SHIFT, ONE, HALF = np.uint32(16), np.uint32(1), np.uint32(0x7FFF)


def _low(number: np.float32) -> np.uint16:
    """Return the bits of a number rounded to bfloat16, to even where it lies between two."""
    bits = np.float32(number).view(np.uint32)
    return np.uint16((bits + HALF + ((bits >> SHIFT) & ONE)) >> SHIFT)


def _high(bits: np.uint16) -> np.float32:
    """Return the number of single precision that is the number of these bits."""
    return np.float32(np.uint32(np.uint32(bits) << SHIFT).view(np.float32))


low = compiler(_low)
high = compiler(_high)
