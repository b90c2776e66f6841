"""The 2020 similarity: closed forms, published numbers, invariants, its identity with the 2025 area, coverage."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as some
from scipy import stats as distributions

from aiq.errors import InputError
from aiq.measures import dissimilarity, similarity
from aiq.measures.similarity import probability_between

TABLE_1 = {"M": 0.9932, "F": 0.9251, "C10": 0.8099, "C100": 0.4892}
TABLE_2 = {("M", "F"): 0.216, ("M", "C10"): 0.290, ("M", "C100"): 0.171,
           ("F", "C10"): 0.557, ("F", "C100"): 0.221, ("C10", "C100"): 0.651}  # fmt: skip
IMPLIED = {("M", "F"): 0.9518, ("M", "C10"): 0.8750, ("M", "C100"): 0.6981,
           ("F", "C10"): 0.8354, ("F", "C100"): 0.6590, ("C10", "C100"): 0.5452}  # fmt: skip

unit = some.floats(0, 1).map(lambda x: round(x, 4))


# ---- the value


@pytest.mark.parametrize("pair", TABLE_2)
def test_the_implied_mixtures_give_table_2(pair):
    a, b = (TABLE_1[name] for name in pair)
    found = similarity.measure([0, 0.5, 1], [b, IMPLIED[pair], a])
    assert found.value == pytest.approx(TABLE_2[pair], abs=6e-4)  # the four decimals of the implied performances
    for one, other in ((a, b), (b, a)):
        mixture = similarity.implied(one, other, TABLE_2[pair])
        assert float(mixture) == pytest.approx(IMPLIED[pair], abs=6e-5)
        assert float(similarity.normalised(one, other, mixture)) == pytest.approx(TABLE_2[pair])


@pytest.mark.parametrize(("merged", "expected"), [(0.9, -1), (0.5, 1), (0.7, 0), (0.6, 0.5), (0.95, -1), (0.2, 1)])
def test_by_hand(merged, expected):
    assert float(similarity.normalised(0.9, 0.5, merged)) == pytest.approx(expected)


@given(unit, unit, unit)
def test_eq_3_is_eq_2_over_the_gap_and_the_order_does_not_matter(a, b, m):
    assume(a != b)
    high, low = max(a, b), min(a, b)
    expected = (abs(high - m) - abs(low - m)) / abs(high - low)
    for one, other in ((a, b), (b, a)):
        assert float(similarity.normalised(one, other, m)) == pytest.approx(expected, abs=1e-9)
        assert similarity.measure([0, 0.5, 1], [other, m, one]).value == pytest.approx(expected, abs=1e-9)


@given(some.lists(unit, min_size=3, max_size=3, unique=True), some.floats(0.1, 1000), some.floats(-1e4, 1e4))
def test_scale_and_shift_of_the_performances_do_not_matter(values, scale, shift):
    a, b, m = values
    moved = [scale * value + shift for value in values]
    assert float(similarity.normalised(*moved)) == pytest.approx(float(similarity.normalised(a, b, m)), abs=1e-5)


@given(some.lists(unit, min_size=11, max_size=11), some.booleans())
def test_at_one_half_it_is_twice_the_departure_from_the_line_of_2025_over_the_gap(curve, sort):
    curve = sorted(curve) if sort else curve
    assume(abs(curve[0] - curve[-1]) > 1e-3)
    p = np.linspace(0, 1, 11)
    area = dissimilarity.measure(p, curve, resamples=0)
    departure = abs(area.observed[5] - area.line[5])
    found = similarity.measure(p, curve)
    between = min(curve[0], curve[-1]) <= curve[5] <= max(curve[0], curve[-1])
    expected = 2 * departure / abs(curve[0] - curve[-1]) if between else 1.0
    assert found.absolute == pytest.approx(expected, abs=1e-9)
    signed = 2 * (area.line[5] - area.observed[5]) / abs(curve[0] - curve[-1])
    if between:
        assert found.value == pytest.approx(signed, abs=1e-9)


@given(some.sampled_from([0.1, 0.3, 0.5, 0.8]), unit, unit)
def test_on_the_straight_line_it_is_one_minus_two_p(at, a, b):
    assume(abs(a - b) > 1e-3)
    p = [0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1]
    found = similarity.measure(p, [a * share + b * (1 - share) for share in p], at=at)
    assert found.value == pytest.approx(1 - 2 * at, abs=1e-6)
    assert found.on_the_line == 1 - 2 * at


def test_the_share_is_that_of_the_easier_test_whatever_the_order():
    one = similarity.measure([0, 0.3, 0.7, 1], [0.5, 0.55, 0.8, 0.9], at=0.3)
    other = similarity.measure([1, 0.7, 0.3, 0], [0.5, 0.55, 0.8, 0.9], at=0.3)
    assert (one.swapped, other.swapped) == (False, True)
    assert one.value == other.value == pytest.approx((0.9 + 0.5 - 2 * 0.55) / 0.4)
    assert (other.v_a.value, other.v_b.value, other.v_ab.value) == (0.9, 0.5, 0.55)


# ---- what is undefined or undetermined


def test_a_self_pair_is_undefined_and_the_printed_number_is_quoted():
    found = similarity.from_values([0.9, 0.91], [0.9, 0.92], [0.9, 0.9], self_pair=True)
    assert (found.value, found.absolute, found.interval, found.sufficient) == (None, None, None, None)
    assert found.as_dict()["printed"] == 1.0
    assert "undefined" in found.note
    assert similarity.measure([0, 0.5, 1], [0.7, 0.6, 0.7]).value is None
    assert np.isnan(similarity.normalised(0.7, 0.7, 0.6))


def test_tests_that_cannot_be_told_apart_are_undetermined_with_a_set():
    found = similarity.from_values([0.80, 0.82, 0.84], [0.79, 0.82, 0.83], [0.6, 0.61, 0.62])
    assert found.separation < 2
    assert found.value is None
    assert "cannot be told apart" in found.note
    assert found.segments == ((-1.0, -1.0), (1.0, 1.0))  # V_AB is below both: S is 1, or -1 seen from the other side
    assert found.interval == (-1.0, 1.0)
    assert found.sufficient < 0.05


def test_between_two_standard_errors_and_the_quantile_of_t_the_value_has_an_unbounded_set():
    found = similarity.from_values([0.80, 0.84], [0.70, 0.77], [0.78, 0.79])
    assert 2 < found.separation < distributions.t.ppf(0.975, 2)
    assert found.value is not None
    assert found.interval == (-1.0, 1.0)


def test_one_repetition_has_a_value_and_no_interval():
    found = similarity.measure([0, 0.5, 1], [0.5, 0.6, 0.9])
    assert found.value == pytest.approx(0.5)
    assert (found.interval, found.sufficient, found.separation) == (None, None, None)
    assert "no interval" in found.note


def test_without_noise_the_set_is_the_value():
    found = similarity.from_values([0.9] * 3, [0.5] * 3, [0.6] * 3)
    assert found.interval == pytest.approx((0.5, 0.5))
    assert found.sufficient == 1.0
    assert found.as_dict()["separation"] is None  # infinite


def test_failed_repetitions_are_left_out_and_counted():
    curves = [[0.5, 0.6, 0.9], [0.52, np.nan, 0.9], [0.5, 0.62, 0.91]]
    found = similarity.measure([0, 0.5, 1], curves)
    assert (found.n_failed, found.v_ab.n, found.v_b.n) == (1, 2, 3)
    paired = similarity.measure([0, 0.5, 1], curves, paired=True)
    assert (paired.n_failed, paired.v_b.n) == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([0, 0.4, 1], [0.5, 0.6, 0.9]), {}, "the proportion 0.5 is missing (given are 0, 0.4, 1)"),
        (([0, 0.3, 1], [0.9, 0.6, 0.5]), {"at": 0.3}, "the proportion 0.7 is missing"),
        (([0, 0.5, 1], [0.5, 0.6, 0.9]), {"at": 1.0}, "strictly between 0 and 1"),
        (([0, 0.5, 1], [0.5, np.nan, 0.9]), {}, "failed"),
        (([0, 0.5, 1], [0.5, 0.6, 0.9]), {"confidence": 1.0}, "confidence is 1"),
    ],
)
def test_what_cannot_be_used_is_refused(arguments, options, words):
    with pytest.raises(InputError) as caught:
        similarity.measure(*arguments, **options)
    assert words in str(caught.value)


# ---- probabilities and coverage


@pytest.mark.parametrize("freedom", [2.0, 7.5, 400.0])
def test_the_probability_of_sufficiency_against_draws(freedom):
    rng = np.random.default_rng(3)
    spread = np.array([[0.8, -0.5], [-0.5, 1.4]])
    draws = np.array([0.6, 0.9]) + rng.multivariate_normal([0, 0], spread, 400_000) / np.sqrt(
        rng.chisquare(freedom, (400_000, 1)) / freedom
    )
    share = np.mean((draws >= 0).all(axis=1) | (draws < 0).all(axis=1))
    found = probability_between(0.6, 0.9, (0.8, -0.5, 1.4), freedom)
    assert found == pytest.approx(share, abs=5 * 0.5 / math.sqrt(400_000))


@pytest.mark.filterwarnings("error")
@given(some.floats(-1e6, 1e6), some.floats(-1e6, 1e6), some.floats(1e-6, 1e3), some.floats(-1, 1), some.floats(1, 50))
def test_the_probability_is_one_and_falls_with_distance(above, below, error, correlation, freedom):
    spread = (error**2, correlation * error, 1.0)
    found = probability_between(above, below, spread, freedom)
    assert 0 <= found <= 1
    farther = probability_between(above, below, tuple(v / 4 for v in spread), freedom)
    if found > 0.999:
        assert farther > 0.998
    if above < -60 * error < 0 and below > 60 and freedom > 4:
        assert found < 0.01


def test_the_probability_at_the_edges():
    assert probability_between(1.0, 1.0, (0.0, 0.0, 0.0), 2.0) == 1.0
    assert probability_between(-1.0, 1.0, (0.0, 0.0, 0.0), 2.0) == 0.0
    assert probability_between(0.0, 1.0, (0.0, 0.0, 0.0), 2.0) == 1.0
    assert probability_between(0.0, 50.0, (1.0, 0.0, 1.0), 30.0) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    ("gap", "true", "paired"),
    [(12.0, 0.4, False), (12.0, 0.4, True), (3.0, -0.3, False), (0.7, 0.2, False), (6.0, 1.4, False)],
)
def test_the_set_covers_the_truth_as_often_as_it_says(gap, true, paired):
    """``gap``: V_A - V_B in standard errors of 5 repetitions; a true ratio above 1 is a mixture below V_B: S = 1."""
    rng, tries, count = np.random.default_rng(7), 500, 5
    a, b = gap * math.sqrt(2 / count), 0.0
    merged = (a + b - true * (a - b)) / 2
    hits = 0
    for _ in range(tries):
        one, other, both = (rng.normal(mean, 1, count) for mean in (a, b, merged))
        found = similarity.from_values(one, other, both, paired=paired)
        hits += any(low - 1e-9 <= min(true, 1.0) <= high + 1e-9 for low, high in found.segments)
    error = math.sqrt(0.95 * 0.05 / tries)
    assert hits / tries > 0.95 - 4 * error
