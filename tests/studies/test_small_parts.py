"""Small parts of studies: landmarks, precision in rounds, the sanity suite with real trainings, verdicts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aiq.explain.spending import squares
from studies import landmarks, landmarks_suite, sanity, sanity_domains, sanity_trainings, verdicts
from studies.cells import Cells
from studies.precision import suite
from studies.precision_suites import START, Drawn, Grown


@pytest.fixture
def cells() -> Cells:
    return Cells(None, "test", lambda line: None)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store of trainings."""
    monkeypatch.setattr(sanity_trainings, "STORE", tmp_path)
    return tmp_path


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


def test_variants_of_digits_have_dissimilarities_with_errors(cells: Cells, store: Path):
    rows = landmarks_suite.run(True, cells)
    assert [(row["a"], row["b"]) for row in rows] == [
        ("digits all", "digits 0-4"), ("digits all", "digits noise-.5"), ("digits 0-4", "digits noise-.5"),
    ]  # fmt: skip
    assert all(row["se"] > 0 for row in rows)


# ---- precision in rounds -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def grown() -> Grown:
    drawn = Drawn.of(3)
    return Grown(drawn, drawn.stored(3), START, 3)


def test_with_nothing_held_the_width_is_that_of_the_run_and_with_all_held_there_is_none(grown):
    widths = grown.widths(())
    assert np.mean(list(widths.values())) == pytest.approx(grown.half, rel=1e-9)
    assert max(grown.widths(list(START)).values()) == pytest.approx(0, abs=1e-9)
    shares, rest = squares(grown.widths, list(START))
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


# ---- the sanity suite ----------------------------------------------------------------------------


def test_what_the_quick_part_looks_at(store: Path):
    rows = {row["what"]: row for row in sanity.run(quick=True)}
    assert rows["one label for all samples: excess, bits"]["number"] == pytest.approx(0, abs=1e-9)
    assert rows["30 % labels random: relative excess, change"]["passed"] == "passed"
    assert rows["digits at 16x16: MCCP@16, bits, change"]["low"] > 0.5
    alike = [row for what, row in rows.items() if "against wine" in what]
    assert len(alike) == 2
    assert all(row["passed"] == "passed" for row in alike)


def test_variants_change_what_they_say_and_nothing_else():
    digits = sanity_domains.plain("digits")
    a, b = (sanity_domains.half(digits, i) for i in (0, 1))
    assert len(a.train_y) + len(b.train_y) == len(digits.train_y)
    assert {x.tobytes() for x in a.test_x}.isdisjoint({x.tobytes() for x in b.test_x})
    larger = sanity_domains.upscaled(digits, 16)
    blocks = larger.train_x.reshape(-1, 8, 2, 8, 2).mean(axis=(2, 4)).reshape(len(larger.train_x), -1)
    assert np.corrcoef(blocks.ravel(), digits.train_x.ravel())[0, 1] > 0.97
    permuted = sanity_domains.permuted(digits, "p", own_labels=False)
    assert (np.sort(permuted.test_x, axis=1) == np.sort(digits.test_x, axis=1)).all()
    assert (sanity_domains.duplicated(digits).train_x[: len(digits.train_x)] == digits.train_x).all()
    share = np.mean(sanity_domains.wrong_labels(digits, 0.3).train_y != digits.train_y)
    assert share == pytest.approx(0.27, abs=0.04)


def test_one_interface_for_all():
    digits, wine = sanity_domains.plain("digits"), sanity_domains.plain("wine")
    interface = sanity_domains.Interface.of([digits, sanity_domains.renamed(digits, "copy"), wine])
    assert (interface.features, interface.outputs) == (64, 13)
    assert interface.own(wine) == slice(10, 13)
    data = interface.mixed(digits, wine)
    assert data.second.train_x.shape[1] == 64
    assert int(data.second.train_y.min()) == 10


# ---- verdicts on leaderboards --------------------------------------------------------------------


def test_verdicts_hold_in_the_quick_study(cells: Cells):
    """5 processor seconds."""
    least = {"pair": {"held": 0.9}, "model": {"difficulty_held": 0.9}, "redundancy": {"held": 0.8},
             "keys": {"caught": 0.3}, "abilities": {"right": 0.8, "held": 0.8}}  # fmt: skip
    most = {"pair": {"equal_told_apart": 0.11}, "keys": {"false_share": 0.1},
            "board": {"wrong_ranks": 0.12, "wrong_neighbours": 0.05}}  # fmt: skip
    rows = verdicts.run(True, cells)
    assert {row["part"] for row in rows} >= {*least, *most}
    for row in rows:
        assert all(row[name] >= end for name, end in least.get(row["part"], {}).items()), row
        assert all(row[name] <= end for name, end in most.get(row["part"], {}).items()), row


def test_truth_is_what_many_items_say():
    rng = np.random.default_rng(0)
    for kind in verdicts.SPREADS:
        skill = np.array([0.0, 0.4])
        groups = verdicts.clusters("uneven", 20_000, rng)
        values = verdicts.scores(kind, skill, groups, 1, rng).mean(axis=1)
        assert np.abs(values - verdicts.truth(kind, skill)).max() < 0.02
