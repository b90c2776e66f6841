"""The study of products of bfloat16: its statistics on known numbers, and a small part of its trainings."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from aiq.training.processor import has_bfloat16
from studies import rounded_products as study


def rows(shift: float, cells: int = 30, error: float = 0.5) -> list[study.Row]:
    """Cells whose accuracies and number move by a shift, and by noise of a tenth of it."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(cells):
        one = rng.uniform(0.3, 0.9, 20)
        row: study.Row = {"accuracies A": one, "number A": 3.0, "error A": error}
        row |= {"accuracies C": one + shift + rng.normal(0, 0.002, 20), "error C": error}
        found.append(row | {"number C": 3.0 + shift + rng.normal(0, 0.01)})
    return found


def test_a_distance_is_that_of_kolmogorov_and_smirnov():
    rng = np.random.default_rng(2)
    one, other = rng.integers(0, 30, (3, 40)) / 30, rng.integers(2, 30, (3, 40)) / 30  # with ties
    known = stats.ks_2samp(one.ravel(), other.ravel(), method="asymp").statistic
    assert study.distance(one, other) == pytest.approx(known, abs=1e-12)


def test_equal_trainings_are_called_equal_and_a_shift_is_found():
    same, other = (study.compared("x", rows(shift), "number", "C") for shift in (0.0, 0.1))
    assert same["within a tenth"] == "yes"
    assert same["p"] > 0.05
    assert abs(same["mean change"]) < 0.001
    assert other["within a tenth"] == "no"
    assert other["mean change / error"] == pytest.approx(0.2, abs=0.02)
    assert other["p"] < 0.01
    assert study.within(0.08, 0.05) == "not told"


def test_the_test_by_swaps_says_too_much_as_often_as_it_may():
    rng = np.random.default_rng(3)
    told = 0
    for _ in range(200):
        common = rng.normal(size=(2, 30))
        told += study.swapped(common + rng.normal(size=(2, 30)), common + rng.normal(size=(2, 30)), swaps=99) <= 0.05
    assert told <= stats.binom.ppf(0.999, 200, 0.05)


@pytest.mark.data
@pytest.mark.skipif(not has_bfloat16(), reason="this processor does not multiply in bfloat16")
def test_a_small_part_of_the_trainings(data_root):
    found = study.run(quick=True)
    assert [(row["what"], row["way"]) for row in found] == [
        (what, way) for what in ("pools of mnist", "mixtures of both") for way in ("B", "C")
    ]
    assert all(abs(row["mean change"]) < 0.05 and row["accuracy by A"] > 0.3 for row in found)
