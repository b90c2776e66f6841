"""The random stream that the compiled loops and the plain reference share.

A stream is xoshiro256++ (Blackman and Vigna 2021): four 64-bit words, period 2**256 - 1. Its first
words come from SplitMix64 started at a mixture of a *base* (drawn from the root seed by
`aiq.seeding`) and a few integers that name the use. So every trial has streams of its own, whichever
process runs it and in whichever order.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.compilation import Compiler

Array = npt.NDArray[Any]
Function = TypeVar("Function", bound=Callable[..., Any])

_COMPILE = Compiler(Path(__file__).parent)


def compiled(function: Function) -> Function:
    """Compile ``function`` without fast-math, so that it computes what the same Python code computes."""
    return _COMPILE(function)


def compiled_leaf(function: Function) -> Function:
    """Compile a function of the inner loop, one that makes no array and no view of one.

    Numba counts references to every array that a function touches, with atomic operations that cost more
    than a cycle of the machine. A function that makes no array needs no counting (option ``_nrt``).
    """
    return _COMPILE(function, _nrt=False)


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)
_23, _41, _17, _45, _19 = np.uint64(23), np.uint64(41), np.uint64(17), np.uint64(45), np.uint64(19)
_32, _11 = np.uint64(32), np.uint64(11)
_LOW = np.uint64(0xFFFFFFFF)
_UNIT = 2.0**-53


def base(root: int, *key: seeding.Word) -> np.uint64:
    """Return the 64-bit base of the streams that ``key`` names under the root seed."""
    return np.uint64(seeding.sequence(root, "algorithmic", *key).generate_state(1, np.uint64)[0])


@compiled_leaf
def mix(word: np.uint64) -> np.uint64:
    """Return SplitMix64's output function of a 64-bit word."""
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@compiled_leaf
def start(state: Array, root: np.uint64, first: int, second: int, third: int) -> None:
    """Set ``state`` (four words) to the beginning of the stream named by a base and three integers."""
    word = mix(root + _GOLDEN)
    word = mix(word ^ (np.uint64(first) * _GOLDEN))
    word = mix((word + _GOLDEN) ^ (np.uint64(second) * _MIX_1))
    word = mix((word + _GOLDEN) ^ (np.uint64(third) * _MIX_2))
    for i in range(4):
        word = word + _GOLDEN
        state[i] = mix(word)


@compiled_leaf
def draw(state: Array) -> np.uint64:
    """Return the next 64 bits of the stream and advance it."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    total = s0 + s3
    result: np.uint64 = ((total << _23) | (total >> _41)) + s0
    shifted = s1 << _17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << _45) | (s3 >> _19)
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    return result


@compiled_leaf
def below(state: Array, bound: int) -> int:
    """Return an integer uniform on 0 .. bound - 1 without bias (Lemire 2019, on 32 bits; bound < 2**32)."""
    wide = np.uint64(bound)
    product = (draw(state) >> _32) * wide
    low = product & _LOW
    if low < wide:
        threshold = (np.uint64(0x100000000) - wide) % wide
        while low < threshold:
            product = (draw(state) >> _32) * wide
            low = product & _LOW
    return int(np.int64(product >> _32))


@compiled_leaf
def unit(state: Array) -> float:
    """Return a number uniform on [0, 1) with 53 bits."""
    return float(np.float64(draw(state) >> _11) * _UNIT)
