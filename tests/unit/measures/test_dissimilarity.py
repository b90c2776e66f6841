"""Dissimilarity of a pair against closed forms, a slow reference and properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import t

from aiq.errors import InputError
from aiq.measures import dissimilarity
from aiq.measures.dissimilarity import folded_mean, mixture_curves, unfold

ELEVEN = np.arange(11) / 10


def slow_areas(p, curves, estimator="average_first"):
    """Plain and signed area with loops over points and repetitions."""
    order = sorted(range(len(p)), key=lambda k: p[k])

    def departure(curve):
        start, end = curve[order[0]], curve[order[-1]]
        return [curve[k] - (end * p[k] + start * (1 - p[k])) for k in order]

    def area(values):
        x = [p[k] for k in order]
        return sum((x[k + 1] - x[k]) * (values[k] + values[k + 1]) / 2 for k in range(len(x) - 1))

    mean = [sum(c[k] for c in curves) / len(curves) for k in range(len(p))]
    each = [area([abs(d) for d in departure(c)]) for c in curves]
    plain = area([abs(d) for d in departure(mean)]) if estimator == "average_first" else sum(each) / len(each)
    return plain, -area(departure(mean))


@st.composite
def measured(draw):
    inner = [k / 1024 for k in draw(st.lists(st.integers(1, 1023), max_size=6, unique=True))]
    p = draw(st.permutations([0.0, 1.0, *inner]))
    shape = (draw(st.integers(1, 4)), len(p))
    return np.array(p), draw(hnp.arrays(np.float64, shape, elements=st.floats(0, 1)))


@given(measured(), st.sampled_from(["average_first", "per_repetition"]))
def test_equals_the_definition_computed_slowly(case, estimator):
    p, curves = case
    record = dissimilarity.measure(p, curves, estimator=estimator, resamples=0)
    plain, signed = slow_areas(p, curves, estimator)
    assert record.plain.value == pytest.approx(plain, abs=1e-12)
    assert record.signed.value == pytest.approx(signed, abs=1e-12)
    assert abs(record.signed.value) <= record.plain.value + 1e-12
    assert 0 <= record.plain.value <= 1
    if record.corrected is not None:
        averaged = slow_areas(p, curves)[0]
        assert -1e-15 <= record.corrected.value <= averaged + 1e-12


@pytest.mark.parametrize("points", [3, 11, 101])
@pytest.mark.parametrize("height", [0.2, -0.1, 0.0])
def test_a_parabola_beside_the_line_has_two_thirds_of_its_height(points, height):
    # The trapezoid rule with n steps errs by f'' / (12 n^2): 2h/3 becomes 2h/3 (1 - 1/n^2) exactly.
    p = np.linspace(0, 1, points)
    line = 0.9 * p + 0.7 * (1 - p)
    record = dissimilarity.measure(p, line - height * 4 * p * (1 - p), chosen="signed", resamples=0)
    exact = 2 * height / 3 * (1 - 1 / (points - 1) ** 2)
    assert record.value == record.signed.value == pytest.approx(exact, rel=1e-12, abs=1e-15)
    assert record.plain.value == pytest.approx(abs(exact), rel=1e-12, abs=1e-15)
    assert record.distance == max(record.value, 0)
    np.testing.assert_allclose(record.line, line)


@given(measured(), st.floats(0, 1), st.floats(0, 1))
def test_swapping_the_domains_and_adding_a_straight_line_change_nothing(case, start, end):
    p, curves = case
    tilted = curves / 2 + (start * p + end * (1 - p)) / 2
    record, swapped, halved, added = (
        dissimilarity.measure(q, c, resamples=0)
        for q, c in ((p, curves), (1 - p, curves), (p, curves / 2), (p, tilted))
    )
    assert swapped.plain.value == pytest.approx(record.plain.value, abs=1e-12)
    assert swapped.signed.value == pytest.approx(record.signed.value, abs=1e-12)
    assert added.plain.value == pytest.approx(halved.plain.value, abs=1e-12)
    order = np.argsort(p)
    weights = mixture_curves.area_weights(p[order])
    assert weights.sum() == pytest.approx(0, abs=1e-12)
    assert weights @ curves[:, order].mean(axis=0) == pytest.approx(record.signed.value, abs=1e-12)


def test_both_orders_join_mirrored():
    rng = np.random.default_rng(0)
    p = rng.permutation(ELEVEN)
    forward, backward = rng.uniform(size=(2, 11)), rng.uniform(size=(3, 11))
    joined = dissimilarity.measure(p, forward, reverse=backward, resamples=0)
    by_hand = np.array([[curve[np.argmin(np.abs(p - (1 - q)))] for q in p] for curve in backward])
    assert joined.value == pytest.approx(slow_areas(p, np.concatenate([forward, by_hand]))[0])
    assert joined.n == 5


def test_failed_repetitions_are_counted_and_left_out():
    curves = np.full((3, 11), 0.5)
    curves[1, 4] = np.nan
    curves[2, 5] = 0.4
    record = dissimilarity.measure(ELEVEN, curves)
    assert (record.n, record.n_failed) == (2, 1)
    assert record.value == pytest.approx(0.005)


def test_one_repetition_has_no_interval_and_no_correction():
    record = dissimilarity.measure(ELEVEN, np.linspace(0.2, 0.9, 11) ** 2)
    assert record.plain.interval is None
    assert record.signed.interval is None
    assert record.corrected is None
    assert record.as_dict()["interval"] is None
    assert record.error is None
    assert record.as_dict()["se"] is None
    assert "no interval (1 repetition)" in record.signed.method
    np.testing.assert_array_equal(record.replicates, np.full(1000, record.value))


@pytest.mark.parametrize("chosen", ["plain", "signed", "corrected", "unbiased"])
def test_replicates_are_draws_of_the_chosen_value_and_hang_on_the_seed_alone(chosen):
    curves = np.clip(0.6 + 0.05 * np.random.default_rng(7).normal(size=(6, 11)), 0, 1)
    one, again, other = (
        dissimilarity.measure(ELEVEN, curves, chosen=chosen, resamples=50, seed=s).replicates for s in (3, 3, 4)
    )
    assert one.shape == (50,)
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    assert chosen == "signed" or (one >= 0).all()


def test_draws_of_a_signed_area_have_its_centre_and_students_spread():
    curves = np.clip(0.6 + 0.02 * np.random.default_rng(7).normal(size=(4, 11)), 0, 1)
    record = dissimilarity.measure(ELEVEN, curves, chosen="signed", resamples=40_000)
    scaled = (record.replicates - record.signed.value) / record.error.se
    for share in (0.025, 0.25, 0.5, 0.75, 0.975):
        assert np.quantile(scaled, share) == pytest.approx(t.ppf(share, record.error.df), abs=0.04)


def test_squares_of_unbiased_draws_average_to_the_unbiased_square_where_the_area_is_large():
    curves = 0.9 - 0.05 * 4 * ELEVEN * (1 - ELEVEN) + 0.01 * np.random.default_rng(1).normal(size=(5, 11))
    record = dissimilarity.measure(ELEVEN, np.clip(curves, 0, 1), chosen="unbiased", resamples=40_000)
    df = record.error.df
    expected = record.square + record.error.se**2 * (df / (df - 2) - 1)  # Student draws are a little wider
    assert np.mean(record.replicates**2) == pytest.approx(expected, rel=0.01)


def test_the_signed_area_is_a_contrast_of_points_whose_errors_add():
    weights = mixture_curves.area_weights(ELEVEN)
    np.testing.assert_allclose(weights, [0.45, *[-0.1] * 9, 0.45])
    curves = 0.6 + 0.02 * np.random.default_rng(7).normal(size=(4, 11))
    record = dissimilarity.measure(ELEVEN, curves, prior_df=0)
    variances = curves.var(axis=0, ddof=1) / 4
    assert record.signed.value == pytest.approx(weights @ curves.mean(axis=0))
    assert record.error.se == pytest.approx(np.sqrt(weights**2 @ variances))
    half = t.ppf(0.975, record.error.df) * record.error.se
    assert record.signed.interval == pytest.approx((record.signed.value - half, record.signed.value + half))
    parts = (record.error.se_inner, record.error.end_a, record.error.end_b)
    assert math.hypot(*parts) == pytest.approx(record.error.se)


def test_where_the_curve_does_not_cross_the_plain_area_has_the_interval_of_the_signed_one():
    rng = np.random.default_rng(2)
    above = 0.5 + 0.1 * 4 * ELEVEN * (1 - ELEVEN) + 0.004 * rng.normal(size=(3, 11))
    record = dissimilarity.measure(ELEVEN, above)
    low, high = record.signed.interval
    assert not record.crosses
    assert record.plain.interval == pytest.approx((-high, -low))
    assert record.as_dict()["interval_plain"] == list(record.plain.interval)


def test_where_the_curve_crosses_the_plain_interval_is_cautious_and_holds_the_plain_area():
    curves = 0.5 + 0.05 * np.sin(2 * np.pi * ELEVEN) + 0.01 * np.random.default_rng(2).normal(size=(3, 11))
    record = dissimilarity.measure(ELEVEN, curves)
    assert record.crosses
    low, high = record.plain.interval
    assert low < record.plain.value < high
    assert record.signed.interval[0] < 0 < record.signed.interval[1]
    assert low > 0  # the signed area cannot be told from 0, the plain one can
    assert dissimilarity.measure(ELEVEN, curves, resamples=0).plain.interval is None


def test_repetitions_that_are_all_alike_give_no_interval_that_is_a_point():
    record = dissimilarity.measure(ELEVEN, np.tile(0.5 - 0.1 * ELEVEN * (1 - ELEVEN), (3, 1)))
    assert record.error.se == 0
    assert (record.signed.interval, record.plain.interval) == (None, None)
    assert "all alike" in record.signed.method
    assert dissimilarity.measure(ELEVEN, np.ones((3, 11))).signed.value == 0


def test_given_standard_errors_stand_for_repetitions():
    curve, se = 0.8 - 0.1 * ELEVEN * (1 - ELEVEN), np.linspace(0.01, 0.02, 11)
    record = dissimilarity.measure(ELEVEN, curve, se=se)
    expected = math.sqrt(float((mixture_curves.area_weights(ELEVEN) * se) @ (mixture_curves.area_weights(ELEVEN) * se)))
    assert record.error.se == pytest.approx(expected)
    assert record.error.df == math.inf
    assert record.signed.interval[1] - record.signed.value == pytest.approx(1.959964 * expected, rel=1e-6)
    turned = dissimilarity.measure(ELEVEN[::-1], curve[::-1], se=se[::-1])
    assert turned.error.se == pytest.approx(expected)


def test_shared_ends_replace_those_of_the_pair():
    rng = np.random.default_rng(3)
    inner, a, b = rng.uniform(0.6, 0.7, (3, 9)), rng.uniform(0.8, 0.9, 9), rng.uniform(0.7, 0.8, 6)
    record = dissimilarity.measure(ELEVEN, inner, ends=(a, b))
    assert record.observed[[0, -1]] == pytest.approx([b.mean(), a.mean()])
    np.testing.assert_allclose(record.observed[1:-1], inner.mean(axis=0))
    error = record.error
    assert error.shared
    assert error.end_a == pytest.approx(0.45 * a.std(ddof=1) / 3)
    assert error.end_b == pytest.approx(0.45 * b.std(ddof=1) / math.sqrt(6))
    assert (error.df_a, error.df_b) == (8, 5)
    assert math.hypot(error.se_inner, error.end_a, error.end_b) == pytest.approx(error.se)
    own = dissimilarity.measure(ELEVEN, inner, ends=(a,))
    assert own.error.end_a == pytest.approx(0.9 * a.std(ddof=1) / 3)
    assert own.error.end_b == 0
    assert own.point_errors[0] == own.point_errors[-1]


def test_the_correction_knows_the_noise_of_shared_ends():
    rng = np.random.default_rng(4)
    inner = 0.8 + 1e-6 * rng.normal(size=(3, 9))
    sure, loose = np.full(9, 0.8), np.clip(0.8 + 0.03 * rng.normal(size=9), 0, 1)
    first = dissimilarity.measure(ELEVEN, inner, ends=(loose, sure))
    error = loose.std(ddof=1) / 3
    expected = np.trapezoid(unfold(np.abs(first.observed - first.line), ELEVEN * error * (ELEVEN < 1)), ELEVEN)
    assert first.corrected.value == pytest.approx(expected, abs=1e-5)
    assert first.corrected.value < first.plain.value


def test_shared_ends_and_both_orders_join():
    rng = np.random.default_rng(3)
    forward, backward, a, b = (rng.uniform(size=shape) for shape in ((2, 9), (3, 9), 4, 4))
    one = dissimilarity.measure(ELEVEN, forward, reverse=backward, ends=(a, b))
    other = dissimilarity.measure(ELEVEN, np.concatenate([forward, backward[:, ::-1]]), ends=(a, b))
    assert one.signed == other.signed
    whole, failed = (dissimilarity.measure(ELEVEN, forward, ends=(e, b)) for e in (a, np.append(a, np.nan)))
    assert failed.signed.value == pytest.approx(whole.signed.value)


def test_folded_mean_equals_the_integral():
    x = np.linspace(-12, 12, 200_001)
    for centre, deviation in ((0, 1), (0.3, 1), (1.5, 0.5), (2, 1.2)):
        density = np.exp(-(((x - centre) / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi))
        exact = np.trapezoid(np.abs(x) * density, x)
        assert folded_mean(np.array([centre]), np.array([deviation]))[0] == pytest.approx(exact, rel=1e-8)


@given(st.floats(0, 5), st.floats(0, 2))
def test_unfolding_inverts_folding(centre, deviation):
    folded = folded_mean(np.array([centre]), np.array([deviation]))
    again = unfold(folded, np.array([deviation]))
    np.testing.assert_allclose(folded_mean(again, np.array([deviation])), folded, rtol=1e-9, atol=1e-12)
    assert 0 <= again[0] <= folded[0]
    below_the_noise = unfold(np.array([0.0, 0.79]), np.array([1.0, 1.0]))
    np.testing.assert_allclose(below_the_noise, 0, atol=1e-12)


def self_pairs(seeds, **options):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        yield dissimilarity.measure(ELEVEN, 0.9 + 0.01 * rng.normal(size=(4, 11)).clip(-3, 3), resamples=30, **options)


@pytest.mark.parametrize("chosen", ["plain", "signed", "corrected", "unbiased"])
def test_noise_floor(chosen):
    records = list(self_pairs(range(5), chosen=chosen))
    floor = dissimilarity.noise_floor(records)
    values = [abs((record.signed if chosen == "unbiased" else record).value) for record in records]
    np.testing.assert_allclose(floor.signed, [record.signed.value for record in records])
    np.testing.assert_allclose(floor.se, [record.error.se for record in records])
    np.testing.assert_allclose(floor.values, values)
    assert floor.mean.value == pytest.approx(np.mean(values))
    assert floor.largest == max(values)
    assert floor.mean.interval[0] <= floor.mean.value <= floor.mean.interval[1]
    assert floor.replicates.shape == (30, 5)
    assert floor.as_dict()["chosen"] == chosen
    assert dissimilarity.noise_floor(records[:1]).mean.interval is None


FLAT = np.full((2, 3), 0.5)
BAD = [
    ({"proportions": [0, 0.5, 1.5]}, r"proportion is 1.5; proportions must lie in \[0, 1\]"),
    ({"proportions": [0, 0, 1]}, "proportion 0 is given more than once"),
    ({"proportions": [0.1, 0.5, 1]}, "proportion 0 is missing"),
    ({"proportions": [0, 0.5, 0.9]}, "proportion 1 is missing"),
    ({"proportions": []}, "at least one entry"),
    ({"proportions": [0, 1]}, r"shape \(2, 3\); needed are 2 a repetition"),
    ({"performance": FLAT + 0.6}, "performance is 1.1"),
    ({"performance": FLAT * np.nan}, "all 2 repetitions failed"),
    ({"performance": FLAT[None]}, r"shape \(1, 2, 3\)"),
    ({"reverse": FLAT, "proportions": [0, 0.4, 1]}, "evenly about 1/2"),
    ({"chosen": "corrected", "performance": FLAT[0]}, "at least 2 repetitions"),
    ({"se": [0.1, 0.1, 0.1], "performance": FLAT[0], "paired": True}, "paired is true, but standard errors"),
    ({"ends": (FLAT[0], FLAT[0])}, r"shape \(2, 3\); needed are 1"),
    ({"ends": (FLAT[0] * np.nan, FLAT[0]), "performance": [[0.5]]}, "first domain alone failed"),
    ({"ends": (FLAT[0], FLAT[0] + 1), "performance": [[0.5]]}, "performance is 1.5"),
    ({"confidence": 0}, "confidence is 0"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD)
def test_bad_input_is_one_sentence(change, sentence):
    arguments = {"proportions": [0, 0.5, 1], "performance": FLAT, **change}
    with pytest.raises(InputError, match=sentence) as caught:
        dissimilarity.measure(**arguments)
    assert "\n" not in str(caught.value)
