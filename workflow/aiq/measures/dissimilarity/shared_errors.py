"""Errors of a whole suite: what pairs have in common, and distances by transfer.

T_AB, minus the transfer area of two domains (positive: they help each other), behaves like an inner product, so that
d^2(A, B) = T_AA + T_BB - 2 T_AB. Where proportions lie evenly about 1/2 the controls in it cancel, and d^2 is twice
the signed area between line and curve when told which domain a sample is from, less those of both domains with
themselves. So it is not free of starvation, needs no controls there, and the signed area of a control suite, where
there is nothing to be told, can stand in for the transfer area.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.errors import InputError
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.estimate import Floats
from aiq.records.matrix import SuiteErrors, TransferGeometry

Pair = tuple[str, str]


def suite_errors(domains: Sequence[str], pairs: Mapping[Pair, Dissimilarity]) -> SuiteErrors:
    """Collect signed areas and the parts of their errors, each pair in one order, rows in that of ``domains``.

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
    """Draw the signed areas of a suite with the errors that its pairs share, (resamples, n, n), NaN where not measured.

    Each draw is the measured area + the pair's own noise + what the error of each of its two domains' ends puts into
    it. The error of a domain is drawn once a draw, for all its pairs; each is Student t with its degrees of freedom. A
    square of a draw holds the squared error twice.
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


def transfer_geometry(transfer: npt.ArrayLike, se: npt.ArrayLike) -> TransferGeometry:
    """Return distances from what domains do to each other, d^2(A, B) = T_AA + T_BB - 2 T_AB with T = -transfer.

    T, positive where domains help each other, behaves like an inner product: identical domains have d = 0, whatever
    they are. The controls drop out of the squares at proportions that lie evenly about 1/2, since a domain's control
    stands in T_AA and in T_AB alike; so ``se`` is that of the pairs' own trainings only, and the pairs' errors are
    independent. (Where mixtures were not scored when told, interference can stand in for transfer.)

    Args:
        transfer: transfer areas as in ``Parts`` (positive: mixtures do worse), (n, n), symmetric, the self-pairs on
            the diagonal, NaN where not measured.
        se: standard error of each from the pair's own trainings (``Part.own``), (n, n), NaN where unknown.

    Raises:
        InputError: for matrices that are not square, not symmetric or of two shapes, or without any self-pair.
    """
    area, error = np.asarray(transfer, dtype=np.float64), np.asarray(se, dtype=np.float64)
    if area.ndim != 2 or area.shape[0] != area.shape[1] or error.shape != area.shape:
        raise InputError(f"transfer has shape {area.shape}, its errors {error.shape}; needed are two of (n, n)")
    if not np.allclose(area, area.T, rtol=0, atol=1e-12, equal_nan=True):
        raise InputError("the matrix of transfer is not symmetric; give one value for both orders of a pair")
    if (error < 0).any():
        raise InputError(f"a standard error is {np.nanmin(error):g}; standard errors must be at least 0")
    if np.isnan(np.diag(area)).all():
        raise InputError("no domain was mixed with itself; distances of transfer need the self-pairs")
    inner = -area
    own = np.diag(inner)
    squares = own[:, None] + own[None, :] - 2 * inner
    variance = np.diag(error)[:, None] ** 2 + np.diag(error)[None, :] ** 2 + 4 * error**2
    np.fill_diagonal(squares, 0.0)
    np.fill_diagonal(variance, 0.0)
    spread = np.sqrt(variance)
    distances = np.sqrt(np.maximum(0.0, squares))
    least = np.maximum(distances, np.sqrt(spread))
    around = np.divide(spread, 2 * least, out=np.zeros_like(spread), where=least > 0)
    return TransferGeometry(inner, squares, spread, distances, np.where(np.isnan(spread), np.nan, around))


def transfer_replicates(
    transfer: npt.ArrayLike, se: npt.ArrayLike, *, df: npt.ArrayLike = np.inf, resamples: int = 1000, seed: int = 0
) -> Floats:
    """Draw distances of transfer with the errors that they share: a domain's self-pair is in all its distances.

    Each draw is every area + its own error, Student t with its degrees of freedom ``df`` (broadcast to (n, n);
    infinite: normal). Squares of distances are linear in the areas, so those of the draws are centred at the estimate;
    what is returned are their roots, 0 below 0: (resamples, n, n), symmetric, zero diagonal. Areas and errors (n, n)
    must all be known.

    Raises:
        InputError: as ``transfer_geometry``; a pair or an error that is not known; fewer than one draw.
    """
    geometry = transfer_geometry(transfer, se)
    area, error = -geometry.inner, np.asarray(se, dtype=np.float64)
    if not np.isfinite(area).all() or not np.isfinite(error).all():
        raise InputError("replicates of distances by transfer need every pair, self-pairs too, with its error")
    if resamples < 1:
        raise InputError(f"the number of draws is {resamples}; it must be at least 1")
    rows, columns = np.triu_indices(len(area))
    freedom = np.broadcast_to(np.asarray(df, dtype=np.float64), area.shape)[rows, columns]
    rng = seeding.generator(seed, "dissimilarity", "transfer")
    drawn = np.empty((resamples, *area.shape))
    drawn[:, rows, columns] = area[rows, columns] + student(rng, freedom, resamples) * error[rows, columns]
    drawn[:, columns, rows] = drawn[:, rows, columns]
    own = np.diagonal(drawn, axis1=1, axis2=2)
    squares = 2 * drawn - (own[:, :, None] + own[:, None, :])
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
