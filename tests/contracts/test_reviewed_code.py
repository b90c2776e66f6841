"""A stage's code does not change unnoticed, and a fingerprint knows the stages behind it."""

import copy
import json
import pickle
from pathlib import Path

import pytest

from aiq.config.base import fingerprint
from aiq.config.load import read
from aiq.plans import code, review
from aiq.plans.registry import PIPELINES, STAGES
from aiq.plans.run import Run
from aiq.plans.stages import Fingerprint, Stage, behind, joined

ROOT = Path(__file__).resolve().parents[2]


def test_the_code_of_every_stage_is_the_reviewed_one():
    assert review.differences(review.read(), review.present()) == [], (
        "raise the version of a stage whose numbers change, then run: python -m aiq.plans.review --reason '...'"
    )


def test_every_stage_has_a_name_of_its_own_and_a_reason():
    names = [stage.name for stage in STAGES]
    assert len(set(names)) == len(names)
    stages = review.read()["stages"]
    assert list(stages) == names
    assert all(stage["reason"].strip() for stage in stages.values())


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
    first, other, later = (Stage(name, 1, ()) for name in ("first", "other", "later"))
    raised = Stage("first", 2, ())
    assert first.fingerprint("x") == fingerprint("first", 1, "x")
    assert raised.fingerprint("x") != first.fingerprint("x")
    assert later.fingerprint([["a", raised.fingerprint("x")]]) != later.fingerprint([["a", first.fingerprint("x")]])
    assert later.fingerprint(other.fingerprint("x")).versions == {"later": 1, "other": 1}
    assert joined("job", [raised.fingerprint("x")], 3).versions == {"first": 2}
    assert behind(["word", 3, None]) == {}


def test_versions_are_left_behind_by_copies():
    made = Stage("first", 1, ()).fingerprint("x")
    assert type(pickle.loads(pickle.dumps(made))) is str
    assert copy.deepcopy(made) == made
    assert json.dumps(made) == f'"{made}"'


# ---- code -----------------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, monkeypatch):
    """A small package in the place of aiq; returns what writes one of its modules."""
    for found in (code.digest, code.imports, code.named, code._tree):
        found.cache_clear()
    monkeypatch.setattr(code, "ROOT", tmp_path)

    def write(name: str, text: str) -> None:
        for found in (code.digest, code.imports, code.named, code._tree):
            found.cache_clear()
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    write("work", "from aiq.inner import shown\nfrom aiq import figures, other\nfrom aiq.measures import one\n")
    write("inner/__init__", "from aiq.inner.source import value as shown\nfrom aiq.inner.unused import nothing\n")
    write("inner/source", "value = 1\n")
    write("inner/unused", "nothing = 0\n")
    write("named", "z = 1\n")
    strings = "NAMES = ('aiq.named', 'see aiq.figures', 'aiq.nothing')\n"
    write("other", f"{strings}def late():\n    from aiq.late import f\n    return f()\n")
    write(
        "late", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from aiq.types import T\ndef f(): return 2\n"
    )
    write("types", "T = int\n")
    write("figures", "x = 1\n")
    write("measures/__init__", "")
    write("measures/one", "y = 1\n")
    yield write
    for found in (code.digest, code.imports, code.named, code._tree):
        found.cache_clear()


def test_imports_are_followed_to_what_runs(package):
    assert set(code.code_of(["aiq.work"])) == {
        *("aiq.work", "aiq.inner.source", "aiq.other", "aiq.late", "aiq.measures.one", "aiq.named")
    }
    assert "aiq.other" not in code.code_of(["aiq.work"], {"aiq.other"})
    package("work", "import aiq.gone\n")
    with pytest.raises(ValueError, match=r"aiq\.gone is no module"):
        code.code_of(["aiq.work"])


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ('"""Words."""\n\nvalue = 1  # a comment\n', True),
        ("value = (\n    1\n)\n", True),
        ("value = 2\n", False),
        ("value = 1.0\n", False),
        ("value = 1\nother = 1\n", False),
        ("value = -1\n", False),
    ],
)
def test_a_digest_sees_code_and_not_its_looks(package, text: str, same: bool):
    before = code.digest("aiq.inner.source")
    package("inner/source", text)
    assert (code.digest("aiq.inner.source") == before) is same


def test_digests_do_not_depend_on_the_version_of_python(package):
    package("inner/source", "def f(a: int, *b, c=1, **d) -> list[int]:\n    'Doc.'\n    return [f'{x:3}' for x in b]\n")
    assert code.digest("aiq.inner.source") == "bcdb76bc4c61"


# ---- the list -------------------------------------------------------------------------------------


def test_what_differs_is_told_and_written_with_its_reason(tmp_path: Path, monkeypatch):
    path = tmp_path / "reviewed.json"
    made = {"stages": {"a": {"version": 1, "modules": ["m"]}, "b": {"version": 1, "modules": ["m", "n"]}}}
    made["modules"] = {"m": "0", "n": "0"}
    monkeypatch.setattr(review, "present", lambda: copy.deepcopy(made))
    assert review.review("begun", path) == ["stage a is new", "stage b is new"]
    assert review.review("again", path) == []
    made["modules"]["n"] = "1"
    assert review.differences(review.read(path), made) == ["stage b has changed code at version 1: n"]
    assert review.review("a comment became code", path) == ["stage b has changed code at version 1: n"]
    assert {name: stage["reason"] for name, stage in review.read(path)["stages"].items()} == {
        "a": "begun", "b": "a comment became code"
    }  # fmt: skip
    made["stages"]["a"]["version"] = 2
    assert review.differences(review.read(path), made) == ["stage a has version 2, reviewed is 1"]
    del made["stages"]["b"]
    assert review.differences(review.read(path), made)[1:] == ["stage b is gone"]


def test_the_command_asks_for_a_reason(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["review"])
    with pytest.raises(SystemExit) as stop:
        review.main()
    assert stop.value.code == 2
    assert "--reason" in capsys.readouterr().err
