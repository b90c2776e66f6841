"""What is told where a number, a version or a place changes, and how numbers come back from text."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from aiq.plans.run import STAGES
from tests.golden import kept, runs
from tests.golden.texts import flat, read, with_numbers_of, written

NUMBERS = {"a.h5/mean": 0.25, "a.h5/draws": np.array([1.0, np.nan]), "tables/a.csv/who": ["x", None], "a.h5/n": 3}
STAGE = runs.Made("space", {"domain": 1, "space": 3}, NUMBERS)


def sentences(made: runs.Made, old: runs.Made = STAGE) -> list[kept.Difference]:
    return kept.differences("suite", [made], {"space": old})


def with_number(place: str, value: object, **changes: object) -> runs.Made:
    made = copy.deepcopy(STAGE)
    made.leaves[place] = value
    for name, other in changes.items():
        setattr(made, name, other)
    return made


def test_equal_numbers_are_told_of_no_difference():
    assert sentences(copy.deepcopy(STAGE)) == []
    assert sentences(with_number("a.h5/mean", 0.25 + 1e-12)) == []  # a sum in another order


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("a.h5/mean", 0.2501, "a.h5/mean was 0.25 and is 0.2501"),
        ("a.h5/mean", None, "a.h5/mean was 0.25 and is None"),
        ("a.h5/mean", float("nan"), "a.h5/mean was 0.25 and is nan"),
        ("a.h5/draws", np.array([1.0, 2.0]), "a.h5/draws[1] was nan and is 2.0"),
        ("a.h5/draws", np.array([1.0]), "a.h5/draws had the shape (2,) and has (1,)"),
        ("tables/a.csv/who", ["y", None], "tables/a.csv/who[0] was 'x' and is 'y'"),
        ("a.h5/n", 4, "a.h5/n was 3 and is 4"),
    ],
)
def test_a_number_that_changes_under_an_unchanged_version_fails(place: str, value: object, words: str):
    (found,) = sentences(with_number(place, value))
    assert found.unversioned
    assert "Stage 'space' (version 3) of the run suite" in found.sentence
    assert words in found.sentence
    assert "raise the version of 'space'" in found.sentence
    assert "python -m tests.golden" in found.sentence


def test_a_raised_version_asks_to_write_again():
    (found,) = sentences(with_number("a.h5/mean", 9.0, versions={"domain": 1, "space": 4}))
    assert not found.unversioned
    assert "the version of 'space' from 3 to 4. Write the numbers again" in found.sentence
    (found,) = sentences(with_number("a.h5/mean", 9.0, versions={"domain": 2, "space": 3}))
    assert "the version of 'domain' from 1 to 2" in found.sentence


def test_new_and_lost_places_are_named():
    made = with_number("a.h5/new", 1.0)
    del made.leaves["a.h5/n"]
    lost, new = sentences(made)
    assert "no longer has a.h5/n" in lost.sentence
    assert "now also has a.h5/new" in new.sentence


def test_a_new_stage_and_a_lost_one_are_named():
    (new, lost) = kept.differences("suite", [runs.Made("scores", {"scores": 1})], {"space": STAGE})
    assert "No numbers are kept of stage 'scores'" in new.sentence
    assert "has no stage 'space' any more" in lost.sentence


def trained(change: float, processor: str, places: int = 20, changed: int = 1) -> runs.Made:
    leaves = {f"t.h5/{n}": 0.25 * (1 + (change if n < changed else 0)) for n in range(places)}
    return runs.Made("trials", {"trials": 1}, leaves, {"machine": processor})


def test_trainings_are_exact_on_a_processor_of_the_same_kind():
    kept_numbers = {"trials": trained(0, "this")}
    (found,) = kept.differences("suite", [trained(1e-12, "this")], kept_numbers)
    assert found.unversioned


def test_trainings_on_another_kind_of_processor_are_near_in_nine_places_of_ten():
    kept_numbers = {"trials": trained(0, "another")}
    assert kept.differences("suite", [trained(5e-5, "this", changed=20)], kept_numbers) == []
    assert kept.differences("suite", [trained(0.5, "this", changed=2)], kept_numbers) == []
    (found,) = kept.differences("suite", [trained(0.5, "this", changed=3)], kept_numbers)
    assert "far beyond what another processor" in found.sentence


def test_text_gives_every_leaf_back_and_large_arrays_as_sums():
    tree = {
        "seconds": 3.0,
        "words": np.array(["a", "b"], dtype=object),
        "below": {"thin": np.array([[0.1, 0.2]], dtype=np.float32), "none": None, "yes": True},
        "wide": np.arange(1000.0),
    }
    leaves = flat(tree)
    back = read(json.loads(written(leaves)))
    assert back.keys() == leaves.keys() == {"words", "below/thin", "below/none", "below/yes", "wide"}
    assert back["below/thin"].dtype == np.float32
    assert all(kept._equal(back[place], leaves[place]) for place in leaves)
    assert back["wide"][0] == 1000
    swapped = np.arange(1000.0)
    swapped[[3, 4]] = swapped[[4, 3]]
    assert not kept._near(kept.NEAR)(flat({"wide": swapped})["wide"], back["wide"])
    changed = {**leaves, "below/thin": np.array([[0.3, 0.4]], dtype=np.float32)}
    assert with_numbers_of(tree, changed)["below"]["thin"].tolist() == changed["below/thin"].tolist()
    assert with_numbers_of(tree, changed)["seconds"] == 3.0


def test_every_stage_has_numbers():
    stages = {name for run in runs.SMALL for name in kept.load(run)}
    assert {stage.name for stage in STAGES} - stages == set()
