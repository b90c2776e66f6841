"""A small part of the study of AIQ's intervals: bounds that a broken interval fails."""

import numpy as np

from studies import coverage_space as study


def test_intervals_cover_dimensions_are_right_and_orders_are_calibrated():
    rows = study.run(True)
    cells = [row for row in rows if row["what"] == "cell"]
    assert np.mean([row["per_dimension"] for row in cells]) >= 0.89  # of 80 suites; .12 to .44 before
    assert np.mean([row["relative"] for row in cells]) >= 0.89
    assert all(row["right"] >= 0.75 for row in cells)
    assert all(row["width"] < 0.12 for row in cells)
    sure = [row for row in rows if row["what"] == "order" and row["low"] >= 0.99]
    assert sure[0]["order_right"] > 0.97
    assert "per dimension" in study.markdown(rows, 1.0)


def test_the_truths_of_the_study_have_the_dimensions_that_they_say():
    rng = np.random.default_rng(0)
    for cell in (study.Cell(6, 2, 8, 3), study.Cell(6, 3, 8, 3, "bent"), study.Cell(7, 3, 8, 3, "copy")):
        values = np.linalg.eigvalsh(1 - study.true_squares(cell, rng))[::-1]
        assert (values > 1e-9).sum() == cell.dimensions
        assert (values[-1] < -1e-3) == (cell.truth == "bent")
