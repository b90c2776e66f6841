import math

import numpy as np
import pytest

from aiq.wings.collectives.equations import difference, intelligence, merge, scores_by_complexity, uncertainty
from aiq.wings.collectives.records import EpisodeBlock


def block(scores, levels, kind="random", first=0, stratified=True):
    return EpisodeBlock(kind, "t", 5, 5, 0, first, np.asarray(scores, float), np.asarray(levels), stratified)


@pytest.mark.parametrize(("side", "bits"), [(5, 9.23), (7, 11.20), (10, 13.27), (15, 15.62), (20, 17.28)])
def test_uncertainty_is_the_published(side, bits):
    assert uncertainty(side, side) == pytest.approx(bits, abs=0.005)


def test_every_complexity_has_the_same_weight():
    result = intelligence([block([0, 0, 0.2, 0.2, 0.4, 0.8], [2, 2, 2, 2, 3, 3])])
    assert result.estimate.value == pytest.approx((0.1 + 0.6) / 2)
    error = math.sqrt(np.var([0, 0, 0.2, 0.2], ddof=1) / 4 + np.var([0.4, 0.8], ddof=1) / 2) / 2
    low, high = result.estimate.interval
    assert (high - low) / 2 == pytest.approx(1.959964 * error, rel=1e-6)
    assert result.variation == pytest.approx(error / 0.35)
    assert result.uncertainty == pytest.approx(9.2288, abs=1e-4)


def test_the_interval_covers():
    """95 % intervals over 400 synthetic tests: fewer than 92 % or more than 98 % has probability below 1 %."""
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        levels = np.arange(60) % 6
        scores = np.clip(levels / 10 + rng.normal(0, 0.1, 60), -1, 1)
        low, high = intelligence([block(scores, levels)]).estimate.interval
        hits += low <= 0.25 <= high
    assert 368 <= hits <= 392


def test_too_few_episodes_give_no_interval():
    assert intelligence([block([0.1, 0.2], [2, 3])]).estimate.interval is None
    assert math.isnan(intelligence([block([0.1, 0.2], [2, 3])]).variation)


def test_found_complexities_are_not_weighted_and_blocks_are_merged_in_order():
    parts = [block([0.6], [3], first=2, stratified=False), block([0, 0.3], [2, 2], stratified=False)]
    assert intelligence(parts).estimate.value == pytest.approx(0.3)
    np.testing.assert_array_equal(merge(parts).scores, [0, 0.3, 0.6])


def test_differences_are_paired():
    one, two = block([0.5, 0.7, 0.1, 0.3], [2, 2, 3, 3]), block([0.4, 0.6, 0.0, 0.2], [2, 2, 3, 3], kind="auction")
    result = difference([one], [two])
    assert result.value == pytest.approx(0.1)
    assert result.interval == pytest.approx((0.1, 0.1))


def test_scores_by_complexity():
    parts = [block([0, 0.2, 0.4, 0.8], [2, 2, 3, 5])]
    rows = scores_by_complexity(parts)
    assert [(row.lowest, row.highest) for row in rows] == [(2, 2), (3, 4), (5, 5)]
    assert [row.estimate.value for row in rows] == pytest.approx([0.1, 0.4, 0.8])


@pytest.mark.parametrize("scores", [[], [1.5], [math.nan]])
def test_impossible_blocks_are_refused(scores):
    with pytest.raises(ValueError, match=r"score|block"):
        block(scores, [2] * len(scores))
