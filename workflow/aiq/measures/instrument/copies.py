"""What a copy of a test does to a space that is built again with it."""

from __future__ import annotations

import numpy as np

from aiq.measures import space as spaces
from aiq.measures.space import Floats
from aiq.records.space import Space


def with_copy(space: Space, test: int) -> Space:
    """Return the space of a suite in which one test stands twice, built again in the same number of dimensions.

    The copy has the complexity of its original and dissimilarity 0 to it. Nothing is resampled.

    Args:
        space: of n tests.
        test: row number of the test that is copied; the copy is the last of n + 1 tests.
    """
    at = [*range(len(space.domains)), test]
    matrix = np.array(space.dissimilarity[np.ix_(at, at)])
    np.fill_diagonal(matrix, 0.0)
    matrix[test, -1] = matrix[-1, test] = 0.0
    return _built(space, (*space.domains, _name(space, test)), space.complexity[at], matrix)


def rebuilt(space: Space) -> Space:
    """Return the space built again from its complexities and dissimilarities alone, in as many dimensions."""
    return _built(space, space.domains, space.complexity, space.dissimilarity)


def _built(space: Space, names: tuple[str, ...], complexity: Floats, matrix: Floats) -> Space:
    """Return a space built as another one was, from normalised complexities (n,) and dissimilarities (n, n)."""
    return spaces.build(
        names, complexity, matrix, anchor=space.anchor, dimensions=space.dimensions, merge=False,
        refine=space.refined, length=space.length, seed=space.seed,
    )  # fmt: skip


def _name(space: Space, test: int) -> str:
    """Return a name for the copy that no test has."""
    name = f"{space.domains[test]} (copy)"
    while name in space.domains:
        name += "'"
    return name
