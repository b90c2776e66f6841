"""Simultaneous ranks, calibrated orders, rank correlations: closed forms, a slower reference, simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import ndtr

from aiq.stats import ranks
from aiq.stats.ranks import rank_correlation


def slow_sets(values, errors, confidence):
    """Return the sets of Mogstad, Romano, Shaikh and Wilhelm (2024), section 3.2 without steps, pair by pair."""
    m = len(values)
    se = {(j, k): np.sqrt(np.mean((errors[:, j] - errors[:, k]) ** 2)) for j in range(m) for k in range(m) if j != k}
    largest = [max(abs(row[j] - row[k]) / se[j, k] for j, k in se) for row in errors]
    c = np.quantile(largest, confidence)
    sets = []
    for j in range(m):
        others = [k for k in range(m) if k != j]
        surely_above = sum(values[j] - values[k] + c * se[j, k] < 0 for k in others)
        surely_below = sum(values[j] - values[k] - c * se[j, k] > 0 for k in others)
        sets.append((1 + surely_above, m - surely_below))
    return sets, c


@pytest.mark.parametrize("seed", range(4))
def test_rank_sets_are_those_of_the_slow_reference(seed):
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(7, 3))
    values, errors = rng.normal(size=7) * 3, ranks.deviations(factor @ factor.T + np.eye(7), 500, rng)
    found = ranks.rank_sets(values, errors)
    sets, critical = slow_sets(values, errors, 0.95)
    assert [*zip(found.low, found.high, strict=True)] == sets
    assert found.critical == pytest.approx(critical)


def test_two_values_need_the_normal_quantile_and_many_need_more():
    rng = np.random.default_rng(1)
    two = ranks.rank_sets([0, 1], ranks.deviations(np.eye(2), 40_000, rng))
    ten = ranks.rank_sets(np.zeros(10), ranks.deviations(np.eye(10), 20_000, rng))
    assert two.critical == pytest.approx(1.96, abs=0.03)
    assert ten.critical == pytest.approx(4.474 / np.sqrt(2), abs=0.04)  # studentised range of 10, infinite df: 4.474


def test_few_degrees_of_freedom_widen_to_the_studentised_range():
    rng = np.random.default_rng(2)
    four = ranks.rank_sets(np.zeros(4), ranks.deviations(np.eye(4), 60_000, rng), df=10, rng=rng)
    assert four.critical == pytest.approx(4.327 / np.sqrt(2), abs=0.05)  # q(.95; 4, 10) = 4.327


def test_what_all_values_share_does_not_blur_their_ranks():
    rng = np.random.default_rng(3)
    own, shared = ranks.deviations(0.01 * np.eye(3), 2000, rng), 100 * rng.normal(size=(2000, 1))
    found = ranks.rank_sets([1.0, 2.0, 3.0], own + shared)
    assert [*zip(found.low, found.high, strict=True)] == [(3, 3), (2, 2), (1, 1)]


def test_values_without_errors_are_ranked_as_they_are_and_equal_ones_share():
    found = ranks.rank_sets([0.2, 0.7, 0.7], np.zeros((30, 3)))
    assert [*zip(found.low, found.high, strict=True)] == [(3, 3), (1, 2), (1, 2)]


def test_all_ranks_hold_at_once():
    rng = np.random.default_rng(4)
    truth = np.array([0.0, 0.02, 0.05, 1.5, 4.0])
    place = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    hits = []
    for _ in range(200):
        found = ranks.rank_sets(truth + 0.5 * rng.normal(size=5), ranks.deviations(0.25 * np.eye(5), 400, rng))
        hits.append(bool(np.all((found.low <= place) & (place <= found.high))))
    assert np.mean(hits) >= 0.92


@given(st.integers(2, 6), st.integers(0, 10_000))
def test_sets_hold_the_order_seen_and_follow_permutations(m, seed):
    rng = np.random.default_rng(seed)
    values, errors = rng.normal(size=m), rng.normal(size=(60, m))
    found, seen = ranks.rank_sets(values, errors), 1 + (values[None, :] > values[:, None]).sum(axis=1)
    assert np.all((found.low <= seen) & (seen <= found.high))
    turn = rng.permutation(m)
    turned = ranks.rank_sets(values[turn], errors[:, turn])
    assert np.array_equal(turned.low, found.low[turn])
    assert np.array_equal(turned.high, found.high[turn])


def test_order_probability_is_the_integral_over_the_reliability():
    values, s = np.array([1.0, 0.4, -0.3, 0.1]), 0.5
    squares = ((values - values.mean()) ** 2).sum() / s**2

    def weight(k):
        return k**-0.5 * (1 - k) ** 1.5 * np.exp(-(1 - k) * squares / 2)

    whole = integrate.quad(weight, 0, 1)[0]
    z = (values[0] - values[1]) / (s * np.sqrt(2))
    expected = integrate.quad(lambda k: weight(k) * ndtr(np.sqrt(k) * z), 0, 1)[0] / whole
    found = ranks.order_probabilities(values, s**2 * np.eye(4))
    assert found[0, 1] == pytest.approx(expected, abs=0.01)
    assert np.allclose(found + found.T, 1)
    assert np.allclose(np.diag(found), 0.5)


def test_equal_values_are_even_and_far_ones_sure():
    found = ranks.order_probabilities([0.0, 0.0, 9.0], 0.01 * np.eye(3))
    assert found[0, 1] == 0.5
    assert found[2, 0] > 0.999
    certain = ranks.order_probabilities([0.0, 1.0], np.zeros((2, 2)))
    assert certain.tolist() == [[0.5, 0.0], [1.0, 0.5]]


@pytest.mark.parametrize(("spread", "least", "most"), [(0.3, 0.68, 0.93), (0.7, 0.87, 0.97), (2.0, 0.87, 0.97)])
def test_what_is_said_as_nine_in_ten_is_nearly_so_and_nearer_than_without_the_reliability(spread, least, most):
    rng, right, plain = np.random.default_rng(5), [], []
    for _ in range(400):
        truth = spread * rng.normal(size=12)
        values = truth + rng.normal(size=12)
        above, raw = truth[:, None] > truth, ndtr((values[:, None] - values) / np.sqrt(2))
        said = ranks.order_probabilities(values, np.eye(12))
        right += list(above[(said >= 0.85) & (said < 0.95)])
        plain += list(above[(raw >= 0.85) & (raw < 0.95)])
    assert len(right) > 20
    assert least <= np.mean(right) <= most
    assert abs(np.mean(right) - 0.9) <= abs(np.mean(plain) - 0.9) + 0.02


# ---- rank correlations and their intervals

ABOUT_95 = 1.959964


def test_coefficients_by_hand():
    """1 2 3 4 5 against 2 1 3 4 5: sum of squared differences of ranks 2, one of ten pairs in the other order."""
    found = rank_correlation([1, 2, 3, 4, 5], [20, 10, 30, 40, 50])
    assert found.spearman == pytest.approx(1 - 6 * 2 / (5 * 24))
    assert found.kendall == pytest.approx((9 - 1) / 10)
    assert (found.domains, found.compared, found.note) == (5, 5, "")


def test_the_interval_by_hand():
    """Bonett and Wright: rho .9 of 10, standard error sqrt((1 + .405)/7) on Fisher's scale."""
    x = np.arange(10.0)
    y = x.copy()
    y[[0, 2, 5, 8]] = y[[2, 0, 8, 5]]
    found = rank_correlation(x, y)
    rho = 1 - 6 * (4 + 4 + 9 + 9) / 990
    half = ABOUT_95 * np.sqrt((1 + rho**2 / 2) / 7)
    expected = np.tanh([np.arctanh(rho) - half, np.arctanh(rho) + half])
    assert found.spearman_interval == pytest.approx(tuple(expected), rel=1e-6)


