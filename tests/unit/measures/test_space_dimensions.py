"""Dimensions that hold a share of the spectrum, and a space with replicates that are given again."""

import numpy as np
import pytest
from placed import angular

from aiq.errors import InputError
from aiq.measures import space
from aiq.measures.space import embedding
from aiq.measures.space.bootstrap import replicated


@pytest.mark.parametrize(
    ("spectrum", "share", "kept"),
    [
        ([5.0, 3.0, 1.0, 1.0], 0.5, 1),
        ([5.0, 3.0, 1.0, 1.0], 0.8, 2),
        ([5.0, 3.0, 1.0, 1.0], 0.9, 3),
        ([5.0, 3.0, 1.0, 1.0], 1.0, 4),
        ([5.0, 4.0, 0.5, 0.5, 0.0, -3.0], 0.9, 2),  # negative ones hold nothing
        ([2.0], 0.9, 1),
        ([0.0, 0.0], 0.9, 1),
    ],
)
def test_closed_forms(spectrum, share, kept):
    assert embedding.by_share(np.array(spectrum), share) == kept
    rows = np.array([spectrum, [1.0] + [0.0] * (len(spectrum) - 1)])
    assert embedding.by_share(rows, share).tolist() == [kept, 1]


def orthogonal(n):
    return [f"t{i}" for i in range(n)], np.ones(n), 1 - np.eye(n)


def test_orthogonal_tests_keep_as_many_dimensions_as_hold_the_share():
    built = space.build(*orthogonal(10), dimensions="share")
    assert built.dimensions == 9
    assert built.dimensionality.share == 0.9
    assert space.build(*orthogonal(10), dimensions="share", share=0.5).dimensions == 5


def test_noise_is_the_older_auto_under_its_name():
    names, c, d = orthogonal(5)
    se = 0.1 * (1 - np.eye(5))
    one, other = (space.build(names, c, d, dimensions=word, dissimilarity_se=se) for word in ("auto", "noise"))
    assert np.array_equal(one.coordinates, other.coordinates)
    assert one.dimensionality.share is None


def test_fewer_above_the_noise_is_said_in_one_sentence():
    names, c, d = orthogonal(6)
    built = space.build(names, c, d, dimensions="share", dissimilarity_se=0.5 * (1 - np.eye(6)), draws=200)
    above = built.dimensionality.propagated
    assert above < built.dimensions
    verb = "stands" if above == 1 else "stand"
    assert f"d = {built.dimensions} holds 0.90 of the spectrum, {above} {verb} above the noise" in built.warnings


def test_replicates_keep_their_own_number():
    rng = np.random.default_rng(0)
    d = angular(np.abs(rng.normal(size=(7, 3))))
    se = 0.1 * (1 - np.eye(7))
    built = space.build([*"abcdefg"], np.ones(7), d, dimensions="share", dissimilarity_se=se, draws=200)
    assert built.bootstrap is not None
    assert len(set(built.bootstrap.numbers)) > 1
    assert sum(built.dimensionality.probabilities.values()) == pytest.approx(1)


@pytest.mark.parametrize("share", [0, -0.1, 1.1])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(InputError, match="share is"):
        space.build(*orthogonal(3), dimensions="share", share=share)


def test_the_number_does_not_grow_with_the_precision_of_the_data():
    rng = np.random.default_rng(3)
    size, found, above = np.sqrt(0.7 ** np.arange(10)), {5: [], 40: []}, {5: [], 40: []}
    for _ in range(25):
        d = angular(np.abs(rng.normal(size=(10, 10)) * size))
        for snr in found:
            se = np.sqrt((d**2).mean()) / snr
            noise = np.triu(se * rng.normal(size=d.shape), 1)
            how = {"dissimilarity_se": np.full_like(d, se) * (1 - np.eye(10)), "draws": 200}
            built = space.build([*"abcdefghij"], np.ones(10), d + noise + noise.T, dimensions="share", **how)
            found[snr].append(built.dimensions)
            above[snr].append(built.dimensionality.propagated)
    assert abs(np.mean(found[40]) - np.mean(found[5])) < 1
    assert np.mean(above[40]) - np.mean(above[5]) > 1


# ---- a space with the replicates that it was built from, given again


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
