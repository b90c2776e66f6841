"""Compilation of this package's functions (see `aiq.compilation`), and the random stream that compiled code draws from.

The stream is SplitMix64 (Steele, Lea, Flood 2014): the state is one 64-bit word in an array of
length one, so every episode and every kind of agent starts a stream of its own from a mixed key, and
a result does not depend on which episodes ran before it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.compilation import Compiler

Array = npt.NDArray[Any]
compiled = Compiler(Path(__file__).parent)
"""Compiles a function to machine code that is kept on disk and divides as numpy does."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@compiled
def mix(word: Any) -> Any:
    """Return the 64-bit finaliser of SplitMix64 applied to an unsigned 64-bit ``word``."""
    z = (word ^ (word >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@compiled
def seeded(stream: Array, seed: Any, first: int, second: int) -> None:
    """Set ``stream`` to the start of the stream of the key (seed, first, second)."""
    inner = mix(seed + GOLDEN * np.uint64(first + 1))
    stream[0] = mix(inner + GOLDEN * np.uint64(second + 1))


@compiled
def bits(stream: Array) -> Any:
    """Advance ``stream`` and return 64 random bits."""
    stream[0] = stream[0] + GOLDEN
    return mix(stream[0])


@compiled
def below(stream: Array, bound: int) -> Any:
    """Return a uniform integer in [0, bound), bound < 2**32 (relative bias below bound / 2**32)."""
    return np.int64(((bits(stream) >> _32) * np.uint64(bound)) >> _32)


@compiled
def one_of(mask: int, word: Any, choices: Array, counts: Array) -> Any:
    """Return a uniform position among the set bits of ``mask`` (1 … 511), by the upper 32 bits of ``word``."""
    return np.int64(choices[mask, np.int64(((word >> _32) * counts[mask]) >> _32)])


def bit_choices() -> tuple[Array, Array]:
    """Return for each 9-bit mask the positions of its set bits (512, 9), int8, and their number (512,), uint64."""
    choices = np.zeros((512, 9), dtype=np.int8)
    counts = np.zeros(512, dtype=np.uint64)
    for mask in range(512):
        positions = [k for k in range(9) if mask >> k & 1]
        choices[mask, : len(positions)] = positions
        counts[mask] = len(positions)
    return choices, counts
