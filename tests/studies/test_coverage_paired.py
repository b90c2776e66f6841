"""Errors from whole repetitions cover what they promise, whatever the points of a repetition share."""

import numpy as np
import pytest

from aiq.measures import dissimilarity
from studies.coverage_paired import AT, drawn, intervals, run


def test_whole_repetitions_cover_and_points_do_not_where_much_is_shared():
    rows = {(row["shared"], row["errors from"]): row["covers"] for row in run(quick=True)}
    for shared in (0.0, 1.0, 3.0):
        assert rows[shared, "whole"] == pytest.approx(0.95, abs=4 * 0.007)
    assert rows[0.0, "points"] == pytest.approx(0.95, abs=4 * 0.007)
    assert rows[3.0, "points"] < 0.85


def test_the_error_is_that_of_the_mean_of_areas():
    curves = np.clip(0.5 + 0.05 * np.random.default_rng(1).standard_normal((4, 11)), 0, 1)
    areas = [dissimilarity.measure(AT, one, resamples=0).signed.value for one in curves]
    found = dissimilarity.measure(AT, curves, paired=True, resamples=20_000)
    assert found.paired
    assert found.error is not None
    assert found.error.se == pytest.approx(np.std(areas, ddof=1) / 2)
    assert found.error.df == 3
    one_by_one = dissimilarity.measure(AT, curves, resamples=20)
    assert found.signed.value == pytest.approx(one_by_one.signed.value)
    # draws of the curve have the error of the area: Student's, 3 degrees of freedom, variance 3
    assert found.point_errors == pytest.approx(curves.std(axis=0, ddof=1) / 2)


def test_equal_repetitions_know_no_error():
    found = dissimilarity.measure(AT, np.tile(np.full(11, 0.4), (3, 1)), paired=True, resamples=10)
    assert found.signed.interval is None


def test_the_intervals_of_the_study_are_those_of_the_measure():
    curves = drawn(np.random.default_rng(3), 4, 2.0, "hump")
    for name, interval in intervals(curves).items():
        found = dissimilarity.measure(AT, curves, paired=name == "whole", resamples=0)
        assert interval == pytest.approx(found.signed.interval)
