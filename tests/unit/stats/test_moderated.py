"""Moderated variances, sums of unequal parts, Student's intervals: closed forms, limits, and what they cover."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from aiq import stats
from aiq.records.estimate import StandardError

ELEVEN = np.linspace(0, 1, 11)


def test_variances_are_drawn_to_their_mean_by_the_prior_weight():
    found = stats.moderated_variances([1.0, 2.0, 6.0], [2, 2, 2], prior_df=8)
    np.testing.assert_allclose(found, [(8 * 3 + 2 * v) / 10 for v in (1, 2, 6)])
    np.testing.assert_allclose(stats.moderated_variances([1.0, 4.0], [2, 5], prior_df=0), [1, 4])


def test_the_level_is_weighted_by_degrees_of_freedom_and_fills_what_was_not_repeated():
    found = stats.moderated_variances([1.0, 4.0, np.nan], [3, 1, 0], prior_df=4)
    level = (3 * 1 + 1 * 4) / 4
    np.testing.assert_allclose(found, [(4 * level + 3 * 1) / 7, (4 * level + 1 * 4) / 5, level])


def test_over_places_the_level_is_a_parabola_that_keeps_variances_which_lie_on_one():
    variances = 0.3 * ELEVEN**2 + (1 - ELEVEN) ** 2
    np.testing.assert_allclose(stats.moderated_variances(variances, np.full(11, 2), at=ELEVEN), variances)
    flat = stats.moderated_variances(variances[:5], np.full(5, 2), at=ELEVEN[:5])
    np.testing.assert_allclose(flat, (8 * variances[:5].mean() + 2 * variances[:5]) / 10)


def test_a_parabola_never_goes_below_a_tenth_of_the_mean():
    variances = np.where(ELEVEN == 0, 1.0, 0.0)
    found = stats.moderated_variances(variances, np.full(11, 2), at=ELEVEN)
    assert found.min() == pytest.approx(0.8 * 0.1 * variances.mean())


@given(st.integers(2, 12), st.floats(0.1, 10))
@settings(deadline=None)
def test_one_place_has_the_error_of_an_ordinary_mean(count, variance):
    found = stats.contrast_error([variance], [count], [2.0])
    assert found.se == pytest.approx(2 * math.sqrt(variance / count))
    assert found.df == pytest.approx(count - 1)


@given(st.lists(st.floats(0.5, 2), min_size=3, max_size=6), st.integers(3, 9))
@settings(deadline=None)
def test_with_equal_weights_moderation_leaves_the_error_of_a_sum_alone(variances, count):
    found = stats.contrast_error(variances, [count] * len(variances), np.ones(len(variances)))
    assert found.se == pytest.approx(math.sqrt(sum(variances) / count))
    assert count - 1 <= found.df <= (count - 1) * len(variances) + 1e-9


def test_degrees_of_freedom_are_those_of_welch_without_a_prior():
    s1, s2, n1, n2 = 2.0, 0.5, 4, 9
    found = stats.contrast_error([s1, s2], [n1, n2], [1, -1], prior_df=0)
    welch = (s1 / n1 + s2 / n2) ** 2 / ((s1 / n1) ** 2 / (n1 - 1) + (s2 / n2) ** 2 / (n2 - 1))
    assert found.df == pytest.approx(welch)
    parts = [StandardError(math.sqrt(s1 / n1), n1 - 1), StandardError(math.sqrt(s2 / n2), n2 - 1)]
    assert stats.sum_error(parts).df == pytest.approx(welch)
    assert stats.sum_error(parts).se == pytest.approx(found.se)


def test_no_error_and_an_error_of_zero_are_no_interval():
    assert stats.contrast_error([0.0, 0.0], [3, 3], [1, 1]).se == 0
    assert stats.moderated_interval(0.5, StandardError(0.0, 4)) is None
    assert stats.moderated_interval(0.5, None) is None


def test_intervals_are_students_and_normal_where_the_error_is_known():
    low, high = stats.moderated_interval(1.0, StandardError(0.5, 4), 0.9)
    assert (low, high) == pytest.approx((1 - 0.5 * t.ppf(0.95, 4), 1 + 0.5 * t.ppf(0.95, 4)))
    assert stats.moderated_interval(0.0, StandardError(1.0, math.inf))[1] == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: StandardError(-1.0, 3), "cannot be -1"),
        (lambda: StandardError(1.0, 0), "0 degrees"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_means_borrow_from_each_other_but_a_sample_alone_does_not():
    means, errors = stats.moderated_means([[0.1, 0.3], [0.5, 0.6, 0.7], [0.9]])
    np.testing.assert_allclose(means, [0.2, 0.6, 0.9])
    level = (1 * 0.02 + 2 * 0.01) / 3
    assert errors[0].se == pytest.approx(math.sqrt((4 * level + 0.02) / 5 / 2))
    assert errors[2].se == pytest.approx(math.sqrt(level))
    assert [error.df for error in errors] == [3, 3, 3]  # never more than all samples have
    _, (alone,) = stats.moderated_means([[0.1, 0.3, 0.2]])
    assert alone.df == 2
    assert alone.se == pytest.approx(np.std([0.1, 0.3, 0.2], ddof=1) / math.sqrt(3))
    assert stats.moderated_means([[0.1], [0.2]])[1] == (None, None)


def test_intervals_of_means_cover_where_variances_differ_between_agents():
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(1500):
        spread = np.exp(rng.normal(0, 0.3, 6))
        samples = spread[:, None] * rng.standard_normal((6, 3))
        means, errors = stats.moderated_means(list(samples))
        for value, error in zip(means, errors, strict=True):
            low, high = stats.moderated_interval(value, error)
            hits.append(low <= 0 <= high)
    assert 0.93 <= np.mean(hits) <= 0.97
