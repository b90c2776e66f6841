"""Completing the dissimilarities of a whole suite from few measurements, and how well that is done.

Measuring every domain against k landmarks turns n^2 trainings of pairs into n k (2025 paper, last but one
paragraph of 2.5.3). The rest is completed by landmark multidimensional scaling with distance-based
triangulation (de Silva and Tenenbaum, "Sparse multidimensional scaling using landmark points", 2004),
extended by each domain's residual distance from the space that the landmarks span.

How well: each landmark in turn is taken as if it were none. Its pairs are completed from the other landmarks, and
compared with what was measured. That chooses the number of dimensions of the completion, and says how far completed
pairs are off. A domain's distances to the landmarks leave open in which direction it departs from their space (its
residual h). Two domains at e from each other within that space are at sqrt(e^2 + h_a^2 + h_b^2 - 2 h_a h_b c) of each
other, c the cosine between their residuals; how c spreads is fitted to the pairs of the landmarks that were left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls
from scipy.spatial.distance import cdist

from aiq.errors import InputError, choice
from aiq.measures.dissimilarity.matrices import correlation
from aiq.records.estimate import Floats
from aiq.records.matrix import Completion, CompletionError

FEWEST = 3  # landmarks from which one can be left out: two are left to complete from
FEWEST_TO_CHOOSE = 6  # landmarks from which the number of dimensions is chosen; fewer say too little of it
MOST_DIMENSIONS = 10
SEEN = 100  # domains besides the landmarks on which a completion without one of them is judged
_TINY = 1e-12


def named(domains: Sequence[str], wanted: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the landmarks named by a person, in the order named.

    Raises:
        InputError: for an unknown domain, or one named twice.
    """
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
    """Return ``count`` landmarks of a full matrix (n, n), the first domain and each the farthest from those before.

    Raises:
        InputError: for a count or a first landmark outside the suite, or a matrix that cannot be used.
    """
    values, chosen = np.asarray(matrix, dtype=np.float64), [0]
    while len(chosen) < count:
        chosen.append(next_landmark(values[chosen], chosen))
    return tuple(chosen)


def complete(rows: npt.ArrayLike, landmarks: Sequence[int], *, dimensions: int | None = None) -> Completion:
    """Complete a matrix of dissimilarities from the rows of its landmarks, (k, n), at the positions ``landmarks``.

    The landmarks are embedded by classical scaling of the distances among them (the mean of the two orders of a pair, 0
    to itself); every domain is placed by triangulation from its distances to them. What those leave over is the
    domain's distance h from the space of the landmarks, in a direction unknown. Two domains at e from each other within
    that space therefore lie between sqrt(e^2 + (h_a - h_b)^2) and sqrt(e^2 + (h_a + h_b)^2) of each other. The root
    mean square of these bounds is taken, sqrt(e^2 + h_a^2 + h_b^2), as if domains shared nothing beyond the landmarks;
    e alone, the published method, would put domains that are equally far from all landmarks at distance 0. It is exact
    where the suite lies in the space of the landmarks.

    ``dimensions``: at most so many. Only eigenvalues larger than the most negative one in size are kept in any case:
    triangulation divides by them, so that small ones would turn noise into distance.

    Raises:
        InputError: where the rows cannot be used.
    """
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
    rest = np.sqrt((low**2 + high**2) / 2)
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
    values = np.asarray(matrix, dtype=np.float64)
    rows, columns = np.triu_indices(values.shape[0], k=1)
    compared = (completion.measured[rows, columns] == 0) & np.isfinite(values[rows, columns])
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
    """Return a copy of the rows of the landmarks (k, n), 0 at themselves, or refuse them."""
    array = np.array(rows, dtype=np.float64)
    away = np.ones(array.shape, dtype=np.bool_)
    away[np.arange(len(landmarks)), list(landmarks)] = False
    bad = array[away & ~(np.isfinite(array) & (array >= 0))]
    if bad.size:
        raise InputError(f"a dissimilarity to a landmark is {bad[0]:g}; all must be finite and not negative")
    return np.where(away, array, 0)


# ---- How well dissimilarities are completed, as the landmarks themselves tell --------------------------


@dataclass(frozen=True, slots=True)
class Unknown:
    """How completed squares spread about the completion.

    ``cosine``: mean square of the cosine between two residuals, in [0, 1]; 1 / cosine is in how many dimensions they
    point. ``noise``: standard deviation of completed squared dissimilarities where residuals are 0.
    """

    cosine: float
    noise: float

    @property
    def dimensions(self) -> int:
        """Number of dimensions in which residuals point, at least 1."""
        return max(1, round(1 / max(self.cosine, 1e-3)))


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """The pairs of one landmark left out: where in the rows, measured, completed, and twice the residuals' product."""

    place: int
    others: list[int]
    seen: Floats
    guess: Floats
    product: Floats


def _left_out(rows: Floats, at: list[int], dimensions: int | None) -> Iterator[_LeftOut]:
    """Leave out one landmark after the other; judged on at most ``SEEN`` domains that are no landmarks."""
    free = [j for j in range(rows.shape[1]) if j not in at]
    others = (
        [free[i] for i in np.unique(np.linspace(0, len(free) - 1, min(len(free), SEEN)).astype(int))] if free else []
    )
    part = rows[:, [*at, *others]]
    places = list(range(len(at), part.shape[1]))
    for left in range(len(at)):
        rest = [k for k in range(len(at)) if k != left]
        completion = complete(part[rest], rest, dimensions=dimensions)
        product = 2 * completion.residual[left] * completion.residual[places]
        yield _LeftOut(left, others, part[left, places], completion.matrix[left, places], product)


