"""Errors of a whole suite: what pairs have in common, and unbiased squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.errors import InputError
from aiq.records.arrays import Floats
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.dissimilarity_parts import SuiteErrors

Pair = tuple[str, str]


def suite_errors(domains: Sequence[str], pairs: Mapping[Pair, Dissimilarity]) -> SuiteErrors:
    """Collect the signed areas of a suite and the parts of their errors.

    Args:
        domains: n names, the order of rows and columns.
        pairs: what was measured, each pair in one order, self-pairs included where they were.

    Raises:
        InputError: a pair was measured once only, twice in two orders, or names a stranger.
    """
    n = len(domains)
    signed, se, inner, df = (np.full((n, n), np.nan) for _ in range(4))
    end, df_end = np.zeros((n, n)), np.full(n, np.inf)
    for (a, b), record in pairs.items():
        if a not in domains or b not in domains:
            raise InputError(f"the pair {a}, {b} names a domain that is not among {', '.join(domains)}")
        if record.error is None:
            raise InputError(f"the pair {a}, {b} has one repetition, so its error is unknown; measure it twice or more")
        i, j = domains.index(a), domains.index(b)
        if np.isfinite(signed[i, j]):
            raise InputError(f"the pair {a}, {b} is there in both orders; join them first")
        error = record.error
        signed[[i, j], [j, i]] = record.signed.value
        se[[i, j], [j, i]] = error.se
        inner[[i, j], [j, i]] = error.se_inner if error.shared else error.se
        df[[i, j], [j, i]] = error.df_inner if error.shared else error.df
        if error.shared:
            end[i, j] = error.end_a
            df_end[i] = error.df_a
            if i != j:
                end[j, i] = error.end_b
                df_end[j] = error.df_b
    return SuiteErrors(signed, se, inner, df, end, df_end)


def suite_replicates(errors: SuiteErrors, *, resamples: int = 1000, seed: int = 0) -> Floats:
    """Draw the signed areas of a suite with the errors that its pairs share.

    Each draw is the measured area + the pair's own noise + what the error of each of its two domains' ends puts into
    it. The error of a domain is drawn once a draw, for all its pairs; each is Student t with its degrees of freedom.

    Returns:
        (resamples, n, n), symmetric, the self-pairs on the diagonal, NaN where a pair was not measured. A square of a
        draw holds the squared error twice: see ``unbiased_squares``.

    Raises:
        InputError: fewer than one draw is asked for.
    """
    if resamples < 1:
        raise InputError(f"the number of draws is {resamples}; it must be at least 1")
    n = errors.df_end.size
    rng = seeding.generator(seed, "dissimilarity", "suite")
    rows, columns = np.triu_indices(n)
    own = student(rng, errors.df_inner[rows, columns], resamples) * errors.se_inner[rows, columns]
    domain = student(rng, errors.df_end, resamples)
    drawn = np.full((resamples, n, n), np.nan)
    drawn[:, rows, columns] = errors.signed[rows, columns] + own + domain[:, rows] * errors.end[rows, columns]
    off = rows != columns
    drawn[:, rows[off], columns[off]] += domain[:, columns[off]] * errors.end[columns[off], rows[off]]
    drawn[:, columns, rows] = drawn[:, rows, columns]
    return drawn


def student(rng: np.random.Generator, df: Floats, draws: int) -> Floats:
    """Return Student draws (draws, K), normal where the degrees of freedom are infinite, NaN where unknown."""
    normal = rng.standard_normal((draws, df.size))
    finite = np.isfinite(df)
    scale = np.where(np.isnan(df), np.nan, 1.0) * np.ones((draws, df.size))
    scale[:, finite] = np.sqrt(df[finite] / rng.chisquare(df[finite], (draws, int(finite.sum()))))
    return np.asarray(normal * scale, dtype=np.float64)


def unbiased_squares(signed: npt.ArrayLike, se: npt.ArrayLike, *, drawn: bool = False) -> Floats:
    """Return signed^2 - se^2, unbiased for the square of the true area, negative where noise is larger.

    Args:
        signed: signed areas, any shape.
        se: their standard errors, broadcast to ``signed``, at least 0.
        drawn: the areas are draws about measured ones, as ``suite_replicates`` makes: they hold the error twice,
            and 2 se^2 is taken off.

    Raises:
        InputError: a standard error is negative.
    """
    error = np.asarray(se, dtype=np.float64)
    if (error < 0).any():
        raise InputError(f"a standard error is {error.min():g}; standard errors must be at least 0")
    return np.asarray(np.asarray(signed, dtype=np.float64) ** 2 - (2 if drawn else 1) * error**2)
