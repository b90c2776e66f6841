"""MCCP@k against the enumeration of all subsets, closed forms, and what must not change it."""

import itertools
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq import stats
from aiq.errors import InputError
from aiq.measures import complexity
from aiq.measures.complexity.best_of_k import misses, weights
from aiq.records.complexity import QUANTITIES
from aiq.stats import jackknife

CEILING = 31.0


def enumerated(pool, k, bins):
    """MCCP@k, base and excess as means over every subset of k policies, one bin at a time."""
    value = base = 0.0
    subsets = list(itertools.combinations(pool, k))
    for subset in subsets:
        base += min(size for _, size in subset)
        for b in range(bins):
            reached = (size for v, size in subset if v == v and v >= b / bins)
            value += min(reached, default=CEILING) / bins
    return value / len(subsets), base / len(subsets)


trials = st.tuples(st.one_of(st.floats(0, 1), st.just(float("nan"))), st.floats(0.5, 30))
pools = st.lists(trials, min_size=1, max_size=8).filter(lambda pool: any(v == v for v, _ in pool))


def measured(pool, k, **options):
    performance, size = np.array(pool).T
    given_ = {"largest": CEILING, "bins": 6, "resamples": 0, **options}
    return complexity.measure(performance, size, k=k, **given_)


@given(pools, st.data())
def test_equals_the_mean_over_all_subsets_of_k_policies(pool, data):
    k = data.draw(st.integers(1, len(pool)))
    found = measured(pool, k).best_of_k
    value, base = enumerated(pool, k, 6)
    assert found.estimate.value == pytest.approx(value, rel=1e-12)
    assert found.base.value == pytest.approx(base, rel=1e-12)
    assert found.excess.value == pytest.approx(value - base, abs=1e-10)
    assert found.relative_excess.value == pytest.approx((value - base) / (CEILING - base), abs=1e-10)
    assert 0 <= found.relative_excess.value <= 1 + 1e-12


@settings(max_examples=40)
@given(pools.filter(lambda pool: len(pool) > 2), st.data())
def test_values_without_each_chunk_are_those_of_the_rest_of_the_pool(pool, data):
    chunk = np.array(data.draw(st.lists(st.integers(0, 7), min_size=len(pool), max_size=len(pool))))
    fill = data.draw(st.sampled_from(["largest", "linear"]))
    names, labels = np.unique(chunk, return_inverse=True)
    rest = len(pool) - np.bincount(labels).max()
    if names.size < 2 or rest < 1:
        return
    k = data.draw(st.integers(1, rest))
    found = measured(pool, k, chunk=chunk, fill=fill).best_of_k
    for g in range(names.size):
        left = [trial for trial, label in zip(pool, labels, strict=True) if label != g]
        if all(np.isnan(v) for v, _ in left):
            continue
        expected = measured(left, k, fill=fill).best_of_k
        np.testing.assert_allclose(found.deleted[g], expected.values, rtol=1e-9, atol=1e-9)


@given(pools)
def test_all_policies_with_the_straight_line_are_the_papers_minimum(pool):
    record = measured(pool, len(pool), fill="linear")
    assert record.value == pytest.approx(record.minimum, rel=1e-9)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 2), (16, 16), (64, 16), (400, 16), (400, 399)])
def test_weights_are_those_of_the_binomial_coefficients(n, k):
    assert weights(n, k) == pytest.approx([0, *(comb(n - j, k - 1) / comb(n, k) for j in range(1, n + 1))], rel=1e-9)
    assert misses(n, k) == pytest.approx([comb(n - m, k) / comb(n, k) for m in range(n + 1)], rel=1e-9)


@pytest.mark.parametrize(("n", "k"), [(5_000, 16), (100_000, 5_000), (3_000, 3_000)])
def test_weights_of_large_pools_are_finite_and_sum_to_one(n, k):
    assert weights(n, k).sum() == pytest.approx(1, rel=1e-9)
    assert np.isfinite(weights(n, k)).all()
    assert (np.diff(misses(n, k)) <= 0).all()


