"""The study of rounds: its suites grow by adding, its split is of the interval that a run prints."""

from __future__ import annotations

import numpy as np
import pytest

from aiq.explain.spending import squares
from studies.precision import suite
from studies.precision_suites import START, Drawn, Grown


@pytest.fixture(scope="module")
def grown() -> Grown:
    drawn = Drawn.of(3)
    return Grown(drawn, drawn.stored(3), START, 3)


def test_with_nothing_held_the_width_is_that_of_the_run_and_with_all_held_there_is_none(grown):
    widths = grown.widths(())
    assert np.mean(list(widths.values())) == pytest.approx(grown.half, rel=1e-9)
    assert max(grown.widths(list(START)).values()) == pytest.approx(0, abs=1e-9)
    shares, rest = squares(grown.widths, list(START), "mean")
    assert sum(shares.values()) + rest == pytest.approx(1)
    assert min(shares.values()) >= 0


def test_growing_adds_measurements_and_changes_none(grown):
    drawn = grown._drawn
    more = Grown(drawn, drawn.stored(3), {name: 2 * number for name, number in START.items()}, 3)
    for name in ("performance", "curves", "ends", "scores"):
        small, large = (getattr(one._measured, name) for one in (grown, more))
        kept = large[tuple(slice(0, side) for side in small.shape)]
        assert np.array_equal(small, kept)
        assert large.size == 2 * small.size


def test_a_suite_reaches_its_goal_both_ways_and_rounds_are_cheaper():
    row = suite(3)
    assert row["reached"]
    assert row["uniform_reached"]
    assert max(row["stop_half"], row["uniform_half"]) <= row["goal"] < row["start_half"]
    assert row["ratio_with_start"] < 1
