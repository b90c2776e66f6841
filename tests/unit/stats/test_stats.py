"""Intervals, the cluster bootstrap, rank probabilities."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import special
from scipy.stats import t

from aiq import seeding, stats
from aiq.records.estimate import StandardError
from aiq.stats import LINE, clipped, fieller_set, joined
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


# ---- moderated variances, sums of unequal parts, Student's intervals -----------------------------


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


# ---- Fieller's set against its definition --------------------------------------------------------


numbers = some.floats(-5, 5).map(lambda x: round(x, 3))
errors = some.floats(0, 2).map(lambda x: round(x, 2))


@given(numbers, numbers, errors, errors, some.floats(-1, 1), some.floats(0.5, 4), numbers)
def test_a_ratio_is_in_the_set_where_the_difference_is_within_the_critical_number_of_errors(
    n, d, error_n, error_d, correlation, critical, ratio
):
    assume(d != 0 or error_d > 0)  # there is no ratio to nothing: every number is left
    variances = (error_n**2, correlation * error_n * error_d, error_d**2)
    distance = abs(n - ratio * d)
    error = math.sqrt(max(variances[0] - 2 * ratio * variances[1] + ratio**2 * variances[2], 0))
    assume(abs(distance - critical * error) > 1e-6)
    found = fieller_set(n, d, variances, critical)
    assert any(low <= ratio <= high for low, high in found) == (distance <= critical * error)


def test_a_known_denominator_gives_the_interval_of_the_numerator_and_no_noise_one_number():
    assert fieller_set(1.0, 4.0, (0.0, 0.0, 0.0), 2.0) == ((0.25, 0.25),)
    ((low, high),) = fieller_set(3.0, 2.0, (0.25, 0.0, 0.0), 2.0)
    assert (low, high) == pytest.approx((1.0, 2.0))


@pytest.mark.parametrize(("denominator", "segments", "bounded"), [(3.0, 1, True), (1.9, 2, False), (0.0, 2, False)])
def test_the_set_is_bounded_where_the_denominator_differs_from_zero(denominator, segments, bounded):
    found = fieller_set(5.0, denominator, (1.0, 0.0, 1.0), 2.0)
    assert len(found) == segments
    assert all(map(math.isfinite, found[0])) == bounded


def test_numbers_that_say_nothing_give_the_whole_line():
    assert fieller_set(0.1, 0.1, (1.0, 0.0, 1.0), 2.0) == LINE
    assert fieller_set(0.0, 0.0, (0.0, 0.0, 0.0), 2.0) == LINE


@given(numbers, numbers, some.sampled_from([1e-12, 1e-3, 1e9]))
def test_the_unit_does_not_matter(n, d, unit):
    assume(abs(abs(d) - 1.4) > 1e-3)
    one = fieller_set(n, d, (0.3, 0.1, 0.49), 2.0)
    other = fieller_set(n * unit, d * unit, tuple(unit**2 * v for v in (0.3, 0.1, 0.49)), 2.0)
    assert np.allclose(np.array(one), np.array(other), rtol=1e-6)


def test_unions_and_cuts():
    assert joined([(2, 3), (0, 1), (0.5, 2.5), (4, 5)]) == ((0, 3), (4, 5))
    assert clipped([(-math.inf, -3.0), (0.2, math.inf)], -1, 1) == ((-1, -1), (0.2, 1))
    assert clipped([(1.5, 2.5)], -1, 1) == ((1, 1),)
