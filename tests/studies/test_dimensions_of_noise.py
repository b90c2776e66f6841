"""The study of dimensions that noise makes: its curves, its errors and what it finds where there is no noise."""

import numpy as np
import pytest

from studies.dimensions_of_noise import AT, _weights, carried, curves, kept, tried
from studies.levels_noise import spread_of_halves


def test_the_error_of_a_signed_area_is_that_of_the_curves():
    departures = curves(np.random.default_rng(3), 80, 0, 0.0)
    areas = np.trapezoid(departures, AT, axis=-1)
    assert areas.std() == pytest.approx(np.sqrt((_weights() ** 2).sum()), rel=0.03)
    assert areas.mean() == pytest.approx(0, abs=0.03)


def test_a_sagging_curve_has_the_area_that_is_asked_for():
    areas = np.trapezoid(curves(np.random.default_rng(3), 80, 40, 3.0), AT, axis=-1)
    assert areas[:40, 40:].mean() == pytest.approx(3.0, rel=0.03)  # the trapezoid cuts 1 % off the parabola
    assert areas[:40, :40].mean() == pytest.approx(0, abs=0.05)


def test_without_noise_tests_that_are_apart_make_two_dimensions_and_equal_ones_fewer():
    apart = curves(np.random.default_rng(3), 6, 2, 1e6)
    assert carried(6, apart) == kept(6, apart) == 2
    assert tried(6, 0, 0.0, 25)["default keeps, mean"] < 2


def test_more_tests_that_do_not_differ_make_more_dimensions_by_the_paper_s_reading():
    found = [tried(tests, 0, 0.0, 10)["carry 90 %, mean"] for tests in (4, 9)]
    assert found[1] > found[0] + 0.5


def test_halves_of_a_pool_of_equal_policies_have_one_minimum_and_of_unequal_ones_do_not():
    rng = np.random.default_rng(3)
    alike = spread_of_halves(np.full(8, 0.5), np.full(8, 4.0), rng)
    assert alike == pytest.approx(np.zeros(alike.size))
    unlike = spread_of_halves(np.array([1.0, *[0.5] * 7]), np.array([2.0, *[8.0] * 7]), rng)
    assert (np.abs(unlike) > 1).all()  # one half has the small policy that reaches everything, the other has not
