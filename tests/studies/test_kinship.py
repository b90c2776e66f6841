"""The study of kinship: its small part runs through the pipeline and says what a row is."""

import pytest

from studies import kinship

pytestmark = pytest.mark.slow


def test_the_small_part_measures_a_ruler():
    rows = kinship.run(quick=True)
    assert [row["pair"] for row in rows] == ["moved-50", "wine"]
    for row in rows:
        assert row["against_twins"] > 0
        assert (row["rho"] is None) == bool(row["undefined"])


def test_moved_pixels_are_the_share_that_was_asked_for():
    test = kinship.data_set("digits")
    assert (kinship.moved(test, 0.0).train_x == test.train_x).all()
    whole = kinship.moved(test, 1.0)
    assert (whole.train_x.sum(axis=(1, 2, 3)) == test.train_x.sum(axis=(1, 2, 3))).all()
    assert (whole.train_x != test.train_x).any()
    halves = [kinship.half(test, k) for k in (0, 1)]
    assert sum(len(half.train_y) for half in halves) == len(test.train_y)
