"""Dissimilarities of a whole suite: whether they behave as distances, and completing them from few measurements.

Measuring every domain against k landmarks turns n^2 trainings of pairs into n k (2025 paper, last but one
paragraph of 2.5.3). The rest is completed by landmark multidimensional scaling with distance-based
triangulation (de Silva and Tenenbaum, "Sparse multidimensional scaling using landmark points", 2004),
extended by each domain's residual distance from the space that the landmarks span.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError, choice
from aiq.records.estimate import Floats
from aiq.records.matrix import Completion, CompletionError, MatrixReport, NoiseFloor, SymmetryReport, TriangleReport

RESIDUALS = ("orthogonal", "none")

_TINY = 1e-12

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
    if not np.allclose(values, values.T, rtol=1e-9, atol=_TINY, equal_nan=True):
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


# ---- Landmarks -----------------------------------------------------------------------------------


def named(domains: Sequence[str], wanted: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the landmarks named by a person, in the order named.

    Raises:
        InputError: for an unknown domain, one named twice, or none.
    """
    if not wanted:
        raise InputError("no landmark is named; name at least one domain of the suite")
    for name in wanted:
        if name not in domains:
            raise InputError(choice("a landmark", name, domains))
        if list(wanted).count(name) > 1:
            raise InputError(f"the landmark {name!r} is named {list(wanted).count(name)} times; name each one once")
    return tuple(list(domains).index(name) for name in wanted)


def next_landmark(rows: npt.ArrayLike, landmarks: Sequence[int]) -> int:
    """Return the domain farthest from the landmarks so far: the one with the largest smallest distance.

    Only the rows of the landmarks (k, n) are needed, so a suite can be measured row by row: the first landmark
    against all, the next one chosen and measured, and so on. Ties go to the domain named first.

    Raises:
        InputError: where rows or landmarks cannot be used, or no domain is left.
    """
    distances = _rows(rows, landmarks)
    if len(landmarks) == distances.shape[1]:
        raise InputError(f"all {len(landmarks)} domains are landmarks already; choose fewer")
    nearest = distances.min(axis=0)
    nearest[list(landmarks)] = -1
    return int(nearest.argmax())


def farthest_points(matrix: npt.ArrayLike, count: int) -> tuple[int, ...]:
    """Return ``count`` landmarks of a full matrix (n, n), each the farthest from those before it.

    Raises:
        InputError: for a count or a first landmark outside the suite, or a matrix that cannot be used.
    """
    values = square("the matrix of dissimilarities", matrix)
    n = values.shape[0]
    if not 1 <= count <= n:
        raise InputError(f"the number of landmarks is {count}; it must lie between 1 and the {n} domains of the suite")
    chosen = [0]
    while len(chosen) < count:
        chosen.append(next_landmark(values[chosen], chosen))
    return tuple(chosen)


def complete(
    rows: npt.ArrayLike, landmarks: Sequence[int], *, dimensions: int | None = None, residual: str = "orthogonal"
) -> Completion:
    """Complete a matrix of dissimilarities from the rows of its landmarks.

    The landmarks are embedded by classical scaling of the distances among them; every domain is placed by
    triangulation from its distances to them. What those distances leave over is the domain's distance h
    from the space of the landmarks, in a direction unknown. Two domains at e from each other within that
    space therefore lie between sqrt(e^2 + (h_a - h_b)^2) and sqrt(e^2 + (h_a + h_b)^2) of each other;
    ``orthogonal`` takes the root mean square of these bounds, sqrt(e^2 + h_a^2 + h_b^2), as if domains
    shared nothing beyond the landmarks. ``none`` takes e alone (the published method), which puts domains
    that are equally far from all landmarks at distance 0. Both are exact where the suite lies in the space
    of the landmarks.

    Args:
        rows: dissimilarities of each landmark to every domain, shape (k, n); the two orders of a pair of
            landmarks are averaged, its distance to itself is taken as 0.
        landmarks: positions of the k landmarks, distinct.
        dimensions: at most so many dimensions of the embedding. Only eigenvalues larger than the most
            negative one in size are kept in any case: triangulation divides by them, so that small ones
            would turn noise into distance.
        residual: ``orthogonal`` or ``none``.

    Raises:
        InputError: where rows, landmarks or an option cannot be used.
    """
    if residual not in RESIDUALS:
        raise InputError(choice("the treatment of residual distances", residual, RESIDUALS))
    if dimensions is not None and dimensions < 1:
        raise InputError(f"the number of dimensions is {dimensions}; it must be at least 1, or None for all")
    distances = _rows(rows, landmarks)
    at = list(landmarks)
    block = (distances[:, at] + distances[:, at].T) / 2
    distances[:, at] = block
    np.fill_diagonal(block, 0)
    distances[np.arange(len(at)), at] = 0
    coordinates, height, negative = _triangulate(block, distances, dimensions)

    apart = np.linalg.norm(coordinates[:, None] - coordinates[None], axis=-1)
    low = np.hypot(apart, height[:, None] - height)
    high = np.hypot(apart, height[:, None] + height)
    rest = np.sqrt((low**2 + high**2) / 2) if residual == "orthogonal" else apart
    measured = np.zeros(rest.shape)
    measured[at], measured[:, at] = 1, 1
    for values in (rest, low, high):
        values[at], values[:, at] = distances, distances.T
        np.fill_diagonal(values, 0)
    rest = (rest + rest.T) / 2
    return Completion(rest, low, high, measured, tuple(at), coordinates, height, negative)


