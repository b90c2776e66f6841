"""Bias of the dissimilarity's estimators, and what its intervals cover, on curves whose area is known."""

import numpy as np
import pytest

from aiq.measures import dissimilarity

ELEVEN = np.arange(11) / 10
NOISE = 0.006
REPEATS = 200


def simulated(height, repetitions, resamples=0, estimator="average_first"):
    """Records of pairs whose true curve dips ``height`` below the line, performance noise 0.006."""
    for seed in range(REPEATS):
        noise = NOISE * np.random.default_rng(seed).standard_normal((repetitions, 11))
        curves = 0.9 - height * 4 * ELEVEN * (1 - ELEVEN) + noise
        yield dissimilarity.measure(ELEVEN, curves, estimator=estimator, resamples=resamples, seed=seed)


def truth(height):
    return 0.66 * height


def biases(height, repetitions):
    records = list(simulated(height, repetitions))
    return {
        kind: np.mean([getattr(record, kind).value for record in records]) - truth(height)
        for kind in ("plain", "signed", "corrected")
    }


@pytest.mark.parametrize("repetitions", [3, 5, 10])
def test_correction_removes_a_good_part_of_what_self_pairs_show(repetitions):
    bias = biases(0, repetitions)
    assert bias["plain"] > 0
    assert 0 < bias["corrected"] < 0.75 * bias["plain"]
    assert abs(bias["signed"]) < 0.1 * bias["plain"] + 3 * NOISE / np.sqrt(repetitions * REPEATS)


@pytest.mark.parametrize("repetitions", [3, 5, 10])
def test_correction_is_close_to_unbiased_where_there_is_a_signal(repetitions):
    bias = biases(0.005, repetitions)
    standard_error = NOISE / np.sqrt(repetitions * REPEATS)
    assert abs(bias["corrected"]) < 0.0004 + 3 * standard_error
    assert abs(bias["signed"]) < 3 * standard_error


def test_the_noise_of_a_self_pair_falls_with_the_repetitions_only_when_averaged_first():
    def mean(repetitions, estimator):
        return np.mean([record.plain.value for record in simulated(0, repetitions, estimator=estimator)])

    assert mean(12, "average_first") == pytest.approx(mean(3, "average_first") / 2, rel=0.1)
    assert mean(12, "per_repetition") == pytest.approx(mean(3, "per_repetition"), rel=0.1)


def test_the_plain_area_of_a_self_pair_is_the_mean_of_folded_normals():
    # The departure at p has variance s^2 (1 + p^2 + (1 - p)^2) / R inside, 0 at the ends.
    spread = NOISE * np.sqrt((1 + ELEVEN**2 + (1 - ELEVEN) ** 2) / 4)
    spread[[0, -1]] = 0
    expected = np.trapezoid(spread * np.sqrt(2 / np.pi), ELEVEN)
    values = [record.plain.value for record in simulated(0, 4)]
    assert np.mean(values) == pytest.approx(expected, abs=4 * np.std(values) / np.sqrt(REPEATS))


@pytest.mark.parametrize("repetitions", [3, 10])
def test_at_zero_the_intervals_hold_zero(repetitions):
    records = list(simulated(0, repetitions, resamples=200))
    for kind in ("plain", "signed"):
        hits = sum(getattr(r, kind).interval[0] <= 0 <= getattr(r, kind).interval[1] for r in records)
        assert hits / REPEATS >= 0.905
    squares = np.array([record.square for record in records])
    assert abs(squares.mean()) < 3 * squares.std() / np.sqrt(REPEATS)
