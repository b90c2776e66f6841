"""Lengths and dissimilarities of a suite: what they are refused for, and replicates drawn from their standard errors.

The geometry needs squares of dissimilarities. The square of a signed area with standard error s is too large by s^2,
so the unbiased square signed^2 - s^2 stands for it; each replicate is drawn about its root and freed of s^2 again, so
that replicates are centred at the estimate. The error of a pair has a part of its own and, where the ends of the
mixture curves were measured per domain, a part that all pairs of a domain share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures import ZERO
from aiq.records.estimate import Floats

ASYMMETRY = 1e-9  # relative difference of the two orders that is taken for rounding
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


def debiased(area: Floats, variance: Floats) -> Floats:
    """Return sqrt(max(0, area^2 - variance)) with a zero diagonal, shape (..., n, n)."""
    root = np.asarray(area**2 - variance)
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
    return debiased(signed(centre, errors, count, rng), errors.variance)


def signed(centre: Floats, errors: Errors, count: int, rng: np.random.Generator) -> Floats:
    """Draw signed areas about ``centre`` (n, n), (count, n, n), symmetric: the pair's own noise and that of both ends.

    The error of a domain is drawn once a draw, for all its pairs. A square of a draw holds the squared error twice.
    The diagonal says nothing.
    """
    n = errors.ends.size
    ends = _t(rng, errors.df, (count, n)) * errors.ends
    own = _t(rng, errors.df, (count, n, n))
    own *= np.triu(errors.inner, 1)
    drawn = own + own.transpose(0, 2, 1)
    drawn += centre
    drawn += ends[:, :, None] + ends[:, None, :]
    return drawn


def held(area: Floats, errors: Errors, *, own: bool = False, ends: bool = False) -> dict[str, Any]:
    """Return signed areas (n, n) with errors as options of ``space.build``, as if some were 0, the estimate as is.

    The debiased dissimilarities stay what they are with all errors: held are the draws, not the estimate. ``own`` are
    the parts of the pairs' own, ``ends`` those that all pairs of a domain share. The diagonal is kept.
    """
    alive = Errors(errors.inner * (not own), errors.ends * (not ends), errors.df)
    matrix = np.sqrt(debiased(area, errors.variance) ** 2 + alive.variance)
    np.fill_diagonal(matrix, np.diag(area))
    return {"dissimilarity": matrix, "dissimilarity_se": alive.inner, "end_se": alive.ends,
            "dissimilarity_df": alive.df}  # fmt: skip


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


# ---- Refusal of lengths and dissimilarities that cannot make a space, in one sentence each -------


def check_names(names: Sequence[str], what: str = "domain", whole: str = "a space needs") -> tuple[str, ...]:
    """Return domains, or what else a whole consists of, as a tuple of distinct names, at least one."""
    given = tuple(str(name) for name in names)
    if not given:
        raise InputError(f"{whole} at least one {what}, none was given")
    for name in given:
        if given.count(name) > 1:
            raise InputError(f"{what} {name!r} is named {given.count(name)} times; every {what} needs its own name")
    return given


def check_covariance(domains: tuple[str, ...], error: npt.ArrayLike) -> Floats:
    """Return the covariance (n, n) of complexities from standard errors (n,) or from a covariance matrix."""
    values, n = np.asarray(error, dtype=np.float64), len(domains)
    if values.shape == (n,):
        for name, value in zip(domains, values, strict=True):
            if not np.isfinite(value) or value < 0:
                raise InputError(f"the standard error of the complexity of {name!r} is {value}; it must be at least 0")
        return np.diag(values**2)
    if values.shape != (n, n):
        raise InputError(
            f"complexity_se has shape {values.shape}, expected ({n},) standard errors or an ({n}, {n}) covariance"
        )
    lowest = float(np.linalg.eigvalsh(values)[0]) if np.all(np.isfinite(values)) else np.nan
    if not np.allclose(values, values.T) or not lowest >= -ASYMMETRY * max(float(np.trace(values)), 0.0):
        raise InputError(
            f"complexity_se is no covariance matrix: it must be symmetric with eigenvalues of at least 0, not {lowest}"
        )
    return values


def check_errors(domains: tuple[str, ...], se: npt.ArrayLike, end_se: npt.ArrayLike | None, df: float) -> Errors:
    """Return the errors of signed dissimilarities: each pair's own (n, n) and, if any, those of the ends (n,)."""
    n = len(domains)
    inner = np.array(se, dtype=np.float64)
    ends = np.zeros(n) if end_se is None else np.asarray(end_se, dtype=np.float64)
    if inner.shape != (n, n) or ends.shape != (n,):
        raise InputError(
            f"dissimilarity_se has shape {inner.shape} and end_se {ends.shape}, expected ({n}, {n}) and ({n},)"
        )
    np.fill_diagonal(inner, 0.0)
    good = np.isfinite(inner) & (inner >= 0) & (np.abs(inner - inner.T) <= ASYMMETRY * np.abs(inner))
    for i, j in zip(*np.nonzero(~good), strict=True):
        raise InputError(
            f"the standard error of the pair {domains[i]!r}, {domains[j]!r} is {inner[i, j]} (other order "
            f"{inner[j, i]}); it must be one finite number of at least 0"
        )
    for name, value in zip(domains, ends, strict=True):
        if not np.isfinite(value) or value < 0:
            raise InputError(f"the standard error of the ends of {name!r} is {value}; it must be at least 0")
    if not df > 0:
        raise InputError(f"dissimilarity_df is {df}; degrees of freedom must be above 0")
    return Errors(inner, ends, float(df))


