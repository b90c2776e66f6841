"""What the intervals of a complexity cover on pools whose complexity is known (the whole table: make studies)."""

import numpy as np
import pytest

from aiq.measures import complexity
from studies import coverage_complexity as study


@pytest.mark.parametrize(("luck", "hardness", "n", "chunk"), [("bounded", 8.0, 64, 1), ("unbounded", 11.0, 64, 16)])
def test_the_intervals_of_mccp_at_k_cover_what_they_estimate(luck, hardness, n, chunk):
    found = study.cell(luck, hardness, n, chunk, "largest", pools=150, truth_pools=8)
    for quantity in ("mccp_k", "relative_excess"):
        assert found[quantity]["coverage"] >= 0.84  # 3 standard errors below .92; halved intervals have about .70
        assert abs(found[quantity]["bias"]) < 0.4 * found[quantity]["spread"]


def test_the_percentile_interval_of_the_minimum_covers_neither_its_expectation_nor_the_unlimited_pool():
    rng, hits = np.random.default_rng(0), []
    limit = complexity.measure(
        *study.pool(rng, 60_000, 1, "unbounded", 8.0)[:2], estimator="minimum", resamples=0
    ).value
    for _ in range(60):
        performance, size, _ = study.pool(rng, 64, 1, "unbounded", 8.0)
        low, high = complexity.measure(performance, size, estimator="minimum", resamples=100).estimate.interval
        hits.append(low <= limit <= high)
    assert np.mean(hits) < 0.2


def test_the_value_does_not_drift_with_the_pool_and_the_minimum_does():
    rng = np.random.default_rng(1)
    means = {}
    for n in (64, 256, 1024):
        found = [
            complexity.measure(*study.pool(rng, n, 1, "unbounded", 8.0)[:2], resamples=0, largest=study.LARGEST)
            for _ in range(2048 // n)
        ]
        means[n] = (np.mean([r.value for r in found]), np.mean([r.minimum for r in found]))
    assert means[64][0] == pytest.approx(means[1024][0], abs=0.25)
    assert means[64][1] - means[1024][1] > 0.5
