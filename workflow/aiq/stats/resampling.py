"""Resampling, percentile intervals and probabilities of orders."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from aiq.records.arrays import Floats

# ---- The standard normal distribution where an interval of 95 % is built from a standard error ----


Z = 1.959963984540054
"""Upper 2.5 % point of the standard normal distribution: a 95 % interval is the value ± ``Z`` standard errors."""


# ---- Resampling, percentile intervals and probabilities of orders --------------------------------


Integers = npt.NDArray[np.int64]


def percentile_interval(replicates: npt.ArrayLike, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the central percentile interval of bootstrap replicates, or None with fewer than two finite ones.

    Raises:
        ValueError: ``confidence`` is outside (0, 1).
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is outside (0, 1)")
    values = np.asarray(replicates, dtype=np.float64)
    values = values[np.isfinite(values)]
    if values.size < 2:
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def cluster_resamples(groups: npt.ArrayLike, resamples: int, rng: np.random.Generator) -> Iterator[Integers]:
    """Yield index arrays of a bootstrap that draws whole groups with replacement.

    Trials that share a batch order (one chunk) are not independent, so the chunk is the unit that is
    drawn; with every trial in a group of its own this is the ordinary bootstrap.

    Args:
        groups: one group label per observation, shape (n,).
        resamples: number of resamples to yield.
        rng: source of randomness.

    Raises:
        ValueError: there are no observations, or ``groups`` is not one label each.
    """
    labels = np.asarray(groups)
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(f"group labels of shape {labels.shape} are not one label for each of some observations")
    unique, inverse = np.unique(labels, return_inverse=True)
    members = [np.flatnonzero(inverse == g).astype(np.int64) for g in range(unique.size)]
    for _ in range(resamples):
        drawn = rng.integers(unique.size, size=unique.size)
        yield np.concatenate([members[g] for g in drawn])


def rank_probabilities(replicates: npt.ArrayLike) -> Floats:
    """Return P[i, j], the share of replicates in which i is strictly above j (ties count half).

    Args:
        replicates: shape (resamples, items); resamples with a non-finite entry are left out.

    Returns:
        shape (items, items); the diagonal is 0.5. All NaN where no complete resample exists.

    Raises:
        ValueError: ``replicates`` has not two axes.
    """
    values = np.asarray(replicates, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"replicates of shape {values.shape} are not resamples of items")
    values = values[np.all(np.isfinite(values), axis=1)]
    if values.shape[0] == 0:
        return np.full((values.shape[1], values.shape[1]), np.nan)
    above = values[:, :, None] > values[:, None, :]
    equal = values[:, :, None] == values[:, None, :]
    return np.asarray(above.mean(axis=0) + 0.5 * equal.mean(axis=0), dtype=np.float64)
