"""Dimensions that hold a share of the spectrum, and a space with replicates that are given again."""

import numpy as np
import pytest
from placed import angular, in_plane

from aiq.errors import InputError
from aiq.measures import quotient, space
from aiq.measures.space import embedding
from aiq.measures.space.bootstrap import replicated
from aiq.measures.space.suite import duplicate_groups, share_rows


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


# ---- dimensions under noise of the size that was measured ----------------------------------------

# Curve by curve: signal .0137 to .0170, self-pairs .002 to .0036, 3 repetitions, 11 proportions.


P = np.linspace(0, 1, 11)
DISTINCT = np.array([[0, 0.0137, 0.0137], [0.0137, 0, 0.0170], [0.0137, 0.0170, 0]])
SELF = [0.0020, 0.0028, 0.0036]
SPREAD = 0.0052  # of one performance at one proportion in one repetition


def area(curves):
    mean = curves.mean(axis=-2)
    line = mean[..., :1] * (1 - P) + mean[..., -1:] * P
    return np.trapezoid(np.abs(mean - line), P, axis=-1)


def measured(truth, seed, replicates=60, repetitions=3):
    rng = np.random.default_rng(seed)
    n = len(truth)
    point, boot = np.zeros((n, n)), np.zeros((replicates, n, n))
    for i in range(n):
        for j in range(i, n):
            curves = -1.5 * truth[i, j] * 4 * P * (1 - P) + rng.normal(0, SPREAD, (repetitions, 11))
            drawn = curves[rng.integers(repetitions, size=(replicates, repetitions))]
            point[i, j] = point[j, i] = area(curves)
            boot[:, i, j] = boot[:, j, i] = area(drawn)
    return point, boot


def built(truth, seed, complexity=None, **options):
    point, boot = measured(truth, seed)
    names = [f"t{i}" for i in range(len(truth))]
    c = np.linspace(1, 0.7, len(truth)) if complexity is None else complexity
    selfs = np.diagonal(boot, axis1=1, axis2=2)
    return space.build(names, c, point, dissimilarity_replicates=boot, self_replicates=selfs, seed=seed, **options)


def test_three_distinct_tests_with_their_measured_floor_keep_three_dimensions():
    found = space.build(list("abc"), [1, 2, 3], DISTINCT + np.diag(SELF))
    assert found.dimensions == 3
    assert found.dimensionality.propagated == 3
    assert "3 self-dissimilarities" in found.dimensionality.source
    assert found.dimensionality.floor == pytest.approx(np.exp(np.log(SELF).mean()) / 0.0170)


def test_three_distinct_tests_keep_three_dimensions_in_nearly_every_simulated_measurement():
    kept = [built(DISTINCT, seed, null="identical").dimensions for seed in range(40)]
    assert np.mean(np.array(kept) == 3) >= 0.85
    assert min(kept) >= 2


