"""How much of a test no other test of its suite shares."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

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
