"""Complexity against closed forms, a slow reference, and properties that hold for every pool."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq import seeding
from aiq.errors import InputError
from aiq.measures import complexity


def slow_complexity(performance, size, *, bins=30, envelope="at_least", extrapolate="linear"):
    """The definition of section 2.4.3, one bin at a time, with explicit loops; returns (value, share)."""
    members = {k: [] for k in range(bins)}
    for v, s in zip(performance, size, strict=True):
        members[next(k for k in reversed(range(bins)) if v >= k / bins)].append(s)
    occupied = [k for k in range(bins) if members[k]]
    top = max(occupied)
    value, outside = {}, set()
    for k in range(top + 1):
        if envelope == "at_least":
            value[k] = min(s for j in range(k, bins) for s in members[j])
        elif members[k]:
            value[k] = min(members[k])
    seen = dict(value)
    for k in range(top + 1):
        if k not in value:
            left = [j for j in occupied if j < k]
            right = min(j for j in occupied if j > k)
            if left:
                a = max(left)
                value[k] = seen[a] + (seen[right] - seen[a]) * (k - a) / (right - a)
            else:
                value[k] = seen[right]
                outside.add(k)
    for k in range(top + 1, bins):
        if extrapolate == "none":
            break
        outside.add(k)
        if extrapolate == "hold":
            value[k] = seen[top]
        else:
            slope, intercept = np.polyfit(list(seen), list(seen.values()), 1) if len(seen) > 1 else (0, seen[top])
            value[k] = max(intercept + slope * k, max(seen.values()))
    total = sum(value.values()) / bins
    return total, sum(value[k] for k in outside) / bins / total if total else None


trial = st.tuples(st.floats(0, 1), st.floats(0.5, 30))
pools = st.lists(trial, min_size=1, max_size=25)
envelopes = st.sampled_from(["at_least", "within"])
extrapolations = st.sampled_from(["linear", "hold", "none"])


def value_of(pool, **options):
    performance, size = np.array(pool).T
    return complexity.measure(performance, size, resamples=0, **{"estimator": "minimum", **options})


@given(pools, envelopes, extrapolations, st.integers(1, 40))
def test_equals_the_definition_computed_slowly(pool, envelope, extrapolate, bins):
    record = value_of(pool, envelope=envelope, extrapolate=extrapolate, bins=bins)
    performance, size = np.array(pool).T
    value, share = slow_complexity(performance, size, bins=bins, envelope=envelope, extrapolate=extrapolate)
    assert record.value == pytest.approx(value, rel=1e-9)
    assert record.extrapolated_share == pytest.approx(share, abs=1e-9)
    assert record.mostly_extrapolated == (record.extrapolated_share > 0.5)


@pytest.mark.parametrize(("count", "bins"), [(60, 30), (30, 30), (90, 30), (7, 30), (100, 10)])
def test_pool_in_which_size_s_reaches_s_over_S(count, bins):
    # Bin k is reached first by the smallest s with s/S >= k/B, that is ceil(k S / B); the lowest bin by s = 1.
    size = np.arange(1, count + 1)
    record = complexity.measure(size / count, size, bins=bins, resamples=0, estimator="minimum")
    closed = (1 + sum(-(-k * count // bins) for k in range(1, bins))) / bins
    assert record.value == pytest.approx(closed, rel=1e-12)
    if count % bins == 0:
        assert record.value == pytest.approx(count * (bins - 1) / (2 * bins) + 1 / bins, rel=1e-12)
    assert record.extrapolated_share == 0


@given(pools, st.data(), envelopes, extrapolations, st.randoms(), st.floats(0.1, 10))
def test_duplicates_order_and_trials_no_better_change_nothing_and_scale_is_kept(
    pool, data, envelope, extrapolate, random, factor
):
    options = {"envelope": envelope, "extrapolate": extrapolate}
    value = value_of(pool, **options).value
    assert value_of(random.sample(pool + pool, 2 * len(pool)), **options).value == value
    scaled = [(v, s * factor) for v, s in pool]
    assert value_of(scaled, **options).value == pytest.approx(factor * value, rel=1e-9)
    performance, size = data.draw(st.sampled_from(pool))
    worse = (performance * data.draw(st.floats(0, 1)), size + data.draw(st.floats(0, 10)))
    assert value_of([*pool, worse], extrapolate=extrapolate).value == value_of(pool, extrapolate=extrapolate).value


@given(pools, st.data(), extrapolations)
def test_a_smaller_policy_at_the_same_performance_never_raises_the_value(pool, data, extrapolate):
    pool = [*pool, (1.0, 30.0)] if extrapolate == "linear" else pool  # the line may rise where it extrapolates
    performance, size = data.draw(st.sampled_from(pool))
    smaller = (performance, size * data.draw(st.floats(0, 0.99)))
    before, after = value_of(pool, extrapolate=extrapolate), value_of([*pool, smaller], extrapolate=extrapolate)
    assert after.value <= before.value * (1 + 1e-12)


def test_bins_by_hand():
    # 5 bins; at_least: 1 1 | 3 3 up to bin 3, then a line through (0,1) (1,1) (2,3) (3,3): slope .8, at 4: 4.
    record = value_of([(0.3, 1), (0.75, 3), (0.45, 9)], bins=5)
    np.testing.assert_allclose(record.curve.size, [1, 1, 3, 3, 4])
    assert record.curve.filling == ("observed",) * 4 + ("extrapolated",)
    assert record.extrapolated_share == pytest.approx(4 / 12)
    # within: bins 1, 2, 3 hold 1, 9, 3; bin 0 is held, bin 4 never below the largest observed size.
    record = value_of([(0.3, 1), (0.75, 3), (0.45, 9)], bins=5, envelope="within")
    np.testing.assert_allclose(record.curve.size, [1, 1, 9, 3, 9])
    assert record.curve.filling == ("held", "observed", "observed", "observed", "extrapolated")


def test_missing_bins_inside():
    record = value_of([(0.05, 2), (0.25, 6), (0.65, 10)], bins=10, envelope="within", extrapolate="none")
    np.testing.assert_allclose(record.curve.size, [2, 4, 6, 7, 8, 9, 10, np.nan, np.nan, np.nan])
    assert record.curve.filling[1] == record.curve.filling[4] == "interpolated"
    assert record.value == pytest.approx(4.6)
    assert record.extrapolated_share == 0


def test_edges_belong_to_the_bin_above_and_one_to_the_last():
    for k in range(31):
        smallest = value_of([(k / 30, 1.0)], extrapolate="none").curve.observed
        assert sum(smallest) == min(k + 1, 30)


def test_observed_range():
    record = value_of([(0.4, 2), (0.6, 4)], value_range="observed", bins=4)
    np.testing.assert_allclose(record.curve.edges, [0.4, 0.45, 0.5, 0.55, 0.6])
    np.testing.assert_allclose(record.curve.size, [2, 4, 4, 4])
    assert record.value == pytest.approx(14 * 0.05)


def test_failed_trials_are_counted_and_left_out():
    record = complexity.measure([0.5, np.nan, 1.0, np.nan], [1, 0.1, 2, 3], resamples=10, estimator="minimum")
    assert (record.n_trials, record.n_failed) == (2, 2)
    assert record.value == value_of([(0.5, 1), (1.0, 2)]).value


def test_replicates_are_those_of_the_plain_bootstrap_over_chunks():
    rng = np.random.default_rng(3)
    performance, size = rng.uniform(size=60), rng.uniform(1, 9, size=60)
    chunk = rng.integers(9, size=60)
    record = complexity.measure(performance, size, chunk=chunk, resamples=130, seed=11, estimator="minimum")
    rng = seeding.generator(11, "complexity", "bootstrap")
    drawn = [np.concatenate([np.flatnonzero(chunk == k) for k in rng.integers(9, size=9)]) for _ in range(130)]
    expected = [slow_complexity(performance[i], size[i])[0] for i in drawn]
    np.testing.assert_allclose(record.replicates, expected, rtol=1e-9)
    assert record.estimate.interval == pytest.approx(tuple(np.quantile(expected, [0.025, 0.975])))
    assert record.estimate.n == 9


def test_a_thousand_resamples_of_many_trials_take_seconds():
    rng = np.random.default_rng(1)
    performance, size = rng.uniform(size=10_000), rng.uniform(1, 20, size=10_000)
    start = time.process_time()
    complexity.measure(performance, size)
    complexity.by_k(performance[:4096], size[:4096], chosen=16)
    complexity.measure(performance[:4096], size[:4096], chunk=np.arange(4096) // 16)
    assert time.process_time() - start < 15


def test_units_of_size():
    np.testing.assert_array_equal(complexity.sizes([1, 2, 1024]), [0, 1, 10])
    np.testing.assert_array_equal(complexity.sizes([3, 5], unit="parameters"), [3, 5])
    np.testing.assert_array_equal(complexity.sizes([3, 5], unit="bytes"), [12, 20])
    np.testing.assert_array_equal(complexity.sizes([3, 5], [10, 17], unit="compressed"), [10, 17])


def test_normalised_by_the_largest_of_the_suite():
    rng = np.random.default_rng(5)
    size = rng.uniform(1, 9, size=40)
    records = {
        name: complexity.measure(rng.uniform(size=40), size * f, resamples=64) for name, f in [("a", 1), ("b", 3)]
    }
    first, second = complexity.normalised(records)
    assert (first.value, second.value) == pytest.approx((records["a"].value / records["b"].value, 1))
    expected = records["a"].replicates / np.maximum(records["a"].replicates, records["b"].replicates)
    assert first.interval == pytest.approx(tuple(np.quantile(expected, [0.025, 0.975])))


BAD = [
    ({"performance": [np.nan, np.nan]}, "all 2 trials failed"),
    ({"performance": [0.5, 1.2]}, r"1\.2; performances must lie in \[0, 1\]"),
    ({"performance": [], "size": []}, "at least one entry"),
    ({"performance": ["x", "y"]}, "must be numbers"),
    ({"value_range": (0.5, 0.2)}, "low < high"),
    ({"value_range": (0.45, 1)}, "outside the performance range"),
    ({"value_range": "observed", "performance": [0.4, 0.4]}, "range is empty"),
    ({"k": 3}, "k is 3, but there are only 2 policies"),
    ({"k": 0}, "k is 0"),
    ({"largest": 1.5}, r"given as 1\.5, but a policy of 2"),
    ({"largest": np.nan}, "given as nan"),
    ({"start": 1.0}, "starts at performance 1"),
    ({"confidence": 1}, "confidence is 1"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD)
def test_bad_input_is_one_sentence(change, sentence):
    arguments = {"performance": [0.4, 0.5], "size": [1, 2], "k": 1, **change}
    with pytest.raises(InputError, match=sentence) as caught:
        complexity.measure(**arguments)
    assert "\n" not in str(caught.value)


def in_chunks_of(count: int):
    return complexity.measure(np.linspace(0, 1, 64), np.arange(64), chunk=np.arange(64) // count, resamples=0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: complexity.shared({str(n): in_chunks_of(n) for n in (4, 8)}), "share no pool"),
        (lambda: complexity.shared({"a": value_of([(1, 1)])}), "domain a has no values"),
    ],
)
def test_bad_calls_are_refused(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()