def test_sizes_drawn_evenly_have_the_closed_form_of_the_smallest_of_k():
    # The mean of the smallest of k drawn without replacement from 1 ... n is (n + 1)/(k + 1).
    size = np.arange(1.0, 1001)
    for k in (1, 16, 999, 1000):
        assert complexity.measure(np.ones(1000), size, k=k, resamples=0).value == pytest.approx(1001 / (k + 1))


@settings(max_examples=40)
@given(pools, st.data(), st.randoms(), st.floats(0.1, 10))
def test_more_and_better_policies_never_raise_it_order_does_not_matter_and_scale_is_kept(pool, data, random, factor):
    curve = [measured(pool, j).value for j in range(1, len(pool) + 1)]
    assert all(low <= high + 1e-9 for high, low in itertools.pairwise(curve))
    k, fill = data.draw(st.integers(1, len(pool))), data.draw(st.sampled_from(["largest", "linear"]))
    i = data.draw(st.integers(0, len(pool) - 1))
    better = [*pool[:i], (1.0, pool[i][1]), *pool[i + 1 :]]
    assert measured(better, k).value <= measured(pool, k).value + 1e-9
    plain = measured(pool, k, fill=fill).best_of_k
    shuffled = measured(random.sample(pool, len(pool)), k, fill=fill).best_of_k
    np.testing.assert_allclose(shuffled.values, plain.values, rtol=1e-9, atol=1e-9)
    wide = measured([(v, s * factor) for v, s in pool], k, fill=fill, largest=CEILING * factor).best_of_k
    assert wide.estimate.value == pytest.approx(factor * plain.estimate.value, rel=1e-9)
    assert wide.relative_excess.value == pytest.approx(plain.relative_excess.value, rel=1e-6, abs=1e-9)


def pool_of(n=64):
    rng = np.random.default_rng(0)
    size = rng.uniform(4, 12, n)
    return np.clip(size / 12 * rng.uniform(0.6, 1.1, n), 0, 1), size


def test_everybody_reaching_everything_has_no_excess_and_no_interval_of_it():
    found = complexity.measure(np.ones(64), pool_of()[1]).best_of_k
    assert (found.excess.value, found.excess.interval, found.relative_excess.interval) == (0, None, None)
    assert "changes nothing" in found.excess.method
    assert found.base.value == pytest.approx(found.estimate.value)
    assert found.estimate.interval[0] < found.estimate.value < found.estimate.interval[1]
    assert found.filled_share == 0


def test_nobody_reaching_anything_but_zero_has_nearly_all_the_excess_there_is():
    found = complexity.measure(np.zeros(64), pool_of()[1], largest=12.0).best_of_k
    assert found.relative_excess.value == pytest.approx(29 / 30)
    assert found.filled_share > 0.95
    linear = complexity.measure(np.zeros(64), pool_of()[1], largest=12.0, fill="linear").best_of_k
    assert linear.excess.value == pytest.approx(0, abs=1e-9)
    assert linear.relative_excess.value == pytest.approx(29 / 30)
    assert linear.excess.interval is None


def test_policies_of_one_size_that_is_the_largest_have_no_relative_excess():
    found = complexity.measure(np.linspace(0, 1, 20), np.full(20, 5.0))
    assert np.isnan(found.best_of_k.relative_excess.value)
    assert found.as_dict()["relative_excess"] is None
    assert found.value == pytest.approx(5)
    assert found.estimate.interval is None


@pytest.mark.parametrize(
    ("n", "chunk", "words"),
    [
        (1, None, "no interval (all in one of the trials)"),
        (32, np.zeros(32), "no interval (all in one of the chunks)"),
        (16, None, "no interval (without one of the trials fewer than 16 policies remain)"),
        (32, np.repeat([0, 1], [30, 2]), "fewer than 16 policies remain"),
    ],
)
def test_where_there_is_no_interval_the_method_says_why(n, chunk, words):
    performance, size = pool_of(n)
    record = complexity.measure(performance, size, chunk=chunk, k=min(n, 16))
    assert record.estimate.interval is None
    assert words in record.estimate.method
    assert (record.replicates == record.value).all()


