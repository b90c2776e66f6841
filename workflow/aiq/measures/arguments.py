"""What the arguments of measures have in common: vectors, resampling, the lengths and dissimilarities of a suite."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures.draws import Errors
from aiq.records.estimate import Floats

ASYMMETRY = 1e-9  # relative difference of the two orders that is taken for rounding


def vector(what: str, values: npt.ArrayLike) -> Floats:
    """Return a non-empty one-dimensional array of numbers or refuse it."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be numbers: {error}") from error
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"{what} have shape {array.shape}; needed is one dimension with at least one entry")
    return array


def check_resampling(resamples: int, confidence: float) -> None:
    """Refuse a number of resamples or a confidence that cannot be used."""
    if resamples < 0 or resamples != int(resamples):
        raise InputError(f"the number of resamples is {resamples}; it must be a whole number of at least 0")
    if not 0 < confidence < 1:
        raise InputError(f"the confidence is {confidence:g}; it must lie strictly between 0 and 1")


def bootstrap_words(units: str, count: int, resamples: int) -> str:
    """Return what the method of an estimate says about its interval."""
    if count < 2 or resamples < 2:
        return f"no interval ({count} {units}, {resamples} resamples)"
    return f"percentile bootstrap over {units}, {resamples} resamples"


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


def check_complexity(domains: tuple[str, ...], complexity: npt.ArrayLike, zero: bool = False) -> Floats:
    """Return complexities as (n,) positive finite numbers; with ``zero`` some but not all may be 0."""
    values = np.asarray(complexity, dtype=np.float64)
    if values.shape != (len(domains),):
        raise InputError(f"complexity has shape {values.shape}, expected one number for each of {len(domains)} domains")
    for name, value in zip(domains, values, strict=True):
        if not np.isfinite(value) or value < 0 or (value == 0 and not zero):
            raise InputError(
                f"the complexity of domain {name!r} is {value}; it must be a finite number "
                + ("of at least 0" if zero else "above 0")
            )
    if not values.any():
        raise InputError("every domain has length 0, so all lie at the origin and span no space; add a harder domain")
    return values


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
    domains: tuple[str, ...], dissimilarity: npt.ArrayLike, signed: bool = False
) -> tuple[Floats, Floats]:
    """Return the matrix (n, n) with a zero diagonal, exactly symmetric, and the diagonal (0 = not measured).

    ``signed`` values may lie below 0, and the diagonal is then returned without sign.
    """
    values = np.array(dissimilarity, dtype=np.float64)
    n = len(domains)
    if values.shape != (n, n):
        raise InputError(f"dissimilarity has shape {values.shape}, expected ({n}, {n}) for {n} domains")
    diagonal = np.diag(values).copy()
    diagonal[np.isnan(diagonal)] = 0.0
    np.fill_diagonal(values, diagonal)
    if signed:
        np.fill_diagonal(values, np.abs(diagonal))
        diagonal = np.abs(diagonal)
    for i, j in zip(*np.nonzero(~(np.isfinite(values) & ((values >= 0) | signed))), strict=True):
        raise InputError(
            f"the dissimilarity of {domains[i]!r} and {domains[j]!r} is {values[i, j]}; "
            "it must be a finite number" + ("" if signed else " of at least 0")
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


def check_noise(noise: npt.ArrayLike) -> Floats:
    """Return dissimilarities of identical tests, shape (k,), all positive."""
    values = np.atleast_1d(np.asarray(noise, dtype=np.float64))
    if values.ndim != 1 or values.size == 0 or not np.all(np.isfinite(values) & (values > 0)):
        raise InputError(
            f"noise is {noise!r}; it must be one or several finite dissimilarities of identical tests above 0"
        )
    return values


def check_replicates(name: str, replicates: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return bootstrap replicates of shape (B, *shape); NaN rows are left for the caller to count as failed."""
    values = np.asarray(replicates, dtype=np.float64)
    if values.ndim != len(shape) + 1 or values.shape[1:] != shape or values.shape[0] == 0:
        raise InputError(f"{name} has shape {values.shape}, expected (replicates, {', '.join(map(str, shape))})")

    low = np.min(values, where=np.isfinite(values), initial=np.inf)
    if low < 0:
        raise InputError(f"{name} holds {low}; every replicate must be at least 0")
    return values
