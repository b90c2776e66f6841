"""Dissimilarity of a pair against closed forms, a slow reference and properties."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aiq import seeding
from aiq.errors import InputError
from aiq.measures import dissimilarity
from aiq.measures.folded import folded_mean, unfold

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


@given(measured(), st.sampled_from(dissimilarity.ESTIMATORS))
@settings(deadline=None)
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


@given(st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_performance_on_the_line_gives_zero(start, end):
    record = dissimilarity.measure(ELEVEN, [end * ELEVEN + start * (1 - ELEVEN)] * 2, resamples=0)
    assert record.plain.value == pytest.approx(0, abs=1e-15)
    assert record.signed.value == pytest.approx(0, abs=1e-15)
    np.testing.assert_allclose(record.observed, record.line, atol=1e-15)


@pytest.mark.parametrize("points", [3, 11, 21, 101])
def test_parabola_below_the_line_gives_two_thirds_of_its_height(points):
    # The trapezoid rule with n steps errs by f'' / (12 n^2): 2h/3 becomes 2h/3 (1 - 1/n^2) exactly.
    p, h = np.linspace(0, 1, points), 0.2
    curve = 0.9 * p + 0.7 * (1 - p) - h * 4 * p * (1 - p)
    record = dissimilarity.measure(p, curve, resamples=0)
    exact = 2 * h / 3 * (1 - 1 / (points - 1) ** 2)
    assert record.plain.value == pytest.approx(exact, rel=1e-12)
    assert record.signed.value == pytest.approx(exact, rel=1e-12)


def test_with_eleven_points_the_trapezoid_rule_errs_by_one_percent():
    curve = 0.5 - 0.3 * 4 * ELEVEN * (1 - ELEVEN)
    assert dissimilarity.measure(ELEVEN, curve, resamples=0).value == pytest.approx(0.2 * 0.99, rel=1e-12)


def test_a_curve_above_the_line_has_a_negative_signed_area():
    curve = 0.5 + 0.1 * 4 * ELEVEN * (1 - ELEVEN)
    record = dissimilarity.measure(ELEVEN, curve, chosen="signed", resamples=0)
    assert record.value == pytest.approx(-0.066)
    assert record.plain.value == pytest.approx(0.066)
    assert record.distance == 0


@given(measured())
@settings(deadline=None)
def test_swapping_the_two_domains_changes_nothing(case):
    p, curves = case
    one, other = (dissimilarity.measure(q, curves, resamples=0) for q in (p, 1 - p))
    assert other.plain.value == pytest.approx(one.plain.value, abs=1e-12)
    assert other.signed.value == pytest.approx(one.signed.value, abs=1e-12)


@given(measured(), st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_a_straight_line_added_changes_nothing(case, start, end):
    p, curves = case
    tilted = curves / 2 + (start * p + end * (1 - p)) / 2
    one, other = (dissimilarity.measure(p, c, resamples=0) for c in (curves / 2, tilted))
    assert other.plain.value == pytest.approx(one.plain.value, abs=1e-12)


def test_estimators_differ_by_the_noise_that_averaging_removes():
    up = 0.5 + 0.1 * 4 * ELEVEN * (1 - ELEVEN)
    curves = [up, 1 - up]
    assert dissimilarity.measure(ELEVEN, curves, resamples=0).value == pytest.approx(0, abs=1e-15)
    per = dissimilarity.measure(ELEVEN, curves, estimator="per_repetition", resamples=0)
    assert per.value == pytest.approx(0.066)


def test_both_orders_join_mirrored():
    rng = np.random.default_rng(0)
    p = rng.permutation(ELEVEN)
    forward, backward = rng.uniform(size=(2, 11)), rng.uniform(size=(3, 11))
    joined = dissimilarity.measure(p, forward, reverse=backward, resamples=0)
    by_hand = np.array([[curve[np.argmin(np.abs(p - (1 - q)))] for q in p] for curve in backward])
    assert joined.value == pytest.approx(slow_areas(p, np.concatenate([forward, by_hand]))[0])
    assert joined.n == 5


def test_mixed_performance_weighs_the_two_test_splits():
    mixed = dissimilarity.mixed_performance([0, 0.25, 1], [[0.1, 0.8, 0.9]], [[0.6, 0.4, 0.0]])
    np.testing.assert_allclose(mixed, [[0.6, 0.5, 0.9]])


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
    assert "no interval (1 repetitions" in record.plain.method


@pytest.mark.parametrize("chosen", ["plain", "signed", "corrected"])
def test_replicates_are_the_bootstrap_of_the_chosen_value(chosen):
    rng = np.random.default_rng(7)
    curves = np.clip(0.6 + 0.05 * rng.normal(size=(6, 11)), 0, 1)
    record = dissimilarity.measure(ELEVEN, curves, chosen=chosen, resamples=80, seed=3)
    counts = seeding.generator(3, "dissimilarity", "bootstrap").multinomial(6, np.full(6, 1 / 6), size=80)
    resampled = [np.repeat(curves, k, axis=0) for k in counts]
    if chosen == "corrected":
        departure = curves - curves[:, -1:] * ELEVEN - curves[:, :1] * (1 - ELEVEN)
        error = departure.std(axis=0, ddof=1) / math.sqrt(6)
        means = [np.repeat(departure, k, axis=0).mean(axis=0) for k in counts]
        expected = [np.trapezoid(unfold(np.abs(m), error), ELEVEN) for m in means]
    else:
        expected = [slow_areas(ELEVEN, c)[chosen == "signed"] for c in resampled]
    np.testing.assert_allclose(record.replicates, expected, atol=1e-10)
    assert record.estimate.interval == pytest.approx(tuple(np.quantile(expected, [0.025, 0.975])))
    assert not np.array_equal(dissimilarity.measure(ELEVEN, curves, resamples=80, seed=4).replicates, record.replicates)


def test_replicates_per_repetition_are_means_of_areas():
    curves = np.clip(0.6 + 0.05 * np.random.default_rng(7).normal(size=(6, 11)), 0, 1)
    record = dissimilarity.measure(ELEVEN, curves, estimator="per_repetition", resamples=50)
    counts = seeding.generator(0, "dissimilarity", "bootstrap").multinomial(6, np.full(6, 1 / 6), size=50)
    expected = [slow_areas(ELEVEN, np.repeat(curves, k, axis=0), "per_repetition")[0] for k in counts]
    np.testing.assert_allclose(record.replicates, expected, atol=1e-12)


def test_folded_mean_equals_the_integral():
    x = np.linspace(-12, 12, 200_001)
    for centre, deviation in ((0, 1), (0.3, 1), (1.5, 0.5), (2, 1.2)):
        density = np.exp(-(((x - centre) / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi))
        exact = np.trapezoid(np.abs(x) * density, x)
        assert folded_mean(np.array([centre]), np.array([deviation]))[0] == pytest.approx(exact, rel=1e-8)


@given(st.floats(0, 5), st.floats(0, 2))
@settings(deadline=None)
def test_unfolding_inverts_folding(centre, deviation):
    folded = folded_mean(np.array([centre]), np.array([deviation]))
    again = unfold(folded, np.array([deviation]))
    np.testing.assert_allclose(folded_mean(again, np.array([deviation])), folded, rtol=1e-9, atol=1e-12)
    assert 0 <= again[0] <= folded[0]


def test_unfolding_gives_zero_below_the_mean_of_noise_and_leaves_certainty_alone():
    values = unfold(np.array([0.0, 0.5, 0.79, 0.3, 100.0]), np.array([1.0, 1.0, 1.0, 0.0, 1.0]))
    np.testing.assert_allclose(values, [0, 0, 0, 0.3, 100], atol=1e-12)


def self_pairs(seeds, **options):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        yield dissimilarity.measure(ELEVEN, 0.9 + 0.01 * rng.normal(size=(4, 11)).clip(-3, 3), resamples=30, **options)


@pytest.mark.parametrize("chosen", ["plain", "signed", "corrected"])
def test_noise_floor(chosen):
    records = list(self_pairs(range(5), chosen=chosen))
    floor = dissimilarity.noise_floor(records)
    values = [abs(record.value) for record in records]
    np.testing.assert_allclose(floor.values, values)
    assert floor.mean.value == pytest.approx(np.mean(values))
    assert floor.largest == max(values)
    assert floor.mean.interval[0] <= floor.mean.value <= floor.mean.interval[1]
    assert floor.replicates.shape == (30, 5)
    assert floor.as_dict()["chosen"] == chosen
    assert dissimilarity.noise_floor(records[:1]).mean.interval is None


def test_json_has_the_keys_of_the_command_line():
    out = dissimilarity.measure(ELEVEN, np.full((2, 11), 0.5)).as_dict()
    assert {"dissimilarity", "interval", "n"} <= out.keys()
    assert "no interval" not in out["plain"]["method"]
    assert out["curve"][3] == {"p": 0.3, "observed": 0.5, "line": 0.5}


FLAT = np.full((2, 3), 0.5)
BAD = [
    ({"proportions": [0, 0.5, 1.5]}, r"proportion is 1.5; proportions must lie in \[0, 1\]"),
    ({"proportions": [0, np.nan, 1]}, "proportion is nan"),
    ({"proportions": [0, 0, 1]}, "proportion 0 is given more than once"),
    ({"proportions": [0.1, 0.5, 1]}, "proportion 0 is missing"),
    ({"proportions": [0, 0.5, 0.9]}, "proportion 1 is missing"),
    ({"proportions": []}, "at least one entry"),
    ({"proportions": [0, 1]}, r"shape \(2, 3\); needed are 2 a repetition"),
    ({"performance": FLAT + 0.6}, "performance is 1.1"),
    ({"performance": FLAT - 0.6}, "performance is -0.1"),
    ({"performance": FLAT * np.nan}, "all 2 repetitions failed"),
    ({"performance": FLAT[None]}, r"\(repetitions, proportions\)"),
    ({"performance": [[0.5, 0.5, 0.5], [0.5]]}, "regular table"),
    ({"performance": np.zeros((0, 3))}, "needed are 3"),
    ({"reverse": FLAT[:, :2]}, "needed are 3"),
    ({"reverse": FLAT, "proportions": [0, 0.4, 1]}, "evenly about 1/2"),
    ({"estimator": "average"}, "did you mean 'average_first'"),
    ({"chosen": "correct"}, "did you mean 'corrected'"),
    ({"chosen": "corrected", "performance": FLAT[0]}, "at least 2 repetitions"),
    ({"resamples": -1}, "resamples is -1"),
    ({"confidence": 0}, "confidence is 0"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD)
def test_bad_input_is_one_sentence(change, sentence):
    arguments = {"proportions": [0, 0.5, 1], "performance": FLAT, **change}
    with pytest.raises(InputError, match=sentence) as caught:
        dissimilarity.measure(**arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: dissimilarity.mixed_performance([0, 2], [0.5, 0.5], [0.5, 0.5]), "proportion is 2"),
        (lambda: dissimilarity.mixed_performance([0, 1], [0.5, 0.5], [0.5, 3]), "performance is 3"),
        (lambda: dissimilarity.mixed_performance([0, 1], [0.5, 0.5], [[0.5, 0.5]]), "give equal ones"),
        (lambda: dissimilarity.noise_floor([]), "no self-pair"),
        (
            lambda: dissimilarity.noise_floor([*self_pairs([1]), *self_pairs([2], chosen="signed")]),
            "measured in one way",
        ),
    ],
)
def test_bad_calls_are_refused(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()
