"""The test of linearity: exact without noise, and its level and power by a short simulation."""

import numpy as np
import pytest

from papers.claims.shapes import departure, difference
from studies.linearity import SHAPES, X, tried


def test_the_departure_is_one_less_the_squared_correlation_and_knows_no_units():
    x = [1.0, 2.0, 3.0]
    values = np.array([[2.0, 4.0, 6.0], [1.0, 3.0, 1.0], [5.0, 5.0, 5.0]])
    assert departure(x, values)[:2] == pytest.approx([0, 1], abs=1e-12)
    assert np.isnan(departure(x, values)[2])

    y = np.random.default_rng(0).normal(size=7)
    found = departure(X, np.array([y, 5 * y - 3]))
    assert found == pytest.approx([1 - np.corrcoef(X, y)[0, 1] ** 2] * 2)


def test_without_noise_the_difference_is_that_of_the_departures():
    mean, aiq = SHAPES["AIQ linear, mean saturates"]
    value, draws = difference([(X, range(7))], mean, aiq, mean[None], aiq[None])
    assert value == pytest.approx(departure(X, mean[None])[0])
    assert draws == pytest.approx([value])


def test_level_and_power_are_those_of_the_study():
    alike = tried(*SHAPES["both saturate alike"], 0.1, 150)
    linear = tried(*SHAPES["AIQ linear, mean saturates"], 0.1, 150)
    assert alike["held"] > 0.9  # studies/results/linearity.md: .95
    assert alike["says AIQ"] + alike["says the mean"] < 0.11  # .05
    assert linear["says AIQ"] > 0.8  # .92
