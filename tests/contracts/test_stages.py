"""A fingerprint knows the versions of the stages behind it."""

import copy
import json
import pickle
from pathlib import Path

import pytest

from aiq.config.base import fingerprint
from aiq.config.load import read
from aiq.plans.base import Fingerprint, Stage, behind, joined
from aiq.plans.run import PIPELINES, STAGES, Run

ROOT = Path(__file__).resolve().parents[2]


def test_every_stage_has_a_name_of_its_own():
    names = [stage.name for stage in STAGES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["quickstart", "cartpole", "algorithmic-quickstart", "collectives-quickstart"])
def test_every_file_is_made_by_stages_of_its_measure(name: str):
    run = Run.of(read(ROOT / "config" / f"{name}.yaml"))
    stages = {stage.name for stage in PIPELINES[run.configuration.measure].stages}
    for _, found in {**run.plan.shards(), **run.plan.results()}.values():
        assert isinstance(found, Fingerprint)
        assert found.versions
        assert set(found.versions) <= stages
    assert set(run.plan.versions()) <= stages


def test_a_labelled_suite_goes_through_no_stage_of_the_baseline():
    versions = Run.of(read(ROOT / "config" / "quickstart.yaml")).plan.versions()
    assert "entropy" in versions
    assert not {"baseline", "play", "apti"} & set(versions)


# ---- fingerprints ---------------------------------------------------------------------------------


def test_a_version_changes_its_own_stage_and_what_follows():
    first, other, later = (Stage(name, 1) for name in ("first", "other", "later"))
    raised = Stage("first", 2)
    assert first.fingerprint("x") == fingerprint("first", 1, "x")
    assert raised.fingerprint("x") != first.fingerprint("x")
    assert later.fingerprint([["a", raised.fingerprint("x")]]) != later.fingerprint([["a", first.fingerprint("x")]])
    assert later.fingerprint(other.fingerprint("x")).versions == {"later": 1, "other": 1}
    assert joined("job", [raised.fingerprint("x")], 3).versions == {"first": 2}
    assert behind(["word", 3, None]) == {}


def test_versions_are_left_behind_by_copies():
    made = Stage("first", 1).fingerprint("x")
    assert type(pickle.loads(pickle.dumps(made))) is str
    assert copy.deepcopy(made) == made
    assert json.dumps(made) == f'"{made}"'
