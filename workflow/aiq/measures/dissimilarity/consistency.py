"""Whether a suite's dissimilarities behave as distances: symmetry, triangle inequality (2.5.3, Fig. 14)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.records.arrays import Floats
from aiq.records.dissimilarity import MatrixReport, NoiseFloor, SymmetryReport, TriangleReport

_ROUNDING = 1e-12


def matrix_report(
    matrix: npt.ArrayLike, floor: NoiseFloor | float | None = None, both_orders: npt.ArrayLike | None = None
) -> MatrixReport:
    """Report how far a suite's dissimilarities are from being distances.

    Args:
        matrix: the values that enter the space, shape (n, n), symmetric, NaN where a pair was not
            measured; the diagonal plays no part.
        floor: noise floor of the suite (its largest value is the threshold), or a number, or None.
        both_orders: [i, j] as measured in the order (i, j), shape (n, n), NaN where not measured; None
            where the orders were not measured apart.
    """
    values = square("the matrix of dissimilarities", matrix)
    check_symmetric(values)
    threshold = floor.largest if isinstance(floor, NoiseFloor) else floor
    if threshold is not None and not threshold >= 0:
        raise InputError(f"the noise floor is {threshold:g}; it must be at least 0")
    symmetry = None
    if both_orders is not None:
        ordered = square("the matrix of both orders", both_orders)
        if ordered.shape != values.shape:
            raise InputError(f"the matrices have shapes {values.shape} and {ordered.shape}; both must cover one suite")
        symmetry = _symmetry(ordered, threshold)
    return MatrixReport(symmetry, _triangle(values, threshold), threshold)


def square(what: str, values: npt.ArrayLike) -> Floats:
    """Return a square matrix without infinite or negative entries (NaN allowed) or refuse it."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise InputError(f"{what} has shape {array.shape}; needed is (n, n), one row and column a domain")
    bad = array[~np.isnan(array) & ~((array >= 0) & np.isfinite(array))]
    if bad.size:
        raise InputError(f"{what} holds {bad[0]:g}; dissimilarities must be finite and not negative")
    return array


def check_symmetric(values: Floats) -> None:
    """Refuse a matrix whose two halves differ."""
    if not np.allclose(values, values.T, rtol=1e-9, atol=_ROUNDING, equal_nan=True):
        i, j = np.unravel_index(np.nanargmax(np.abs(values - values.T)), values.shape)
        both = f"{values[i, j]:g} one way and {values[j, i]:g} the other between domains {i} and {j}"
        raise InputError(f"the matrix of dissimilarities holds {both}; average them or give them as both orders")


def correlation(x: Floats, y: Floats) -> float | None:
    """Return Pearson's correlation, or None with fewer than three pairs or without variation."""
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def _symmetry(ordered: Floats, threshold: float | None) -> SymmetryReport | None:
    """Compare the two orders of every pair measured in both, or None where there is no such pair."""
    rows, columns = np.triu_indices(ordered.shape[0], k=1)
    one, other = ordered[rows, columns], ordered[columns, rows]
    both = np.isfinite(one) & np.isfinite(other)
    if not both.any():
        return None
    one, other = one[both], other[both]
    difference = np.abs(one - other)
    return SymmetryReport(
        pairs=int(both.sum()),
        mean=float(difference.mean()),
        largest=float(difference.max()),
        above_floor=None if threshold is None else int((difference > threshold).sum()),
        correlation=correlation(np.concatenate([one, other]), np.concatenate([other, one])),
    )


def _triangle(values: Floats, threshold: float | None) -> TriangleReport:
    """Test every triple: only its longest side can exceed the sum of the other two."""
    triples = np.array(list(combinations(range(values.shape[0]), 3)), dtype=np.int64).reshape(-1, 3)
    sides = np.stack([values[triples[:, a], triples[:, b]] for a, b in ((0, 1), (1, 2), (0, 2))], axis=1)
    complete = np.isfinite(sides).all(axis=1)
    triples, sides = triples[complete], sides[complete]
    excess = 2 * sides.max(axis=1, initial=0) - sides.sum(axis=1)
    violating = excess > _ROUNDING
    found = excess[violating]
    worst = None
    if found.size:
        at = int(excess.argmax())
        middle = (2, 0, 1)[int(sides[at].argmax())]
        ends = [int(k) for n, k in enumerate(triples[at]) if n != middle]
        worst = (ends[0], int(triples[at, middle]), ends[1])
    return TriangleReport(
        triples=int(complete.sum()),
        incomplete=int((~complete).sum()),
        violations=int(violating.sum()),
        mean_excess=float(found.mean()) if found.size else 0.0,
        largest_excess=float(found.max()) if found.size else 0.0,
        above_floor=None if threshold is None else int((found > threshold).sum()),
        worst=worst,
    )
