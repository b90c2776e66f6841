"""Fieller's set against its definition, tried number by number."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from aiq.stats import LINE, clipped, fieller_set, joined

numbers = some.floats(-5, 5).map(lambda x: round(x, 3))
errors = some.floats(0, 2).map(lambda x: round(x, 2))


@given(numbers, numbers, errors, errors, some.floats(-1, 1), some.floats(0.5, 4), numbers)
def test_a_ratio_is_in_the_set_where_the_difference_is_within_the_critical_number_of_errors(
    n, d, error_n, error_d, correlation, critical, ratio
):
    assume(d != 0 or error_d > 0)  # there is no ratio to nothing: every number is left
    variances = (error_n**2, correlation * error_n * error_d, error_d**2)
    distance = abs(n - ratio * d)
    error = math.sqrt(max(variances[0] - 2 * ratio * variances[1] + ratio**2 * variances[2], 0))
    assume(abs(distance - critical * error) > 1e-6)
    found = fieller_set(n, d, variances, critical)
    assert any(low <= ratio <= high for low, high in found) == (distance <= critical * error)


def test_a_known_denominator_gives_the_interval_of_the_numerator_and_no_noise_one_number():
    assert fieller_set(1.0, 4.0, (0.0, 0.0, 0.0), 2.0) == ((0.25, 0.25),)
    ((low, high),) = fieller_set(3.0, 2.0, (0.25, 0.0, 0.0), 2.0)
    assert (low, high) == pytest.approx((1.0, 2.0))


@pytest.mark.parametrize(("denominator", "segments", "bounded"), [(3.0, 1, True), (1.9, 2, False), (0.0, 2, False)])
def test_the_set_is_bounded_where_the_denominator_differs_from_zero(denominator, segments, bounded):
    found = fieller_set(5.0, denominator, (1.0, 0.0, 1.0), 2.0)
    assert len(found) == segments
    assert all(map(math.isfinite, found[0])) == bounded


def test_numbers_that_say_nothing_give_the_whole_line():
    assert fieller_set(0.1, 0.1, (1.0, 0.0, 1.0), 2.0) == LINE
    assert fieller_set(0.0, 0.0, (0.0, 0.0, 0.0), 2.0) == LINE


@given(numbers, numbers, some.sampled_from([1e-12, 1e-3, 1e9]))
def test_the_unit_does_not_matter(n, d, unit):
    assume(abs(abs(d) - 1.4) > 1e-3)
    one = fieller_set(n, d, (0.3, 0.1, 0.49), 2.0)
    other = fieller_set(n * unit, d * unit, tuple(unit**2 * v for v in (0.3, 0.1, 0.49)), 2.0)
    assert np.allclose(np.array(one), np.array(other), rtol=1e-6)


def test_unions_and_cuts():
    assert joined([(2, 3), (0, 1), (0.5, 2.5), (4, 5)]) == ((0, 3), (4, 5))
    assert clipped([(-math.inf, -3.0), (0.2, math.inf)], -1, 1) == ((-1, -1), (0.2, 1))
    assert clipped([(1.5, 2.5)], -1, 1) == ((1, 1),)
