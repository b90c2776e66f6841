"""``aiq.read`` and ``aiq.suite`` as a notebook calls them."""

from pathlib import Path

import pytest

import aiq

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "openclip-38.csv"


def test_read_and_suite_in_a_notebook():
    found = aiq.read(EXAMPLE)
    assert found.n == 31 * 38 - 2
    assert "2 of 1178 cells missing" in repr(found)
    assert "<table" in found._repr_html_()
    assert len(found.to_frame()) == found.n
    means = EXAMPLE.read_text("utf-8").splitlines()
    assert len(means) == 32
    agent, *cells = means[1].split(",")
    kept = [float(cell) for cell in cells if cell]
    assert found.value[agent] == pytest.approx(sum(kept) / len(kept))
    assert found.interval == dict.fromkeys(found.value)
    assert set(found.value) == set(found.record.agents)
    report = aiq.suite(found, missing="domains", resamples=5, halves=4)
    assert report.value == report.record.smallest_difference.over_tests
    assert (report.interval, report.n) == (None, 31)
    assert "not the AIQ of the paper" in repr(report)
    assert "not the AIQ of the paper" in report._repr_html_()
    assert len(report.to_frame()) == 37
    assert len(report.to_frame("agents")) == 31
    assert report.plot().caption
    assert report.as_dict()["is_aiq"] is False
