"""The jackknife against closed forms, invariances and known coverage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from aiq.stats import jackknife

SAMPLES = st.lists(st.floats(-100, 100), min_size=3, max_size=20)


def without_each(statistic, values, groups):
    return np.array([statistic(values[groups != g]) for g in np.unique(groups)])


def of_mean(values, groups=None):
    groups = np.arange(len(values)) if groups is None else groups
    return values.mean(), without_each(np.mean, values, groups), np.bincount(groups)


@given(SAMPLES)
@settings(deadline=None)
def test_the_mean_has_its_own_standard_error(sample):
    values = np.array(sample)
    value, deleted, members = of_mean(values)
    found = jackknife.covariance([value], deleted[:, None], members)[0, 0]
    assert found == pytest.approx(values.var(ddof=1) / len(values), rel=1e-6, abs=1e-15 * (1 + abs(values).max()) ** 2)


def test_the_interval_of_a_mean_of_spread_values_is_the_textbook_one_where_they_are_as_flat_as_normal_ones():
    values = np.random.default_rng(0).normal(3, 2, 200_0)
    value, deleted, members = of_mean(values)
    low, high = jackknife.interval(value, deleted, members)
    exact = reference.t.interval(0.95, len(values) - 1, value, values.std(ddof=1) / np.sqrt(len(values)))
    assert (low, high) == pytest.approx(exact, rel=1e-3)


def test_covariances_of_two_means_over_the_same_groups():
    rng = np.random.default_rng(1)
    pairs = rng.multivariate_normal([0, 5], [[1, 0.8], [0.8, 2]], size=400)
    deleted = np.array([np.delete(pairs, i, axis=0).mean(axis=0) for i in range(400)])
    found = jackknife.covariance(pairs.mean(axis=0), deleted, np.ones(400))
    np.testing.assert_allclose(found, np.cov(pairs.T) / 400, rtol=1e-9)


def test_unequal_groups_give_the_variance_of_independent_group_totals():
    rng, errors, spread = np.random.default_rng(2), [], []
    groups = np.repeat(np.arange(12), np.arange(2, 14))
    for _ in range(600):
        values = rng.normal(0, 1, 12)[groups] + rng.normal(0, 1, groups.size)
        value, deleted, members = of_mean(values, groups)
        errors.append(value)
        spread.append(jackknife.covariance([value], deleted[:, None], members)[0, 0])
    assert np.mean(spread) == pytest.approx(np.var(errors), rel=0.2)


def test_degrees_of_freedom_of_normal_and_of_lonely_parts():
    rng = np.random.default_rng(3)
    assert jackknife.degrees(rng.normal(size=(10_000, 1)))[0] == pytest.approx(9_999, rel=0.1)
    assert jackknife.degrees(np.array([[5.0], [0.0], [0.0], [0.0]]))[0] == pytest.approx(2 * 4 / (4 - 1 + 2 / 3))
    assert jackknife.degrees(np.ones((7, 2))).tolist() == [6, 6]
    assert jackknife.degrees(np.zeros((7, 1)))[0] == 6


def test_percentiles_of_replicates_are_the_interval_on_every_scale():
    rng = np.random.default_rng(4)
    values = rng.beta(2, 5, 30)
    value, deleted, members = of_mean(values)
    for scale in ("plain", "log", "logit"):
        parts = jackknife.influences([value], deleted[:, None], members)
        drawn = jackknife.drawn([value], parts, 200_000, np.random.default_rng(5), scale)
        low, high = jackknife.interval(value, deleted, members, scale=scale)
        assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx((low, high), rel=0.02)


def test_numbers_drawn_apart_are_drawn_together():
    rng = np.random.default_rng(6)
    pairs = rng.normal(size=(20, 2)) @ np.array([[1.0, 0.9], [0.0, 0.4]]) + 10
    deleted = np.array([np.delete(pairs, i, axis=0).mean(axis=0) for i in range(20)])
    value, parts = pairs.mean(axis=0), jackknife.influences(pairs.mean(axis=0), deleted, np.ones(20))
    both = jackknife.drawn(value, parts, 500, np.random.default_rng(7))
    one = [jackknife.drawn(value[[j]], parts[:, [j]], 500, np.random.default_rng(7)) for j in (0, 1)]
    np.testing.assert_allclose(np.column_stack(one), both)
    assert np.corrcoef(both.T)[0, 1] > 0.8


@given(st.floats(1e-6, 1 - 1e-6), st.floats(-10, 10))
def test_no_step_leaves_the_range_of_its_scale(value, step):
    assert jackknife.moved([value], [[step]], "log")[0, 0] >= 0
    assert 0 <= jackknife.moved([value], [[step]], "logit")[0, 0] <= 1


def test_small_steps_are_the_same_on_every_scale():
    for scale in ("plain", "log", "logit"):
        assert jackknife.moved([0.3], [[1e-6]], scale)[0, 0] == pytest.approx(0.3 + 1e-6, abs=1e-11)
    assert jackknife.moved([-1.0, 2.0], [[0.5, 0.5]], "logit").tolist() == [[-0.5, 2.5]]


@pytest.mark.parametrize(
    ("value", "deleted"), [(1.0, [1.0, 1.0, 1.0]), (1.0, [2.0]), (np.nan, [1.0, 2.0]), (1.0, [1.0, np.inf])]
)
def test_no_interval_where_nothing_moves_or_nothing_is_known(value, deleted):
    assert jackknife.interval(value, deleted, np.ones(len(deleted))) is None


def test_rounding_is_no_spread():
    assert jackknife.interval(0.3, [0.3 + 1e-16, 0.3 - 1e-16, 0.3], np.ones(3)) is None
