"""Arrays inside frozen records: own copy, double precision, not writeable."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def read_only(values: npt.ArrayLike) -> Floats:
    """Return a copy of ``values`` as a double-precision array that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def json_number(value: float) -> float | None:
    """Return a float, or None for a NaN (JSON has no NaN)."""
    number = float(value)
    return None if np.isnan(number) else number
