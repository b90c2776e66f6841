"""Vectors of mean 0 and standard deviation 1."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def standardise(train: npt.NDArray[np.generic], test: npt.NDArray[np.generic]) -> tuple[Floats, Floats]:
    """Shift and scale every feature by the mean and standard deviation of the training split.

    A feature that is constant in the training split becomes 0 there (it is shifted, not scaled).

    Args:
        train: training samples, shape (n, F), finite.
        test: test samples, shape (m, F), finite.

    Returns:
        Both splits as float32 in units of the training split's standard deviation.
    """
    train64, test64 = train.astype(np.float64), test.astype(np.float64)
    mean, deviation = train64.mean(axis=0), train64.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    return ((train64 - mean) / scale).astype(np.float32), ((test64 - mean) / scale).astype(np.float32)