def completion_error(completion: Completion, matrix: npt.ArrayLike) -> CompletionError:
    """Compare a completion with measured dissimilarities (n, n), NaN where not measured: pairs without a landmark.

    Raises:
        InputError: for a matrix of another suite, or where no completed pair was measured.
    """
    values = square("the matrix of dissimilarities", matrix)
    if values.shape != completion.matrix.shape:
        raise InputError(
            f"the matrix has shape {values.shape}, the completion {completion.matrix.shape}; give one suite"
        )
    check_symmetric(values)
    rows, columns = np.triu_indices(values.shape[0], k=1)
    compared = (completion.measured[rows, columns] == 0) & np.isfinite(values[rows, columns])
    if not compared.any():
        raise InputError("no completed pair was measured as well, so there is no error to give; measure at least one")
    true, guess = values[rows, columns][compared], completion.matrix[rows, columns][compared]
    root_mean_square = float(np.sqrt(np.mean((guess - true) ** 2)))
    size = float(np.sqrt(np.mean(true**2)))
    return CompletionError(
        pairs=int(compared.sum()),
        root_mean_square=root_mean_square,
        largest=float(np.abs(guess - true).max()),
        relative=root_mean_square / size if size > 0 else float("nan"),
        correlation=correlation(true, guess),
    )


def _triangulate(block: Floats, distances: Floats, dimensions: int | None) -> tuple[Floats, Floats, float]:
    """Embed landmarks (k, k) and place all domains (k, n).

    Returns coordinates (n, d), the distance of each domain from the space of the landmarks (n,), and the share of the
    spectrum that is negative.
    """
    squares, delta = block**2, distances**2
    centred = -(squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()) / 2
    spectrum, vectors = np.linalg.eigh(centred)
    weight = float(np.abs(spectrum).sum())
    negative = float(-spectrum[spectrum < 0].sum() / weight) if weight > 0 else 0.0
    order = np.argsort(spectrum)[::-1][:dimensions]
    order = order[spectrum[order] > max(-spectrum.min(), _TINY * max(weight, _TINY))]
    pseudo_inverse = vectors[:, order].T / np.sqrt(spectrum[order])[:, None]
    coordinates = (-pseudo_inverse @ (delta - squares.mean(axis=0)[:, None]) / 2).T
    from_centroid = delta.mean(axis=0) - squares.mean() / 2
    height = from_centroid - (coordinates**2).sum(axis=1)
    height[height < _TINY * delta.max(initial=0)] = 0
    return coordinates, np.sqrt(height), negative


def _rows(rows: npt.ArrayLike, landmarks: Sequence[int]) -> Floats:
    """Return a copy of the rows of the landmarks (k, n) or refuse rows or landmarks."""
    array = np.array(rows, dtype=np.float64)
    if array.ndim != 2 or array.size == 0 or array.shape[0] != len(landmarks):
        raise InputError(f"the rows have shape {array.shape}; needed is ({len(landmarks)}, n), one row a landmark")
    outside = [k for k in landmarks if not 0 <= k < array.shape[1]]
    if outside:
        raise InputError(f"the landmark {outside[0]} is not among the domains 0 to {array.shape[1] - 1}")
    if len(set(landmarks)) < len(landmarks):
        raise InputError(f"the landmarks are {list(landmarks)}; each domain can be one only once")
    away = np.ones(array.shape, dtype=np.bool_)
    away[np.arange(len(landmarks)), list(landmarks)] = False
    bad = array[away & ~(np.isfinite(array) & (array >= 0))]
    if bad.size:
        raise InputError(f"a dissimilarity to a landmark is {bad[0]:g}; all must be finite and not negative")
    return np.where(away, array, 0)
