"""Small parts of the studies of landmarks."""

from __future__ import annotations

import pytest

from studies import landmarks, landmarks_suite
from studies.cells import Cells


@pytest.fixture
def cells() -> Cells:
    return Cells(None, "test", lambda line: None)


def test_completed_pairs_lie_in_their_intervals(cells: Cells):
    rows = landmarks.run(True, cells)
    assert [row["landmarks"] for row in rows] == [4, 6]
    assert [row["pairs"] for row in rows] == [4 * 26 + 6, 6 * 24 + 15]
    for row in rows:
        assert row["held"] > 0.85
        assert row["held"] > row["held_by_rows"]
        assert row["error"] < 0.4
        assert row["aiq_moves"] < 0.1
    lines = landmarks.needed(rows)
    assert lines[2].startswith("| simulated | 30 | 2 | farthest |")


def test_the_real_suite_holds_all_pairs():
    names, matrix, se = landmarks.real()
    assert len(names) >= 16
    assert (matrix == matrix.T).all()
    assert (se[~(se == 0)] > 0).all()
    assert ((se > 0).sum(axis=1) == len(names) - 1).all()
    rows = landmarks.real_rows()
    last = [row for row in rows if row["choice"] == "farthest"][-1]
    assert last["landmarks"] == len(names) - 4
    assert all(0 <= row["held"] <= 1 and row["error"] > 0 for row in rows)


def test_variants_of_digits_have_dissimilarities_with_errors(cells: Cells, tmp_path, monkeypatch):
    from studies import sanity_trainings

    monkeypatch.setattr(sanity_trainings, "STORE", tmp_path)
    rows = landmarks_suite.run(True, cells)
    assert [(row["a"], row["b"]) for row in rows] == [
        ("digits all", "digits 0-4"), ("digits all", "digits noise-.5"), ("digits 0-4", "digits noise-.5"),
    ]  # fmt: skip
    assert all(row["se"] > 0 for row in rows)
