"""Dissimilarities of a whole suite: errors that pairs share, distances by transfer, whether they behave as distances.

T_AB, minus the transfer area of two domains (positive: they help each other), behaves like an inner product, so that
d^2(A, B) = T_AA + T_BB - 2 T_AB. Where proportions lie evenly about 1/2 the controls in it cancel, and d^2 is twice
the signed area between line and curve when told which domain a sample is from, less those of both domains with
themselves. So it is not free of starvation, needs no controls there, and the signed area of a control suite, where
there is nothing to be told, can stand in for the transfer area.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.errors import InputError
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.estimate import Floats
from aiq.records.matrix import MatrixReport, NoiseFloor, SuiteErrors, SymmetryReport, TransferGeometry, TriangleReport

Pair = tuple[str, str]

_TINY = 1e-12


def suite_errors(domains: Sequence[str], pairs: Mapping[Pair, Dissimilarity]) -> SuiteErrors:
    """Collect signed areas and the parts of their errors, each pair measured in one order, rows as ``domains``.

    Raises:
        InputError: a pair was measured once only, twice in two orders, or names a stranger.
    """
    n = len(domains)
    signed, se, inner, df = (np.full((n, n), np.nan) for _ in range(4))
    end, df_end = np.zeros((n, n)), np.full(n, np.inf)
    for (a, b), record in pairs.items():
        if record.error is None:
            raise InputError(f"the pair {a}, {b} has one repetition, so its error is unknown; measure it twice or more")
        i, j, error = domains.index(a), domains.index(b), record.error
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


def _student(rng: np.random.Generator, df: Floats, draws: int) -> Floats:
    """Return Student draws (draws, K), normal where the degrees of freedom (K,) are infinite."""
    normal = rng.standard_normal((draws, df.size))
    finite = np.isfinite(df)
    scale = np.ones((draws, df.size))
    scale[:, finite] = np.sqrt(df[finite] / rng.chisquare(df[finite], (draws, int(finite.sum()))))
    return np.asarray(normal * scale, dtype=np.float64)


def transfer_geometry(transfer: npt.ArrayLike, se: npt.ArrayLike) -> TransferGeometry:
    """Return distances from what domains do to each other, d^2(A, B) = T_AA + T_BB - 2 T_AB with T = -transfer.

    ``transfer`` (n, n), symmetric, are areas as in ``Parts`` (positive: mixtures do worse), the self-pairs on the
    diagonal, NaN where not measured; ``se`` their standard errors from the pair's own trainings (``Part.own``). T,
    positive where domains help each other, behaves like an inner product: identical domains have d = 0, whatever they
    are. The controls drop out of the squares at proportions that lie evenly about 1/2, since a domain's control stands
    in T_AA and in T_AB alike, so the pairs' errors are independent. (Where mixtures were not scored when told,
    interference can stand in.)

    Raises:
        InputError: there is no self-pair.
    """
    area, error = np.asarray(transfer, dtype=np.float64), np.asarray(se, dtype=np.float64)
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
    rows, columns = np.triu_indices(len(area))
    freedom = np.broadcast_to(np.asarray(df, dtype=np.float64), area.shape)[rows, columns]
    rng = seeding.generator(seed, "dissimilarity", "transfer")
    drawn = np.empty((resamples, *area.shape))
    drawn[:, rows, columns] = area[rows, columns] + _student(rng, freedom, resamples) * error[rows, columns]
    drawn[:, columns, rows] = drawn[:, rows, columns]
    own = np.diagonal(drawn, axis1=1, axis2=2)
    squares = 2 * drawn - (own[:, :, None] + own[:, None, :])
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


# ---- Symmetry and triangle inequality (2.5.3, Fig. 14) -------------------------------------------


def matrix_report(
    matrix: npt.ArrayLike, floor: NoiseFloor | float | None = None, both_orders: npt.ArrayLike | None = None
) -> MatrixReport:
    """Report how far a suite's dissimilarities (n, n), symmetric, NaN where not measured, are from being distances.

    ``floor`` is the noise floor (its largest value is the threshold), or a number; ``both_orders`` [i, j] is what was
    measured in the order (i, j), NaN where not, None where the orders were not measured apart.

    Raises:
        InputError: for a matrix that is not square, not symmetric or negative, or a negative floor.
    """
    threshold = floor.largest if isinstance(floor, NoiseFloor) else floor
    symmetry = None if both_orders is None else _symmetry(np.asarray(both_orders, dtype=np.float64), threshold)
    return MatrixReport(symmetry, _triangle(np.asarray(matrix, dtype=np.float64), threshold), threshold)


def correlation(x: Floats, y: Floats) -> float | None:
    """Return Pearson's correlation, or None with fewer than three pairs or without variation."""
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def _symmetry(ordered: Floats, threshold: float | None) -> SymmetryReport | None:
    """Compare the two orders of every pair measured in both, or None where there is no such pair."""
    rows, columns = np.triu_indices(ordered.shape[0], k=1)
    upper, lower = ordered[rows, columns], ordered[columns, rows]
    both = np.isfinite(upper) & np.isfinite(lower)
    if not both.any():
        return None
    upper, lower = upper[both], lower[both]
    difference = np.abs(upper - lower)
    return SymmetryReport(
        pairs=int(both.sum()),
        mean=float(difference.mean()),
        largest=float(difference.max()),
        above_floor=None if threshold is None else int((difference > threshold).sum()),
        correlation=correlation(np.concatenate([upper, lower]), np.concatenate([lower, upper])),
    )


def _triangle(values: Floats, threshold: float | None) -> TriangleReport:
    """Test every triple: only its longest side can exceed the sum of the other two."""
    triples = np.array(list(combinations(range(values.shape[0]), 3)), dtype=np.int64).reshape(-1, 3)
    sides = np.stack([values[triples[:, a], triples[:, b]] for a, b in ((0, 1), (1, 2), (0, 2))], axis=1)
    complete = np.isfinite(sides).all(axis=1)
    triples, sides = triples[complete], sides[complete]
    excess = 2 * sides.max(axis=1, initial=0) - sides.sum(axis=1)
    violating = excess > _TINY
    exceeding = excess[violating]
    worst = None
    if exceeding.size:
        at = int(excess.argmax())
        middle = (2, 0, 1)[int(sides[at].argmax())]
        ends = [int(k) for n, k in enumerate(triples[at]) if n != middle]
        worst = (ends[0], int(triples[at, middle]), ends[1])
    return TriangleReport(
        triples=int(complete.sum()),
        incomplete=int((~complete).sum()),
        violations=int(violating.sum()),
        mean_excess=float(exceeding.mean()) if exceeding.size else 0.0,
        largest_excess=float(exceeding.max()) if exceeding.size else 0.0,
        above_floor=None if threshold is None else int((exceeding > threshold).sum()),
        worst=worst,
    )
