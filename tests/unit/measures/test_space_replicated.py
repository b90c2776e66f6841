"""A space with the replicates that it was built from, given again, is the same space."""

import numpy as np
import pytest

from aiq.measures import space
from aiq.measures.space.bootstrap import replicated


@pytest.mark.parametrize("anchor", ["unit", "complexity"])
@pytest.mark.parametrize("dimensions", ["auto", 2])
def test_given_its_own_replicates_a_space_stays_as_it_is(anchor, dimensions):
    rng, n = np.random.default_rng(1), 5
    points = rng.normal(size=(n, 3)) * [1, 0.7, 0.1]
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    noise = np.triu(rng.normal(0, 0.2, size=(80, n, n)), 1)
    matrices = np.abs(distance + noise + noise.transpose(0, 2, 1)) * (1 - np.eye(n))
    length = rng.uniform(2, 9, n)
    lengths = length + rng.normal(0, 0.2, (80, n))
    built = space.build(
        [f"test-{k}" for k in rng.permutation(n)], length, distance, anchor=anchor, dimensions=dimensions, merge=False,
        complexity_replicates=lengths, dissimilarity_replicates=matrices,
    )  # fmt: skip
    again = replicated(built, lengths, matrices)
    assert again.bootstrap.coordinates == pytest.approx(built.bootstrap.coordinates, abs=1e-9)
    assert again.bootstrap.numbers == pytest.approx(built.bootstrap.numbers)
    assert len(np.unique(built.bootstrap.numbers)) == 1 or dimensions == "auto"
    assert np.array_equal(again.coordinates, built.coordinates)
    assert len(replicated(built, lengths[:10], matrices[:10]).bootstrap.coordinates) == 10


@pytest.mark.parametrize("anchor", ["unit", "complexity"])
def test_replicates_that_cannot_be_placed_are_left_out_and_counted(anchor):
    """Where any policy solves every test all lengths of a replicate are 0: no direction, and no failed SVD."""
    matrix = np.array([[0, 0.5, 0.9], [0.5, 0, 0.7], [0.9, 0.7, 0]])
    matrices, lengths = np.tile(matrix, (40, 1, 1)), 1 + np.random.default_rng(0).random((40, 3))
    built = space.build(
        ["a", "b", "c"], [1.0, 0.5, 0.7], matrix, anchor=anchor, complexity_replicates=lengths,
        dissimilarity_replicates=matrices,
    )  # fmt: skip
    lengths[3], lengths[5, 1], matrices[7, 0, 1] = 0.0, np.nan, np.nan
    found = replicated(built, lengths, matrices).bootstrap
    assert (len(found.coordinates), found.failed) == (37, 3)
    assert np.isfinite(found.coordinates).all()
    nothing = replicated(built, np.zeros((40, 3)), matrices).bootstrap
    assert (len(nothing.coordinates), nothing.failed) == (0, 40)