@given(st.integers(5, 12).flatmap(lambda n: st.permutations(range(n))))
def test_only_the_order_counts_and_the_reverse_turns_the_sign(order: list[int]):
    x = np.arange(len(order), dtype=float)
    found = rank_correlation(x, order)
    assert rank_correlation(np.exp(x), np.array(order) ** 3) == found
    turned = rank_correlation(-x, order)
    assert (turned.spearman, turned.kendall) == pytest.approx((-found.spearman, -found.kendall))
    low, high = found.spearman_interval
    assert -1 <= low <= found.spearman <= high <= 1
    assert turned.spearman_interval == pytest.approx((-high, -low))


def test_a_perfect_order_of_few_domains_is_not_taken_for_certain():
    found = rank_correlation(range(6), range(6))
    assert (found.spearman, found.kendall) == pytest.approx((1, 1))
    assert found.spearman_interval[0] < 0.9
    assert found.kendall_interval[0] < 0.5
    assert (found.spearman_interval[1], found.kendall_interval[1]) == pytest.approx((1, 1))


def test_pairs_count_as_their_domains():
    x, y = np.arange(15.0), np.roll(np.arange(15.0), 2)
    alone, pairs = rank_correlation(x, y), rank_correlation(x, y, domains=6)
    assert (pairs.spearman, pairs.kendall) == (alone.spearman, alone.kendall)
    assert (pairs.domains, pairs.compared) == (6, 15)
    assert np.diff(pairs.spearman_interval) > 1.5 * np.diff(alone.spearman_interval)


def test_below_five_domains_there_is_no_interval_and_below_three_no_number():
    four = rank_correlation(range(4), [0, 1, 3, 2])
    assert four.spearman == pytest.approx(0.8)
    assert four.spearman_interval is four.kendall_interval is None
    assert four.note == "no interval for fewer than 5 domains, and there are 4"
    two = rank_correlation([1, 2], [1, 2])
    assert np.isnan(two.spearman)
    assert two.note == "not defined for fewer than 3, and there are 2"


def test_what_is_the_same_everywhere_has_no_rank_correlation():
    found = rank_correlation(range(6), [1.0] * 6)
    assert np.isnan(found.spearman)
    assert np.isnan(found.kendall)
    assert "the same everywhere" in found.note


def test_fewer_pairs_than_domains_count_as_many_as_they_are():
    x, y = [1, 2, 3, 4, 5], [20, 10, 30, 40, 50]
    five, alone = rank_correlation(x, y, domains=10), rank_correlation(x, y)  # five pairs of ten domains
    assert (five.spearman_interval, five.kendall_interval) == (alone.spearman_interval, alone.kendall_interval)
    assert (five.domains, five.compared) == (10, 5)
    few = rank_correlation(x[:4], y[:4], domains=5)  # four pairs with one landmark
    assert few.spearman_interval is None
    assert few.note == "no interval for fewer than 5 pairs, and there are 4"
