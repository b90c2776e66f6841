"""A small part of the study of suites whose tests do not differ."""

from __future__ import annotations

from studies import coverage_noise
from studies.cells import Cells


def test_one_dimension_is_kept_and_replicates_keep_more():
    """One processor second: eight suites of six tests."""
    (row,) = coverage_noise.run(True, Cells(None, "test", lambda line: None))
    assert row["one"] >= 0.75
    assert 0.2 < row["more"] < 0.9
    assert row["more_least"] <= row["more"] <= row["more_most"]
    assert 0.4 < row["signal"] < 1.1
    assert row["covered"] >= 0.8
    assert 0 < row["width"] < 0.4