def test_replicates_have_the_percentiles_of_the_interval_and_domains_share_them():
    performance, size = pool_of()
    chunk = np.arange(64) // 4
    found = {
        name: complexity.measure(np.clip(performance + d, 0, 1), size, chunk=chunk, resamples=20_000, seed=3)
        for name, d in (("a", 0.0), ("b", 0.1))
    }
    for record in found.values():
        assert stats.percentile_interval(record.replicates) == pytest.approx(record.estimate.interval, rel=0.02)
    both = jackknife.covariance(*complexity.shared(found))
    assert np.sqrt(np.diag(both)) == pytest.approx([np.std(r.replicates) for r in found.values()], rel=0.2)
    drawn = np.corrcoef([r.replicates for r in found.values()])[0, 1]
    assert both[0, 1] / np.sqrt(both[0, 0] * both[1, 1]) == pytest.approx(drawn, abs=0.05)
    base = jackknife.covariance(*complexity.shared(found, "base"))
    assert base[0, 0] == pytest.approx(base[0, 1])  # one pool: the same error


def test_no_replicate_of_few_small_policies_lies_below_zero():
    size = np.concatenate([np.full(4, 0.5), np.full(4, 9.0), np.full(4, 12.0), np.full(4, 13.0)])
    record = complexity.measure(np.ones(16), size, k=8, chunk=np.repeat(np.arange(4), 4), resamples=1000)
    assert record.estimate.interval[0] == 0, "the jackknife's spread is larger than the value"
    assert record.replicates.min() == 0
    assert np.median(record.replicates) == pytest.approx(record.value, rel=0.2)


def test_relative_excess_from_chance_is_over_a_smaller_range():
    performance, size = pool_of()
    guessing = np.maximum(performance, 0.5)
    from_zero, from_chance = (
        complexity.measure(guessing, size, resamples=0, largest=12.0, start=s).best_of_k for s in (0.0, 0.5)
    )
    assert from_chance.relative_excess.value == pytest.approx(2 * from_zero.relative_excess.value)
    assert from_chance.excess.value == from_zero.excess.value


def test_the_curve_against_k_falls_to_the_whole_pool():
    performance, size = pool_of()
    curve = complexity.by_k(performance, size, chosen=16, largest=12.0)
    assert curve.ks == (1, 2, 4, 8, 16, 32, 64)
    assert [e.interval is None for e in curve.estimates] == [False] * 6 + [True]
    assert np.all(np.diff([e.value for e in curve.estimates]) < 0)
    at = curve.ks.index(16)
    record = complexity.measure(performance, size, largest=12.0)
    assert curve.estimates[at].value == record.value
    assert curve.base[at] == record.best_of_k.base.value
    assert complexity.by_k(performance, size, chosen=20).ks == (1, 2, 4, 8, 16, 20, 32, 64)
    assert complexity.by_k(performance, size, chosen=100).ks[-1] == 64


def test_the_minimum_stands_beside_and_is_what_is_asked_for():
    performance, size = pool_of()
    default, paper = complexity.measure(performance, size), complexity.measure(performance, size, estimator="minimum")
    assert default.minimum == paper.minimum == paper.value < default.value
    assert default.as_dict()["mccp"] == paper.as_dict()["mccp"]
    assert paper.best_of_k.estimate.value == default.value
    assert paper.estimate.interval != default.estimate.interval
    few = complexity.measure(performance[:9], size[:9], estimator="minimum")
    assert few.best_of_k is None
    assert few.as_dict()["mccp_k"] is None


# ---- differences of complexities -----------------------------------------------------------------


LARGEST = 14.0