def left_out_error(rows: npt.ArrayLike, landmarks: Sequence[int], dimensions: int | None = None) -> float | None:
    """Return the relative error of completed pairs, each landmark left out in turn; None with fewer than three.

    Root mean square error over the root mean square of what was measured, whose own noise is in it. It is that of one
    landmark fewer, so it is rather too large. ``rows`` (k, n) are those of the ``landmarks``.
    """
    array, at = np.array(rows, dtype=np.float64), list(landmarks)
    if len(at) < FEWEST or array.shape[1] == len(at):
        return None
    pairs = list(_left_out(array, at, dimensions))
    wrong = np.concatenate([left.guess - left.seen for left in pairs])
    size = float(np.sqrt(np.mean(np.concatenate([left.seen for left in pairs]) ** 2)))
    return float(np.sqrt(np.mean(wrong**2))) / size if size > 0 else None


def left_out_dimensions(rows: npt.ArrayLike, landmarks: Sequence[int]) -> int | None:
    """Return the number of dimensions that completes the pairs of landmarks left out best, from their rows (k, n).

    None, for all that the spectrum of the landmarks offers, with fewer than six landmarks. The spectrum alone keeps
    dimensions that are hardly more than noise, by which triangulation then divides: simulated, its error is up to
    six times that of this choice (``studies/results/landmarks.md``).
    """
    if len(landmarks) < FEWEST_TO_CHOOSE:
        return None
    counts = range(1, min(len(landmarks) - 2, MOST_DIMENSIONS) + 1)
    errors = [left_out_error(rows, landmarks, count) for count in counts]
    if None in errors:
        return None
    return counts[int(np.argmin(np.array(errors, dtype=np.float64)))]


def unknown(
    rows: npt.ArrayLike, landmarks: Sequence[int], se: npt.ArrayLike | None = None, dimensions: int | None = None
) -> Unknown:
    """Fit how completed squares spread, each landmark left out in turn.

    The squared error of a completed square is regressed on 4 h_a^2 h_b^2 and a constant, neither below 0; the part that
    the standard errors ``se`` of the ``rows`` (k, n) have in it is taken off. With fewer than three landmarks none can
    be left out, and residuals are taken to point in one dimension, the widest case.
    """
    array, at = np.array(rows, dtype=np.float64), list(landmarks)
    if len(at) < FEWEST or array.shape[1] == len(at):
        return Unknown(1.0, 0.0)
    errors, products = [], []
    for left in _left_out(array, at, dimensions):
        own = 0.0 if se is None else (2 * left.seen * np.asarray(se)[left.place, left.others]) ** 2
        errors.append((left.seen**2 - left.guess**2) ** 2 - own)
        products.append(left.product**2)
    error, product = np.concatenate(errors), np.concatenate(products)
    weight = 1 / np.maximum(product + np.abs(error).mean(), _TINY)  # each value by the size that it has
    design = np.column_stack([product, np.ones_like(product)]) * weight[:, None]
    (slope, constant), _ = nnls(design, error * weight)
    return Unknown(min(float(slope), 1.0), float(np.sqrt(constant)))


def replicates(
    matrix: Floats,
    drawn: Floats,
    landmarks: Sequence[int],
    rng: np.random.Generator,
    dimensions: int | None = None,
) -> Floats:
    """Complete replicates ``drawn`` (B, n, n) of a matrix from their landmarks, with what the landmarks leave open.

    Rows of the landmarks, and diagonals, are as drawn. Completed pairs carry the noise of these rows, the directions of
    residuals, and the noise of completed squares beyond that; the last two are fitted to the estimate ``matrix``. What
    the intervals hold: ``studies/results/landmarks.md``.

    Raises:
        ValueError: as for ``pseudovalues``, or an unknown scale.
    """
    at = list(landmarks)
    spread = unknown(matrix[at], at, drawn[:, at].std(axis=0), dimensions)
    completed = np.array([directed(complete(draw[at], at, dimensions=dimensions), spread, rng) for draw in drawn])
    every = np.arange(len(matrix))
    completed[:, every, every] = drawn[:, every, every]
    return completed


def directed(completion: Completion, unknown: Unknown, rng: np.random.Generator) -> Floats:
    """Draw one matrix (n, n): as completed, but with residuals in directions of their own, and noise on its squares."""
    n = len(completion.matrix)
    ways = rng.standard_normal((n, unknown.dimensions))
    ways /= np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), _TINY)
    apart = completion.residual[:, None] * ways
    height = (apart**2).sum(axis=1)
    within = cdist(completion.coordinates, completion.coordinates, "sqeuclidean")
    square = within + (height[:, None] + height[None] - 2 * (apart @ apart.T))  # no (n, n, dimensions) is needed
    moved = np.triu(unknown.noise * rng.standard_normal((n, n)), 1)
    square = np.maximum(square + moved + moved.T, 0.0)
    drawn = np.where(completion.measured == 1, completion.matrix, np.sqrt(square))
    np.fill_diagonal(drawn, 0)
    return np.asarray(drawn)
