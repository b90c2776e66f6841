"""Cosines of the tests' directions as they are measured, with draws of their errors.

Today's scale: the largest dissimilarity of the suite is a right angle, cos = 1 - square / largest square. Squares are
the unbiased ones (signed^2 - se^2), and nothing is projected to a Euclidean space.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.measures import arguments, draws
from aiq.measures.draws import scaled
from aiq.records.estimate import Floats

COPY = 32  # power of a cosine from which on tests share one place: .98 counts .52, .9 counts .03


def uniqueness(cosines: npt.ArrayLike, variance: npt.ArrayLike = 0.0) -> Floats:
    """Return u (..., n), in (0, 1]: 1 for a test that is like no other, 1/m for each of m copies.

    a_i = 1 / sum_j max(0, cos_ij)^32, so that copies share one place, and u_i = a_i / sum_j a_j max(0, cos_ij)^2, so
    that kin share the rest. Copies of one test take nothing from the others. Contradictory tests (cosine below 0)
    count as strangers. The sum of u is an effective number of tests.

    Args:
        cosines: of the tests' directions as measured, (..., n, n); the diagonal is not read and counts as 1.
        variance: squared standard errors of the cosines, (n, n): squares of cosines above 0 are freed of them, so
            that noise between many strangers does not add up to kinship.
    """
    positive = np.minimum(np.asarray(cosines, dtype=np.float64), 1.0)
    np.maximum(positive, 0.0, out=positive)
    own = np.eye(positive.shape[-1], dtype=bool)
    positive[..., own] = 1.0
    places = 1 / (positive**COPY).sum(axis=-1)
    squares = positive**2
    squares -= variance
    squares[~(positive > 0)] = 0.0
    squares[..., own] = 1.0
    squares *= places[..., None, :]
    return np.asarray(places / np.maximum(squares.sum(axis=-1), places))


@dataclass(frozen=True, slots=True, eq=False)
class Cosines:
    """Cosines (n, n), their variances (n, n), and draws about them; ``draw`` is None where no errors are known.

    ``draw(rows, rng)`` gives those rows of all draws, (len(rows), n, n): called for one range after the other, so that
    not all need to be held at once.
    """

    value: Floats
    variance: Floats
    draw: Callable[[range, np.random.Generator], Floats] | None
    df: float = np.inf


NUMBERS = 4_000_000  # drawn cosines held at once


def of_areas(
    names: tuple[str, ...], signed: npt.ArrayLike, se: npt.ArrayLike | None, end_se: npt.ArrayLike | None, df: float
) -> Cosines:
    """Return cosines from dissimilarities (n, n), or from signed areas where their standard errors are given.

    The diagonal is not read. ``se``: of the pairs' own parts, (n, n); ``end_se``: of the parts that all pairs of a test
    share, (n,); ``df``: of both.
    """
    matrix = arguments.without_diagonal(signed)
    d, _ = arguments.check_dissimilarity(names, matrix, se is not None)
    if se is None:
        return Cosines(_scaled(d**2), np.zeros_like(d), None)
    errors = arguments.check_errors(names, se, end_se, df)
    squares = np.where(np.eye(len(d), dtype=bool), 0.0, d**2 - errors.variance)
    root = draws.debiased(d, errors.variance)

    def draw(rows: range, source: np.random.Generator) -> Floats:
        return 1 - scaled(draws.dissimilarities(root, errors, len(rows), source), root) ** 2

    return Cosines(_scaled(squares), _variance(root, errors), draw, float(df))


def _variance(root: Floats, errors: draws.Errors) -> Floats:
    """Return the variances of cosines 1 - d_ij^2 / d_top^2 (n, n), by the delta method.

    A square of a normal number of mean d and variance s^2 has the variance 4 d^2 s^2 + 2 s^4; two squares have the
    covariance 4 d d' c + 2 c^2, where c is what the pairs' errors share: the ends of their common tests.
    """
    top = _largest(root)
    a, b = np.unravel_index(int(root.argmax()), root.shape)
    own = errors.variance
    at = np.arange(len(root))
    of_a, of_b = (np.where(at == end, errors.ends**2, 0.0) for end in (a, b))
    shared = (of_a + of_b)[:, None] + (of_a + of_b)[None, :]
    shared[a, b] = shared[b, a] = own[a, b]

    def squares(d: Floats, other: Floats | float, c: Floats) -> Floats:
        return 4 * d * other * c + 2 * c**2

    far = (root / top) ** 2
    whole = float(squares(root, root, own)[a, b])
    variance = squares(root, root, own) + far**2 * whole - 2 * far * squares(root, top, shared)
    return np.asarray(np.where(np.eye(len(root), dtype=bool), 0.0, np.maximum(variance, 0.0)) / top**4)


def of_replicates(names: tuple[str, ...], dissimilarity: npt.ArrayLike, replicates: npt.ArrayLike) -> Cosines:
    """Return cosines from dissimilarities (n, n) with ready replicates (B, n, n)."""
    d, _ = arguments.check_dissimilarity(names, arguments.without_diagonal(dissimilarity))
    drawn = arguments.check_replicates("dissimilarity_replicates", replicates, d.shape)
    drawn = drawn[np.isfinite(drawn).all(axis=(1, 2))]
    drawn = np.where(np.eye(len(d), dtype=bool), 0.0, (drawn + drawn.transpose(0, 2, 1)) / 2)
    return given(_scaled(d**2), 1 - scaled(drawn / _largest(d), d / _largest(d)) ** 2)


def given(cosines: npt.ArrayLike, replicates: npt.ArrayLike | None, df: float = np.inf) -> Cosines:
    """Return cosines that were measured as such, with ready replicates (B, n, n) or None."""
    value = np.asarray(cosines, dtype=np.float64)
    if replicates is None:
        return Cosines(value, np.zeros_like(value), None)
    drawn = np.asarray(replicates, dtype=np.float64)

    def draw(rows: range, source: np.random.Generator) -> Floats:
        ready = drawn[rows.start : rows.stop]
        lacking = len(rows) - len(ready)
        return np.concatenate([ready, drawn[source.integers(len(drawn), size=lacking)]]) if lacking else ready

    return Cosines(value, drawn.var(axis=0), draw, df)


def _largest(d: Floats) -> float:
    return float(d.max()) or 1.0


def _scaled(squares: Floats) -> Floats:
    top = float(squares.max())
    return np.asarray(1 - squares / top if top > 0 else np.ones_like(squares))
