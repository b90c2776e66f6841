"""Power: closed forms, simulated runs, limits."""

import numpy as np
import pytest
from scipy import stats

from aiq.errors import InputError
from aiq.measures import similarity
from aiq.records.estimate import Estimate
from papers.similarity import verdicts
from papers.similarity.verdicts import Level


def test_no_difference_is_seen_as_often_as_the_confidence_says():
    assert verdicts.of_difference(0.0, 1.0, 4) == pytest.approx(0.05, abs=1e-6)


def test_the_power_of_a_difference_is_that_of_a_t_test():
    assert verdicts.of_difference(2.0, 1.0, 1e6) == pytest.approx(
        stats.norm.sf(1.96 - 2) + stats.norm.cdf(-1.96 - 2), abs=1e-3
    )
    assert verdicts.of_difference(-2.0, 1.0, 5) == pytest.approx(verdicts.of_difference(2.0, 1.0, 5))
    assert verdicts.of_difference(2.0, 1.0, 5) < verdicts.of_difference(3.0, 1.0, 5)
    assert verdicts.of_difference(1e9, 1.0, 5) == pytest.approx(1.0)
    assert verdicts.of_difference(0.1, 0.0, 5) == 1.0
    assert verdicts.of_difference(0.0, 0.0, 5) == 0.0


def test_the_power_of_a_similarity_is_the_share_of_runs_that_see_it():
    levels = (Level(0.9, 0.01, 5), Level(0.5, 0.05, 5), Level(0.63, 0.03, 5))
    true, rng, seen = 0.25, np.random.default_rng(3), 0
    for _ in range(1000):
        drawn = [rng.normal(m, level.spread, 5) for m, level in zip((0.9, 0.5, 0.7 - true * 0.2), levels, strict=True)]
        segments = similarity.from_values(*drawn).segments
        seen += not any(low <= 0 <= high for low, high in segments)
    assert verdicts.of_similarity(levels, true) == pytest.approx(seen / 1000, abs=0.045)
    assert verdicts.of_similarity(levels, 0.0) == pytest.approx(0.05, abs=1e-6)


def test_the_power_of_sufficiency_by_where_the_mixture_lies():
    levels = (Level(0.9, 0.01, 6), Level(0.5, 0.01, 6), Level(0.7, 0.01, 6))
    assert verdicts.of_sufficiency(levels, 0.7) == (1.0, 0.0)
    assert verdicts.of_sufficiency(levels, 0.4) == (0.0, 1.0)
    claimed, denied = verdicts.of_sufficiency(levels, 0.5, tries=1000)  # at V_B: either in about 5 %
    assert claimed == pytest.approx(0.05, abs=0.025)
    assert denied == pytest.approx(0.05, abs=0.025)


def test_an_estimate_gives_back_the_values_behind_it_and_needs_noise():
    values = np.array([0.2, 0.5, 0.4, 0.45])
    half = float(stats.t.ppf(0.975, 3) * values.std(ddof=1) / 2)
    found = Level.from_estimate(Estimate(values.mean(), (values.mean() - half, values.mean() + half), 4, "made"))
    assert (found.mean, found.spread, found.count) == pytest.approx((values.mean(), values.std(ddof=1), 4))
    assert found.error == pytest.approx(stats.sem(values))
    with pytest.raises(InputError, match="2 or more trainings"):
        Level.from_estimate(Estimate(0.5, None, 1, "made"))
