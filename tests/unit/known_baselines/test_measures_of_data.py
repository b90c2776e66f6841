"""Complexity measures by hand, and what is said where there are none."""

import numpy as np
import pytest

from aiq.config.further import DEFAULT
from aiq.known_baselines import MEASURES, complexity_measures, lacking

pytest.importorskip("problexity")
X, Y = np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([0, 0, 1, 1])


def test_four_points_of_two_separable_classes_by_hand():
    """Lorena et al. 2019 on 0, 1 | 10, 11."""
    found, reasons = complexity_measures(X, Y, tuple(MEASURES), 1)
    assert reasons == []
    assert found["f1"] == pytest.approx(1 / (1 + 2 * 0.25 * 100 / 0.25))  # sum of p p (m - m)² over mean variance
    assert found["f3"] == found["l2"] == found["n3"] == 0
    assert found["n1"] == pytest.approx(1 / 2 / 4)  # one edge of the tree crosses; the library counts it by half
    assert found["n2"] == pytest.approx((4 / 42) / (1 + 4 / 42))  # 1 to the own class; the library takes the second
    assert found["lsc"] == pytest.approx(1 - 4 * 2 / 16)  # each point has two nearer than the other class
    assert found["c1"] == pytest.approx(0)


def test_noise_in_labels_raises_what_looks_at_classes():
    random = np.random.default_rng(3)
    y = np.arange(120) % 3
    x = random.normal(size=(120, 4)) + 4 * np.eye(3, 4)[y]
    clear, _ = complexity_measures(x, y, DEFAULT, 1)
    noisy, _ = complexity_measures(x, random.permutation(y), DEFAULT, 1)
    for name in ("f1", "f3", "l2", "n1", "n2", "n3", "lsc"):
        assert 0 <= clear[name] < noisy[name] <= 1


def test_numbers_are_the_same_again_and_the_global_generator_is_left_alone():
    random = np.random.default_rng(4)
    x, y = random.normal(size=(80, 30)), np.arange(80) % 4
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert complexity_measures(x, y, DEFAULT, 7) == complexity_measures(x, y, DEFAULT, 7)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_a_measure_that_is_not_defined_is_named_and_the_others_stay():
    found, reasons = complexity_measures(X[:3], np.array([0, 0, 1]), ("f1", "n2", "c1"), 1)
    assert np.isnan(found["n2"])
    assert reasons == ["n2: not defined for these samples"]
    assert np.isfinite([found["f1"], found["c1"]]).all()


def test_a_missing_library_is_told_with_the_command_that_installs_it(monkeypatch):
    assert lacking("problexity") == ""
    monkeypatch.setattr("aiq.known_baselines.find_spec", lambda name: None)
    assert lacking("ot") == "POT is not installed: pip install 'aiq[baselines]'"


def test_settings_and_library_name_the_same_measures():
    assert tuple(MEASURES) == DEFAULT
