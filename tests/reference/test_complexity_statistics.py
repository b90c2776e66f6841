"""What the bootstrap interval of a complexity covers on pools whose complexity is known."""

import numpy as np
import pytest

from aiq.measures import complexity


def steps(rng, count):
    """Sizes 1 to 10 drawn evenly, size s reaches s/10 exactly: complexity of an unlimited pool known."""
    size = rng.integers(1, 11, size=count).astype(float)
    return size / 10, size


def noisy(rng, count):
    """As steps, but training loses up to two fifths of what a policy could reach."""
    size = rng.integers(1, 11, size=count).astype(float)
    return size / 10 * rng.uniform(0.6, 1, size=count), size


def coverage(draw, count, truth, repeats=100):
    hits, reflected = 0, 0
    for k in range(repeats):
        record = complexity.measure(*draw(np.random.default_rng(k), count), resamples=200, seed=k)
        low, high = record.estimate.interval
        hits += low - 1e-9 <= truth <= high + 1e-9
        low, high = record.reflected_interval
        reflected += low - 1e-9 <= truth <= high + 1e-9
    return hits / repeats, reflected / repeats


def test_percentile_interval_covers_where_each_size_was_drawn_several_times():
    truth = complexity.measure(np.arange(1, 11) / 10, np.arange(1, 11), resamples=0).value
    percentile, reflected = coverage(steps, 50, truth)
    assert percentile >= 0.9
    assert reflected >= 0.9


@pytest.mark.parametrize("count", [50, 200])
def test_reflected_interval_covers_better_than_the_percentile_one_with_noisy_training(count):
    truth = complexity.measure(*noisy(np.random.default_rng(99), 300_000), resamples=0).value
    percentile, reflected = coverage(noisy, count, truth)
    assert reflected >= 0.8
    assert reflected > percentile + 0.2


def test_the_estimate_falls_towards_the_unlimited_pool_as_the_pool_grows():
    truth = complexity.measure(*noisy(np.random.default_rng(99), 300_000), resamples=0).value
    means = [
        np.mean([complexity.measure(*noisy(np.random.default_rng(k), n), resamples=0).value for k in range(60)])
        for n in (50, 200, 1000)
    ]
    assert means[0] > means[1] > means[2]
    assert means[2] == pytest.approx(truth, abs=0.01)
