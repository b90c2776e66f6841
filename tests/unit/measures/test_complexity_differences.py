"""Differences of complexities: paired over the chunks of one pool, apart for two pools, and what they cover."""

import numpy as np
import pytest

from aiq.errors import InputError
from aiq.measures import complexity
from aiq.records.complexity import QUANTITIES
from aiq.stats import jackknife

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
