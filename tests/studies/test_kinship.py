"""The study of kinship: its small part runs through the pipeline, and twins are as hard as their tests."""

from collections import Counter

import numpy as np
import pytest

from studies import families, kinship, kinship_tests
from studies import kinship_trained as trained

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    """Keep nothing of what is trained."""
    monkeypatch.setattr(trained, "KEPT", tmp_path)


def test_the_small_part_measures_a_ruler():
    rows = kinship.run(quick=True)
    assert [row["pair"] for row in rows] == ["moved-50", "wine"]
    for row in rows:
        assert row["against_twins"] > 0
        assert (row["rho"] is None) == bool(row["undefined"])


def test_moved_pixels_are_the_share_that_was_asked_for():
    test = kinship_tests.data_set("digits")
    assert (kinship_tests.moved(test, 0.0).train_x == test.train_x).all()
    whole = kinship_tests.moved(test, 1.0)
    assert (whole.train_x.sum(axis=(1, 2, 3)) == test.train_x.sum(axis=(1, 2, 3))).all()
    assert (whole.train_x != test.train_x).any()
    halves = [kinship_tests.half(test, k) for k in (0, 1)]
    assert sum(len(half.train_y) for half in halves) == len(test.train_y)


def test_pairs_are_expected_to_read_what_they_are_made_of():
    of = kinship_tests.expected
    assert (of("pole", "pole-again"), of("mnist-again", "mnist"), of("mnist", "mnist-noisy")) == ("same", "same", "kin")
    assert (of("digits", "mnist-noisy"), of("scrambled", "mnist")) == ("open", "open")
    assert Counter(of("wine", other) for other in ("cancer", "pole3d-again", "scrambled")) == {"stranger": 3}


def test_a_twin_with_moved_pictures_is_as_hard_as_its_test():
    test = {"source": "sklearn", "name": "digits", "classes": 5, "limit": 150, "limit_test": 200}
    named = {f"digits.{k}": {**test, **({"twin": k, "twin_moves": "picture"} if k else {})} for k in range(3)}
    found = trained.hardness(named, "convolutional", 32)
    assert 0.02 < found[0]["excess"] < 0.9
    for other in found[1:]:
        error = np.hypot(found[0]["se"], other["se"])
        assert error < 0.15
        assert abs(other["excess"] - found[0]["excess"]) < 3 * error


def test_families_that_lie_closer_than_strangers_are_told_with_what_has_no_number():
    kinds = {"a1": "a", "a2": "a", "a3": "a", "b1": "b", "b2": "b", "b3": "b", "x": "b"}
    names = list(kinds)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[:i]]
    found = [
        {"a": a, "b": b, "low": None, "high": None, "against_twins": 0.1, "departure": 0.1, "undefined": "",
         "rho": None if "x" in (a, b) else 0.2 + 0.01 * len(a) if kinds[a] == kinds[b] else 1.0}
        for a, b in pairs
    ]  # fmt: skip
    rows = {(row["part"], row["pair"]): row for row in families.told_families("made", found, kinds) if "rho" in row}
    assert rows["within", "6 of 9 pairs"]["rho"] == pytest.approx(0.22)
    assert rows["between", "9 of 12 pairs"]["rho"] == pytest.approx(1)
    assert rows["lower within", "relative dissimilarity, 6 tests: probability"]["rho"] == pytest.approx(0.1, abs=0.02)