def domain(size: np.ndarray, hardness: float, rng: np.random.Generator, **how):
    """Policies of these sizes on a domain: the larger, and the luckier, the better."""
    performance = 1 / (1 + np.exp(-(size - hardness + 1.5 * rng.standard_normal(size.size))))
    given = {"chunk": np.arange(size.size) // 8, "largest": LARGEST, "k": 16, "resamples": 60} | how
    return complexity.measure(performance, size, **given)


def sizes(rng: np.random.Generator, count: int = 64) -> np.ndarray:
    return rng.uniform(4, LARGEST, count)


def test_domains_of_one_pool_have_the_interval_of_the_difference_itself():
    rng = np.random.default_rng(0)
    size = sizes(rng)
    records = {name: domain(size, hardness, rng) for name, hardness in (("easy", 7.0), ("hard", 9.0), ("same", 7.0))}
    found = {(d.first, d.second): d for d in complexity.differences(records)}
    assert list(found) == [("easy", "hard"), ("easy", "same"), ("hard", "same")]
    one = found["easy", "hard"]
    assert one.shared
    assert one.complexity.value == pytest.approx(records["easy"].value - records["hard"].value)
    a, b = records["easy"].best_of_k, records["hard"].best_of_k
    for column, name in ((0, "complexity"), (2, "excess"), (3, "relative_excess")):
        parts = jackknife.influences(
            a.values[[column]] - b.values[[column]], a.deleted[:, [column]] - b.deleted[:, [column]], a.members
        )
        both, quantity = {n: records[n] for n in ("easy", "hard")}, QUANTITIES[column]
        covariance = jackknife.covariance(*complexity.shared(both, quantity))
        variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        assert (parts**2).sum() == pytest.approx(variance)
        low, high = getattr(one, name).interval
        assert (low + high) / 2 == pytest.approx(getattr(one, name).value)
    assert one.told_apart()
    assert one.complexity.value < 0


def test_a_domain_and_itself_differ_by_nothing_and_have_no_interval():
    rng = np.random.default_rng(1)
    record = domain(sizes(rng), 8.0, rng)
    (one,) = complexity.differences({"a": record, "b": record})
    assert (one.complexity.value, one.complexity.interval, one.told_apart()) == (0, None, None)
    assert "no interval" in one.complexity.method


def test_pools_apart_have_errors_that_add():
    rng = np.random.default_rng(2)
    a, b = domain(sizes(rng), 7.0, rng), domain(sizes(rng, 96), 9.0, rng)
    (one,) = complexity.differences({"a": a, "b": b})
    assert not one.shared
    errors = [jackknife.covariance(*complexity.shared({"x": record}))[0, 0] for record in (a, b)]
    low, high = one.complexity.interval
    assert (high - low) / 2 > 1.96 * np.sqrt(sum(errors)) * 0.999
    assert (high - low) / 2 < 2.6 * np.sqrt(sum(errors))


def test_the_minimum_is_compared_resample_by_resample():
    rng = np.random.default_rng(3)
    size = sizes(rng)
    records = {n: domain(size, h, rng, estimator="minimum", resamples=300) for n, h in (("a", 7.0), ("b", 10.0))}
    (one,) = complexity.differences(records)
    low, high = one.complexity.interval
    assert low <= one.complexity.value <= high
    assert "do not cover what a larger pool would give" in one.complexity.method
    assert one.excess is not None


def test_what_cannot_be_compared_is_refused():
    rng = np.random.default_rng(4)
    size = sizes(rng)
    a = domain(size, 8.0, rng)
    with pytest.raises(InputError, match="by best_of_k, that of b by minimum"):
        complexity.differences({"a": a, "b": domain(size, 8.0, rng, estimator="minimum")})
    with pytest.raises(InputError, match="k = 16, that of b at k = 8"):
        complexity.differences({"a": a, "b": domain(size, 8.0, rng, k=8)})
    assert complexity.differences({"a": a}) == ()


def test_one_chunk_has_no_interval():
    rng = np.random.default_rng(5)
    size = sizes(rng, 16)
    records = {n: domain(size, h, rng, chunk=np.zeros(16), k=16) for n, h in (("a", 7.0), ("b", 9.0))}
    (one,) = complexity.differences(records)
    assert one.complexity.interval is None
    assert "only one" in one.complexity.method


def test_a_normalised_complexity_that_is_1_by_definition_has_no_interval_that_is_a_point():
    rng = np.random.default_rng(7)
    size = sizes(rng)
    a, b = complexity.normalised({n: domain(size, h, rng, resamples=500) for n, h in (("a", 5.0), ("b", 11.0))})
    low, high = a.interval
    assert 0 < low < a.value < high < 1
    assert (b.value, b.interval) == (1.0, None)
    assert "1 by definition" in b.method
