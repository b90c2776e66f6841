"""The study of kinship: its small part runs through the pipeline, and twins are as hard as their tests."""

from collections import Counter

import numpy as np
import pytest

from studies import families, kinship, kinship_tests
from studies import kinship_answers as answers
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


@pytest.mark.parametrize(
    ("test", "more", "family", "size"),
    [
        ({"source": "sklearn", "name": "digits", "classes": 5, "limit": 150, "limit_test": 200}, {}, "dense", 64),
        ({"source": "sklearn", "name": "digits", "classes": 5, "limit": 150, "limit_test": 200},
         {"twin_moves": "picture"}, "convolutional", 32),
    ],
)  # fmt: skip
def test_a_twin_is_as_hard_as_its_test(test, more, family, size):
    named = {f"digits.{k}": {**test, **({"twin": k, **more} if k else {})} for k in range(3)}
    found = trained.hardness(named, family, size)
    assert 0.02 < found[0]["excess"] < 0.9
    for other in found[1:]:
        error = np.hypot(found[0]["se"], other["se"])
        assert error < 0.15
        assert abs(other["excess"] - found[0]["excess"]) < 3 * error


# ---- what is asked of departures, on departures that are made ------------------------------------


def made(names, own, partners):
    """Departures of tests whose twins' are given, without noise."""
    rows = [{"trainings": 1, "seconds": 60.0}]
    for i, a in enumerate(names):
        rows += [{"a": a, "b": f"{b}~1", "by": [partners[i, j] if i != j else own[i]]} for j, b in enumerate(names)]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[:i]]
    return rows + [{"a": a, "b": b, "rho": 1.0, "departure": 0.1} for a, b in pairs]


def test_what_is_cheaper_is_compared_with_what_was_measured():
    names, own = ["cancer", "digits", "fashion", "mnist", "wine"], np.array([0.02, 0.08, 0.06, 0.1, 0.03])
    partners = (own[:, None] + own) / 2
    one, other, left, *_ = answers._cost("made", made(names, own, partners))
    assert (one["rho"], other["rho"], left["rho"]) == (pytest.approx(0), pytest.approx(0), pytest.approx(0))
    partners[1, 2] = partners[2, 1] = 0.14  # digits and fashion: twice what their own twins say
    one, other, *_ = answers._cost("made", made(names, own, partners))
    assert one["pair"].startswith("mean of both tests' own twins, one space, 3 pairs")
    assert one["rho"] == pytest.approx(0.07 / 3 / np.mean([0.14, 0.09, 0.08]))
    assert other["rho"] == pytest.approx(0)


def test_tests_that_lack_a_number_are_left_out_of_the_map():
    pairs = [{"a": a, "b": b, "rho": None if "x" in (a, b) else 1.0} for a, b in ("ab", "ac", "bc", "ax", "bx", "cx")]
    assert answers.known(pairs)[0] == ["a", "b", "c"]
    (row, _) = answers._maps("made", pairs)
    assert row["rho"] == pytest.approx(0)


def test_a_pilot_finds_the_names_of_classes_that_have_others():
    digits = kinship_tests.data_set("digits")
    first, other = kinship_tests.half(digits, 0), kinship_tests.half(digits, 1)
    changed = families.renamed(other, 5)
    assert (changed.train_y != other.train_y).mean() == pytest.approx((other.train_y < 5).mean())
    assert (families.matched(first, changed).test_y == other.test_y).all()


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
