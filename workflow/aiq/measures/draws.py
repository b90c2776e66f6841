"""Parametric replicates of complexities and dissimilarities from their standard errors.

The geometry needs squares of dissimilarities. The square of a signed area with standard error s is too large by s^2,
so the unbiased square signed^2 - s^2 stands for it; each replicate is drawn about its root and freed of s^2 again, so
that replicates are centred at the estimate. The error of a pair has a part of its own and, where the ends of the
mixture curves were measured per domain, a part that all pairs of a domain share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aiq.measures import ZERO
from aiq.records.estimate import Floats

LEAST_SCALE = 0.2  # of the estimate's squared largest dissimilarity: a replicate's never counts as less


@dataclass(frozen=True, slots=True)
class Errors:
    """Standard errors of signed areas: ``inner`` (n, n) of each pair, ``ends`` (n,) shared by the pairs of a domain.

    ``df``: degrees of freedom of Student's t (infinite: normal). The diagonal of ``inner`` is 0.
    """

    inner: Floats
    ends: Floats
    df: float

    @property
    def variance(self) -> Floats:
        """Squared standard error of every pair, (n, n), zero diagonal."""
        ends = self.ends**2
        return np.asarray(np.where(np.eye(ends.size, dtype=bool), 0.0, self.inner**2 + ends[:, None] + ends[None, :]))

    def ordered(self, order: list[int]) -> Errors:
        """Return the same errors with the domains in another order."""
        return Errors(self.inner[np.ix_(order, order)], self.ends[order], self.df)


def debiased(signed: Floats, variance: Floats) -> Floats:
    """Return sqrt(max(0, signed^2 - variance)) with a zero diagonal, shape (..., n, n)."""
    root = np.asarray(signed**2 - variance)
    np.maximum(root, 0.0, out=root)
    np.sqrt(root, out=root)
    root[..., np.eye(root.shape[-1], dtype=bool)] = 0.0
    return root


def signal_to_noise(dissimilarity: Floats, variance: Floats) -> float:
    """Return the root mean square dissimilarity (n, n) over the root mean square standard error, off the diagonal.

    Debiased dissimilarities that are noise and nothing else give .70 (for a normal x of mean 0 and variance 1 max(0,
    x^2 - 1) has the mean .48). Infinite without any error.
    """
    off = ~np.eye(len(dissimilarity), dtype=bool)
    noise = float(variance[off].mean()) if off.any() else 0.0
    return float(np.sqrt((dissimilarity[off] ** 2).mean() / noise)) if noise > 0 else np.inf


def dissimilarities(centre: Floats, errors: Errors, count: int, rng: np.random.Generator) -> Floats:
    """Draw replicates of the debiased dissimilarities ``centre`` (n, n), (count, n, n), symmetric, zero diagonal."""
    n = errors.ends.size
    ends = _t(rng, errors.df, (count, n)) * errors.ends
    own = _t(rng, errors.df, (count, n, n))
    own *= np.triu(errors.inner, 1)
    drawn = own + own.transpose(0, 2, 1)
    drawn += centre
    drawn += ends[:, :, None] + ends[:, None, :]
    return debiased(drawn, errors.variance)


def held(signed: Floats, errors: Errors, *, own: bool = False, ends: bool = False) -> dict[str, Any]:
    """Return signed areas (n, n) and errors, options of ``space.build``, as if some errors were 0, the estimate as is.

    The debiased dissimilarities stay what they are with all errors: held are the draws, not the estimate. ``own`` are
    the parts of the pairs' own, ``ends`` those that all pairs of a domain share. The diagonal is kept.
    """
    alive = Errors(errors.inner * (not own), errors.ends * (not ends), errors.df)
    matrix = np.sqrt(debiased(signed, errors.variance) ** 2 + alive.variance)
    np.fill_diagonal(matrix, np.diag(signed))
    return {"dissimilarity": matrix, "dissimilarity_se": alive.inner, "end_se": alive.ends,
            "dissimilarity_df": alive.df}  # fmt: skip


def complexities(
    values: Floats, covariance: Floats, count: int, rng: np.random.Generator, scale: str = "plain"
) -> Floats:
    """Draw replicates of complexities, (count, n), normal with a covariance (n, n); below 0 counts as 0.

    ``scale`` is one of ``stats.jackknife.SCALES``: with ``logit`` numbers in (0, 1) stay there.
    """
    from aiq.stats import jackknife  # late: the headline draws no lengths

    steps = rng.multivariate_normal(np.zeros(values.size), covariance, size=count, method="eigh", check_valid="ignore")
    return np.asarray(np.maximum(jackknife.moved(values, steps, scale), 0.0))


def _t(rng: np.random.Generator, df: float, shape: tuple[int, ...]) -> Floats:
    return rng.standard_normal(shape) if np.isinf(df) else rng.standard_t(df, size=shape)


def scaled(dissimilarity: Floats, point: Floats) -> Floats:
    """Return replicates (B, n, n) over what they hold for the pairs that are the largest of the estimate (n, n).

    The largest of a replicate would be a second maximum over noise; the same pair carries the uncertainty of the
    scale without it.
    """
    top = float(point.max())
    if top == 0:
        return dissimilarity
    largest = point >= top * (1 - ZERO)
    square = (dissimilarity[:, largest] ** 2).mean(axis=1)
    return np.asarray(dissimilarity / np.sqrt(np.maximum(square, LEAST_SCALE * top**2))[:, None, None])
