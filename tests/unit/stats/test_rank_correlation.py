"""Rank correlations and their intervals, by hand and by invariance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq.stats.ranks import rank_correlation

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


@pytest.mark.parametrize(("x", "y", "confidence"), [([1, 2], [1], 0.95), ([1, np.nan], [1, 2], 0.95), ([1], [1], 1.0)])
def test_what_cannot_be_ranked_is_refused(x, y, confidence):
    with pytest.raises(ValueError, match=r"must be finite|outside"):
        rank_correlation(x, y, confidence=confidence)


def test_fewer_pairs_than_domains_count_as_many_as_they_are():
    x, y = [1, 2, 3, 4, 5], [20, 10, 30, 40, 50]
    five, alone = rank_correlation(x, y, domains=10), rank_correlation(x, y)  # five pairs of ten domains
    assert (five.spearman_interval, five.kendall_interval) == (alone.spearman_interval, alone.kendall_interval)
    assert (five.domains, five.compared) == (10, 5)
    few = rank_correlation(x[:4], y[:4], domains=5)  # four pairs with one landmark
    assert few.spearman_interval is None
    assert few.note == "no interval for fewer than 5 pairs, and there are 4"
