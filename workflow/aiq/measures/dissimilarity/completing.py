"""How well dissimilarities are completed from landmarks, as the landmarks themselves tell, and draws that carry it.

Each landmark in turn is taken as if it were none: its pairs are completed from the other landmarks, and compared with
what was measured. That chooses the number of dimensions of the completion, and says how far completed pairs are off.

A domain's distances to the landmarks leave open in which direction it departs from their space (its residual h). Two
domains at e from each other within that space are at sqrt(e^2 + h_a^2 + h_b^2 - 2 h_a h_b c) of each other, c the
cosine between their residuals; how c spreads is fitted to the pairs of the landmarks that were left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls
from scipy.spatial.distance import cdist

from aiq.measures.dissimilarity.landmarks import complete
from aiq.records.estimate import Floats
from aiq.records.matrix import Completion

FEWEST = 3  # landmarks from which one can be left out: two are left to complete from
FEWEST_TO_CHOOSE = 6  # landmarks from which the number of dimensions is chosen; fewer say too little of it
MOST_DIMENSIONS = 10
SEEN = 100  # domains besides the landmarks on which a completion without one of them is judged
_TINY = 1e-12


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
    slope, constant = _not_negative(product, error)
    return Unknown(min(slope, 1.0), float(np.sqrt(constant)))


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


def _not_negative(x: Floats, y: Floats) -> tuple[float, float]:
    """Return slope and constant of least squares, neither below 0, each value weighted by the size that it has."""
    weight = 1 / np.maximum(x + np.abs(y).mean(), _TINY)
    design = np.column_stack([x, np.ones_like(x)]) * weight[:, None]
    solution, _ = nnls(design, y * weight)
    return float(solution[0]), float(solution[1])
