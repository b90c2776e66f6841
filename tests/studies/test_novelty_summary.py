"""Trials of novelty: what an alarm counts as, APTI, intervals, ranks; and the protocol's own rules."""

import numpy as np
import pytest

from aiq.errors import InputError
from aiq.wings.novelty.protocol import NoveltyTrial, Plan
from studies import novelty_summary as summary


def trial(performance, alarmed=None, begins=2, kind="k", number=0, level=14):
    said = alarmed or [False] * len(performance)
    return NoveltyTrial(kind, level, "easy", number, begins, tuple(performance), tuple(said))


def test_delay_counts_novel_episodes_and_a_false_alarm_has_none():
    assert trial([1, 1, 0, 0], [False, False, True, True]).delay == 1
    assert trial([1, 1, 0, 0], [False, False, False, True]).delay == 2
    assert trial([1, 1, 0, 0]).delay is None
    early = trial([1, 1, 0, 0], [False, True, True, True])
    assert (early.false_alarm, early.delay) == (True, None)


@pytest.mark.parametrize("begins", [0, 4])
def test_a_trial_has_episodes_before_and_after(begins):
    with pytest.raises(ValueError, match="cannot begin to be novel"):
        trial([1, 1, 1, 1], begins=begins)
    with pytest.raises(InputError, match="at least one before and one after"):
        Plan(4, begins, 4)


def test_numbers_by_hand():
    own = [trial([1, 0.5, 0.2, 0.4], [False, False, True, True]), trial([1, 1, 0.6, 0.8], [True] * 4, number=1)]
    base = [trial([1, 1, 0.1, 0.1], kind="b"), trial([1, 1, 0.3, 0.1], kind="b", number=1)]
    found = summary.summarise(own, base)
    assert found.before.value == pytest.approx(0.875)
    assert found.after.value == pytest.approx(0.5)
    assert found.apti.value == pytest.approx(0.5 / (0.5 + 0.15))
    assert found.false_alarms.value == 0.5
    assert (found.detected.value, found.delay.value) == (1.0, 1.0)
    assert found.apti_over_time == pytest.approx((0.4 / 0.6, 0.6 / 0.7))
    assert found.apti.interval[0] <= found.apti.value <= found.apti.interval[1]
    assert summary.summarise(base, base).apti.value == 0.5
    assert summary.summarise(base, base).apti.interval == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize("count", [4, 8])
def test_the_intervals_cover(count):
    rng, hits, runs = np.random.default_rng(count), np.zeros(2), 300
    for number in range(runs):
        luck = rng.uniform(0, 0.3, count)  # both meet the same worlds
        drawn = np.clip(rng.uniform(0, 0.6, (2, count, 3)) + luck[:, None], 0, 1)
        own, base = ([trial([1, 1, *row], number=k) for k, row in enumerate(side)] for side in drawn)
        found = summary.summarise(own, base, seed=number, resamples=200)
        hits += [found.after.interval[0] <= 0.45 <= found.after.interval[1],
                 found.apti.interval[0] <= 0.5 <= found.apti.interval[1]]  # fmt: skip
    assert (np.abs(hits / runs - 0.95) < 0.035).all(), "about 95 % (standard error of the measurement 1.3 %)"


def test_aiq_of_orthogonal_levels_is_the_volume_of_the_hull():
    from scipy.spatial import ConvexHull

    values, lengths = np.array([0.3, 0.9, 0.5]), np.array([0.2, 1.0, 0.7])
    volumes = [ConvexHull(np.vstack([np.zeros(3), np.diag(lengths * v)])).volume for v in (values, np.ones(3))]
    assert summary.orthogonal_aiq(values) ** 3 == pytest.approx(volumes[0] / volumes[1])


def test_ranks_are_those_of_the_values_and_the_baseline_has_one_half():
    after = {
        "b": np.full((3, 4), 0.5),
        "even": np.full((3, 4), 0.6),
        "odd": np.array([[1.0], [1.0], [0.05]]) * np.ones(4),
    }
    told = summary.ranks(after, "b", resamples=50)
    assert told["b"]["mean APTI"] == pytest.approx([0.5] * 3)
    assert [told[kind]["rank by mean APTI"] for kind in after] == [2, 1, 3]
    assert [told[kind]["rank by AIQ of APTI"] for kind in after] == [2, 1, 3]
    rising = {**after, "odd": np.array([[1.0], [1.0], [0.12]]) * np.ones(4)}
    told = summary.ranks(rising, "b", resamples=50)
    assert [told[kind]["rank by mean APTI"] for kind in after] == [3, 1, 2]
    assert [told[kind]["rank by AIQ of APTI"] for kind in after] == [2, 1, 3]
    assert told["chance"] == {"higher": 1.0, "alike": 0.0, "lower": 0.0}


def test_the_intervals_of_aiq_over_levels_cover():
    """Performance of two kinds on three levels, eight trials each that share their worlds."""
    rng, middle, runs, hits = np.random.default_rng(1), np.array([0.2, 0.55, 0.9]), 150, np.zeros(4)
    other = middle + 0.05 * np.sin(np.arange(3))
    relative = other / (other + middle)
    truth = [relative.mean(), relative.prod() ** (1 / 3), other.mean(), other.prod() ** (1 / 3)]
    for number in range(runs):
        shared = rng.normal(size=(3, 8))
        drawn = {
            name: np.clip(mean[:, None] + 0.048 * shared + 0.064 * rng.normal(size=(3, 8)), 0, 1)
            for name, mean in (("b", middle), ("k", other))
        }
        found = list(summary.ranks(drawn, "b", resamples=200, seed=number)["k"].values())[:4]
        hits += [low <= value <= high for value, (_, low, high) in zip(truth, found, strict=True)]
    assert (np.abs(hits / runs - 0.93) < 0.055).all(), "0.91 to 0.95 (standard error of the measurement 2 %)"
