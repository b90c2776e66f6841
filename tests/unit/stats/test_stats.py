"""Intervals, the cluster bootstrap, rank probabilities."""

import math

import numpy as np
import pytest
from hypothesis import given
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


@given(hnp.arrays(float, st.integers(2, 40), elements=st.floats(-1e6, 1e6)), st.floats(0.01, 0.49))
def test_wider_confidence_contains_the_narrower(values, tail):
    low, high = stats.percentile_interval(values, 1 - tail)
    inner_low, inner_high = stats.percentile_interval(values, 1 - 2 * tail)
    assert values.min() <= low <= inner_low <= inner_high <= high <= values.max()


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
