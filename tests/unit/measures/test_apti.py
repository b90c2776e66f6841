"""APTI: closed values, symmetry, monotony, 0/0, intervals that cover, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq.errors import InputError
from aiq.measures import apti

performance = st.floats(0, 1, allow_subnormal=False)


@pytest.mark.parametrize(
    ("own", "other", "value"), [(0.8, 0.2, 0.8), (0.3, 0.3, 0.5), (0, 1, 0), (1, 0, 1), (1, 1, 0.5), (0, 0, 0.5)]
)
def test_values_by_hand(own, other, value):
    assert apti.ratio(own, other) == pytest.approx(value, abs=1e-15)


@given(performance, performance)
def test_agent_and_baseline_in_each_others_place_give_the_rest(a, b):
    assert apti.ratio(a, b) + apti.ratio(b, a) == pytest.approx(1)


@given(performance, performance, performance)
def test_a_better_agent_never_has_less_and_a_better_baseline_never_gives_more(a, b, c):
    low, high = sorted((a, b))
    if c > 0:
        assert apti.ratio(low, c) <= apti.ratio(high, c)
        assert apti.ratio(c, low) >= apti.ratio(c, high)


def test_the_mean_is_that_of_the_domains_and_repetitions_are_averaged_first():
    nothing = apti.measure([[0.0, 0.0]], [[0.0, 0.0]], resamples=50)
    assert (nothing.mean.value, nothing.mean.interval) == (0.5, (0.5, 0.5))
    found = apti.measure([[0.2, 0.6], [1.0, 1.0]], [[0.4, 0.4], [0.0, 0.5]], resamples=200)
    assert [e.value for e in found.domains] == pytest.approx([0.5, 0.8])
    assert found.mean.value == pytest.approx(0.65)
    assert found.replicates.mean(axis=1).std() > 0


def test_the_interval_covers_the_true_ratio():
    """Two normal means of 0.6 and 0.3, 12 repetitions: 2/3 lies in a 95 % interval nine times in ten or more."""
    rng, inside = np.random.default_rng(0), 0
    for k in range(200):
        own, other = (np.clip(rng.normal(m, 0.05, 12), 0, 1) for m in (0.6, 0.3))
        low, high = apti.measure([own], [other], resamples=300, seed=k).domains[0].interval
        inside += low <= 2 / 3 <= high
    assert 0.86 <= inside / 200 <= 0.99


def test_one_repetition_on_both_sides_has_no_interval():
    found = apti.measure([[0.5], [0.5]], [[0.25], [0.25, 0.3]], resamples=20)
    assert found.domains[0].interval is None
    assert found.domains[1].interval is not None


@pytest.mark.parametrize(
    ("own", "other", "words"),
    [
        ([[1.5]], [[0.5]], "performance is 1.5"),
        ([[0.5]], [[np.nan]], "is nan"),
    ],
)
def test_refusals(own, other, words):
    with pytest.raises(InputError, match=words):
        apti.measure(own, other)
