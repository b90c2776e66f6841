"""Compilation of this package's inner loops (see `aiq.compilation`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy.typing as npt

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
