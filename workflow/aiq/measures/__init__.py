"""Measures of domains, suites and agents: arrays in, frozen records out; NumPy and SciPy only.

Each package or module holds one measure and knows the others only through ``aiq.records``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.records.estimate import Floats

ZERO = 1e-9
"""What counts as zero in the space and in its hulls, as part of the largest: one tolerance for all of them.

A Gram matrix of rank k has n - k eigenvalues that are zero in exact arithmetic and come out as some 1e-16 of either
sign. A positive one would become an axis of length 1e-8, and a volume over such axes a ratio of rounding errors.
"""


def vector(what: str, values: npt.ArrayLike) -> Floats:
    """Return a non-empty one-dimensional array of numbers or refuse it."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be numbers: {error}") from error
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"{what} have shape {array.shape}; needed is one dimension with at least one entry")
    return array


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that cannot be used."""
    if not 0 < confidence < 1:
        raise InputError(f"the confidence is {confidence:g}; it must lie strictly between 0 and 1")


def bootstrap_words(units: str, count: int, resamples: int) -> str:
    """Return what the method of an estimate says about its interval."""
    if count < 2 or resamples < 2:
        return f"no interval ({count} {units}, {resamples} resamples)"
    return f"percentile bootstrap over {units}, {resamples} resamples"
