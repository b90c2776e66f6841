"""Small parts of the study of verdicts on leaderboards."""

from __future__ import annotations

import numpy as np

from studies import verdicts
from studies.cells import Cells


def test_verdicts_hold_in_the_quick_study():
    """5 processor seconds."""
    rows = verdicts.run(True, Cells(None, "test", lambda line: None))
    parts = {
        part: [row for row in rows if row["part"] == part]
        for part in ("pair", "board", "model", "redundancy", "keys", "abilities")
    }
    assert all(parts.values())
    for row in parts["pair"]:
        assert row["held"] > 0.9
        assert row["equal_told_apart"] < 0.11
    for row in parts["board"]:
        assert row["wrong_ranks"] <= 0.12  # of 60: more has a chance of 1 in 100 at .05
        assert row["wrong_neighbours"] <= 0.05
    assert parts["model"][0]["difficulty_held"] > 0.9
    assert parts["redundancy"][0]["held"] > 0.8
    assert parts["keys"][0]["caught"] > 0.3
    assert parts["keys"][0]["false_share"] < 0.1
    assert parts["abilities"][0]["right"] >= 0.8
    assert parts["abilities"][0]["held"] >= 0.8


def test_truth_is_what_many_items_say():
    rng = np.random.default_rng(0)
    for kind in verdicts.SPREADS:
        skill = np.array([0.0, 0.4])
        groups = verdicts.clusters("uneven", 20_000, rng)
        values = verdicts.scores(kind, skill, groups, 1, rng).mean(axis=1)
        assert np.abs(values - verdicts.truth(kind, skill)).max() < 0.02