@pytest.mark.parametrize("merge", [True, False])
def test_a_near_duplicate_adds_no_dimension(merge):
    twice = DISTINCT[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    kept = [built(twice, seed, merge=merge, null="identical").dimensions for seed in range(40)]
    assert np.mean(np.array(kept) > 3) <= 0.05  # the level of the test
    assert np.mean(np.array(kept) == 3) >= 0.85


def duplicated(floor_value):
    """The measured suite with test a entered twice, the pair as far apart as the floor."""
    index = [0, 0, 1, 2]
    matrix = DISTINCT[np.ix_(index, index)].copy()
    matrix[0, 1] = matrix[1, 0] = floor_value
    return matrix + np.diag([SELF[i] for i in index])


@pytest.mark.parametrize("floor_value", SELF)
def test_a_near_duplicate_does_not_change_the_score_appreciably(floor_value):
    performance = np.array([[0.9, 0.5, 0.7], [0.4, 0.8, 0.6]])
    plain = space.build(list("abc"), [3, 2, 1], DISTINCT + np.diag(SELF))
    double = space.build(["a", "a2", "b", "c"], [3, 3, 2, 1], duplicated(floor_value))
    assert double.dimensions == 3
    before = quotient.score(plain, ["x", "y"], performance)
    after = quotient.score(double, ["x", "y"], performance[:, [0, 0, 1, 2]])
    for old, new in zip(before.agents, after.agents, strict=True):
        assert old.agent == new.agent
        assert new.volume.value == pytest.approx(old.volume.value, rel=0.03)
        assert new.relative.value == pytest.approx(old.relative.value, rel=0.01)
    naive = space.build(["a", "a2", "b", "c"], [3, 3, 2, 1], duplicated(floor_value), dimensions=4, merge=False)
    assert quotient.score(naive, ["x", "y"], performance[:, [0, 0, 1, 2]]).suite.volume < 0.3 * before.suite.volume


def test_merged_tests_are_named_share_a_direction_and_distinct_ones_are_left_alone():
    found = space.build(["a", "a2", "b", "c"], [3, 2.7, 2, 1], duplicated(0.0028))
    assert found.merged == (("a", "a2"),)
    np.testing.assert_allclose(found.directions[0], found.directions[1], atol=1e-7)
    assert np.linalg.norm(found.coordinates[1]) == pytest.approx(0.9)
    assert space.build(list("abc"), [3, 2, 1], DISTINCT + np.diag(SELF)).merged == ()
    assert space.build(["a", "a2", "b", "c"], [3, 2.7, 2, 1], duplicated(0.0028), merge=False).merged == ()


def test_merging_averages_dissimilarities():
    d = np.array([[0, 0.1, 0.6, 1.0], [0.1, 0, 0.8, 0.6], [0.6, 0.8, 0, 0.9], [1.0, 0.6, 0.9, 0]])
    shared = share_rows(d, np.array([1, 1, 2, 3]))
    expected = [[0, 0, 0.7, 0.8], [0, 0, 0.7, 0.8], [0.7, 0.7, 0, 0.9], [0.8, 0.8, 0.9, 0]]
    np.testing.assert_allclose(shared, expected)
    chain = np.array([[0, 0.07, 0.14], [0.07, 0, 0.07], [0.14, 0.07, 0]])  # neighbours alike, ends apart
    group = duplicate_groups(chain, np.full(50, 0.08), None, 0)
    assert np.unique(group).size == 2


def test_the_stricter_null_finds_two_dimensions_among_six_tests_on_a_quarter_circle():
    truth = 0.017 * in_plane(np.linspace(0, np.pi / 2, 6))
    found = [built(truth, seed, null="propagated") for seed in range(20)]
    assert np.mean([one.dimensions == 2 for one in found]) >= 0.8
    assert all(one.dimensions == one.dimensionality.propagated for one in found)


def test_without_any_noise_the_tolerance_is_numerical_and_says_so():
    found = space.build(list("abc"), [1, 1, 1], DISTINCT)
    assert "numerical tolerance" in found.dimensionality.source
    assert found.dimensionality.floor is None
    assert found.dimensionality.propagated is None
    given = space.build(list("abc"), [1, 1, 1], DISTINCT + 0.012 * np.eye(3))
    assert given.dimensions < 3
    assert "self-dissimilarities" in given.dimensionality.source


def test_the_threshold_of_constant_floors_is_their_square():
    floor = -np.full((10, 5, 5), 0.04) * (1 - np.eye(5))
    assert embedding._identical_threshold(floor) == pytest.approx(0.04)


def test_a_threshold_grows_with_the_noise_and_the_seed_has_an_effect():
    def threshold(factor, seed):
        matrix = DISTINCT + np.diag(SELF) * factor
        return space.build(list("abc"), [1, 2, 3], matrix, seed=seed, null="identical").dimensionality.thresholds[1]

    assert threshold(2, 0) == pytest.approx(4 * threshold(1, 0))
    assert threshold(1, 0) != threshold(1, 1)
    assert threshold(1, 0) == threshold(1, 0)


def test_bootstrap_is_aligned_counted_and_centred_on_the_estimate():
    found = built(DISTINCT, 2)
    boot = found.bootstrap
    assert boot.coordinates.shape == (60, 3, found.dimensions)
    assert sum(boot.dimension_counts) == 60
    assert np.all(boot.displacement < 0.5)
    assert np.all(boot.congruence > 0.8)
    lengths = np.linalg.norm(boot.coordinates, axis=2)
    np.testing.assert_allclose(lengths, np.broadcast_to([1, 0.85, 0.7], lengths.shape))


def test_broken_replicates_are_counted_not_used():
    boot = np.tile(1 - np.eye(3), (10, 1, 1))
    boot[3, 0, 1] = np.nan
    found = space.build(list("abc"), [1, 2, 3], 1 - np.eye(3), dissimilarity_replicates=boot)
    assert found.bootstrap.failed == 1
    assert found.bootstrap.coordinates.shape[0] == 9
    np.testing.assert_allclose(found.bootstrap.displacement, 0, atol=1e-12)
