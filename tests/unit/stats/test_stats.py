"""Intervals, the cluster bootstrap, rank probabilities."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import special

from aiq import seeding, stats
from aiq.stats.ranks import rank_probabilities

labels = st.lists(st.integers(0, 5), min_size=1, max_size=30)


def rng(*key):
    return seeding.generator(0, "test_stats", *key)


# ---- interval -----------------------------------------------------------------------------------


def test_the_interval_of_known_quantiles():
    assert stats.percentile_interval(np.arange(101), 0.9) == pytest.approx((5, 95))
    assert stats.percentile_interval(np.arange(101), 0.5) == pytest.approx((25, 75))
    assert stats.percentile_interval([3.0, 1.0], 0.999999) == pytest.approx((1, 3), abs=1e-5)


def test_the_point_of_the_normal_distribution_is_scipys():
    assert special.ndtri(0.975) == stats.Z


def test_the_interval_leaves_out_what_is_not_finite_and_needs_two():
    assert stats.percentile_interval([math.nan, 1, math.inf, 2, -math.inf], 0.5) == pytest.approx((1.25, 1.75))
    for few in ([], [1.0], [1.0, math.nan], [math.nan] * 5):
        assert stats.percentile_interval(few) is None


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 95, math.nan])
def test_a_confidence_outside_the_unit_interval_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence"):
        stats.percentile_interval([1, 2, 3], confidence)


@given(hnp.arrays(float, st.integers(2, 40), elements=st.floats(-1e6, 1e6)), st.floats(0.01, 0.49))
def test_wider_confidence_contains_the_narrower(values, tail):
    low, high = stats.percentile_interval(values, 1 - tail)
    inner_low, inner_high = stats.percentile_interval(values, 1 - 2 * tail)
    assert values.min() <= low <= inner_low <= inner_high <= high <= values.max()


# ---- cluster bootstrap --------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(groups=labels, seed=st.integers(0, 99))
def test_groups_are_drawn_whole(groups, seed):
    groups = np.array(groups)
    sizes = {g: np.count_nonzero(groups == g) for g in set(groups.tolist())}
    for drawn in stats.cluster_resamples(groups, 5, rng(seed)):
        times = np.bincount(drawn, minlength=len(groups))
        total = 0
        for g, size in sizes.items():
            (count,) = set(times[groups == g].tolist())
            total += count
            assert count * size == np.count_nonzero(groups[drawn] == g)
        assert total == len(sizes)


def test_with_groups_of_one_it_is_the_plain_bootstrap():
    drawn = list(stats.cluster_resamples(np.arange(7), 50, rng("plain")))
    plain = rng("plain")
    assert all(np.array_equal(indices, plain.integers(7, size=7)) for indices in drawn)


def test_the_number_of_resamples_and_their_seed():
    groups = np.repeat(np.arange(5), 3)
    one, two = (list(stats.cluster_resamples(groups, 9, rng("a"))) for _ in range(2))
    assert len(one) == 9
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    other = list(stats.cluster_resamples(groups, 9, rng("b")))
    assert any(not np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_labels_may_be_words_and_need_not_be_sorted():
    (drawn,) = stats.cluster_resamples(["b", "a", "b"], 1, rng("words"))
    times = np.bincount(drawn, minlength=3)
    assert times[0] == times[2]
    assert times[0] + times[1] == 2


@pytest.mark.parametrize("groups", [[], [[1, 2], [3, 4]], 3])
def test_labels_of_another_shape_are_refused(groups):
    with pytest.raises(ValueError, match="group labels"):
        next(stats.cluster_resamples(groups, 1, rng()))


def coverage(group_of_chunk: bool, repeats: int = 300, chunks: int = 20, size: int = 5) -> float:
    """Share of 90 % intervals for a mean that contain the truth 0, with a strong effect of the chunk."""
    covered = 0
    groups = np.repeat(np.arange(chunks), size) if group_of_chunk else np.arange(chunks * size)
    for k in range(repeats):
        source = rng("coverage", k)
        values = np.repeat(source.normal(size=chunks), size) + 0.3 * source.normal(size=chunks * size)
        means = [values[drawn].mean() for drawn in stats.cluster_resamples(groups, 200, source)]
        low, high = stats.percentile_interval(means, 0.9)
        covered += low <= 0 <= high
    return covered / repeats


def test_the_interval_covers_when_chunks_are_drawn_and_does_not_when_trials_are():
    assert 0.82 <= coverage(True) <= 0.95
    assert coverage(False) < 0.7


# ---- ranks --------------------------------------------------------------------------------------


def test_rank_probabilities_by_hand():
    found = rank_probabilities([[1, 2, 2], [3, 2, 1], [2, 1, 1], [1, 1, 1]])
    assert found == pytest.approx(np.array([[0.5, 0.625, 0.625], [0.375, 0.5, 0.625], [0.375, 0.375, 0.5]]))


@given(hnp.arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=st.integers(0, 3).map(float)))
def test_rank_probabilities_of_a_pair_add_up_to_one(values):
    found = rank_probabilities(values)
    assert np.allclose(found + found.T, 1)
    assert np.allclose(np.diag(found), 0.5)
    assert np.array_equal(found, rank_probabilities(values * 3 + 1))


def test_incomplete_resamples_are_left_out():
    assert rank_probabilities([[1, 2], [math.nan, 0], [3, math.inf]])[1, 0] == 1
    assert np.isnan(rank_probabilities([[math.nan, 1, 2]])).all()
