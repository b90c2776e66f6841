"""The relative dissimilarity: closed forms, invariants, guards, and how often its interval holds the truth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq.errors import InputError
from aiq.measures.dissimilarity.relative import relative

SIDES = ("a", "a", "b", "b")


def measured(rho, *, twins=4, repetitions=5, shared=0.0, spread=0.1, noise=0.1, unit=0.05, seed=0):
    """Departures of a pair and of twins: a mean, a part that a repetition gives to all, and a part of its own."""
    random = np.random.default_rng(seed)
    common = random.normal(0, shared * noise, repetitions)
    hardness = random.normal(1, spread, twins)
    pair = rho + common + random.normal(0, noise, repetitions)
    against = hardness[:, None] + common + random.normal(0, noise, (twins, repetitions))
    return pair * unit, against * unit, np.arange(twins) % 2


def test_without_noise_it_is_the_ratio():
    found = relative([0.02, 0.02], np.full((4, 2), 0.04), SIDES)
    assert found.estimate.value == 0.5
    assert found.spread == 0
    assert found.against_twins == pytest.approx(0.04)


def test_both_sides_count_equally():
    found = relative([0.03] * 3, [[0.02] * 3, [0.02] * 3, [0.02] * 3, [0.04] * 3], ["a", "a", "a", "b"])
    assert found.estimate.value == pytest.approx(1.0)


@given(st.floats(0.1, 8), st.integers(0, 200))
def test_it_does_not_depend_on_the_unit(factor, seed):
    pair, against, sides = measured(0.7, seed=seed)
    one, other = relative(pair, against, sides), relative(pair * factor, against * factor, sides)
    assert one.undefined.split(" ")[0] == other.undefined.split(" ")[0]
    if not one.undefined:
        assert other.estimate.value == pytest.approx(one.estimate.value)
        assert other.estimate.interval == pytest.approx(one.estimate.interval)


def test_the_order_of_twins_and_repetitions_does_not_matter():
    pair, against, sides = measured(0.7)
    turned = relative(pair[::-1], against[::-1, ::-1], sides[::-1])
    found = relative(pair, against, sides)
    assert turned.estimate.value == pytest.approx(found.estimate.value)
    assert turned.estimate.interval == pytest.approx(found.estimate.interval)


def test_a_repetition_with_a_failure_is_left_out():
    pair, against, sides = measured(0.7, repetitions=6)
    short = relative(pair[1:], against[:, 1:], sides)
    against[2, 0] = np.nan
    assert relative(pair, against, sides) == short


def test_twins_that_are_no_strangers_give_no_number():
    easy = relative([0.002, 0.001, -0.001], [[0.001, -0.002, 0.002], [0.0, 0.001, -0.001]])
    assert math.isnan(easy.estimate.value)
    assert easy.estimate.interval is None
    assert "standard error" in easy.undefined
    rows = np.array([0.002, 0.03, 0.07, 0.08])[:, None] + np.array([[0.0, 0.001, -0.001]])
    apart = relative([0.03, 0.03, 0.031], np.repeat(rows, 3, axis=0))
    assert "differ by" in apart.undefined


def test_one_twin_of_each_test_gives_no_interval():
    found = relative([0.02, 0.021, 0.019], [[0.04, 0.041, 0.039], [0.05, 0.049, 0.051]], ["a", "b"])
    assert found.estimate.value == pytest.approx(0.02 / 0.045)
    assert found.estimate.interval is None
    assert "no interval" in found.estimate.method


def test_one_whole_repetition_is_refused():
    with pytest.raises(InputError, match="1 repetitions are whole"):
        relative([0.1, np.nan], [[0.1, 0.2]])


@pytest.mark.parametrize(("rho", "shared"), [(0.0, 0.0), (1.0, 0.0), (1.4, 1.0)])
def test_intervals_hold_the_truth_as_often_as_they_say(rho, shared):
    held, defined = 0, 0
    for seed in range(300):
        found = relative(*measured(rho, shared=shared, seed=seed))
        if found.estimate.interval is not None:
            low, high = found.estimate.interval
            defined, held = defined + 1, held + (low <= rho <= high)
    assert defined > 290
    assert 0.92 <= held / defined <= 0.985  # 300 draws of .95: two standard errors are .025