def check_dissimilarity(
    domains: tuple[str, ...], dissimilarity: npt.ArrayLike, areas: bool = False
) -> tuple[Floats, Floats]:
    """Return the matrix (n, n) with a zero diagonal, exactly symmetric, and the diagonal (0 = not measured).

    Signed ``areas`` may lie below 0; the diagonal is returned without their sign.
    """
    values = np.array(dissimilarity, dtype=np.float64)
    n = len(domains)
    if values.shape != (n, n):
        raise InputError(f"dissimilarity has shape {values.shape}, expected ({n}, {n}) for {n} domains")
    diagonal = np.where(np.isnan(np.diag(values)), 0.0, np.diag(values))
    diagonal = np.abs(diagonal) if areas else diagonal
    np.fill_diagonal(values, diagonal)
    for i, j in zip(*np.nonzero(~(np.isfinite(values) & ((values >= 0) | areas))), strict=True):
        raise InputError(
            f"the dissimilarity of {domains[i]!r} and {domains[j]!r} is {values[i, j]}; "
            "it must be a finite number" + ("" if areas else " of at least 0")
        )
    off = ASYMMETRY * max(float(np.abs(values).max()), np.finfo(float).tiny)
    for i, j in zip(*np.nonzero(np.abs(values - values.T) > off), strict=True):
        raise InputError(
            f"the dissimilarity of {domains[i]!r} and {domains[j]!r} is {values[i, j]} but {values[j, i]} in the "
            "other order; give one value for both, for example their mean"
        )
    values = (values + values.T) / 2
    np.fill_diagonal(values, 0.0)
    return values, diagonal


def without_diagonal(dissimilarity: npt.ArrayLike) -> Floats:
    """Return a matrix with zeros on its diagonal; anything else as it is."""
    values = np.array(dissimilarity, dtype=np.float64)
    if values.ndim == 2 and values.shape[0] == values.shape[1]:
        np.fill_diagonal(values, 0.0)
    return values


def check_replicates(name: str, replicates: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return bootstrap replicates of shape (B, *shape), none below 0; NaN rows are left for the caller to count."""
    values = np.asarray(replicates, dtype=np.float64)
    if values.ndim != len(shape) + 1 or values.shape[1:] != shape or values.shape[0] == 0:
        raise InputError(f"{name} has shape {values.shape}, expected (replicates, {', '.join(map(str, shape))})")
    low = np.min(values, where=np.isfinite(values), initial=np.inf)
    if low < 0:
        raise InputError(f"{name} holds {low}; every replicate must be at least 0")
    return values
