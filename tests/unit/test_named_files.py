"""Where a job's files lie, and which files of a person's own a configuration names."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from aiq.config.load import parse
from aiq.domains.labelled.library_sets import Torchvision
from aiq.plans.layout import Files
from aiq.plans.workflow import beyond, carried, named_by, stored_for

STORE = ".snakemake/storage/s3/bucket/run"


@pytest.mark.parametrize(
    ("results", "log", "space", "moved"),
    [
        ("results/a", "results/a/logs/space.log", "results/a/space.h5", False),
        ("results/a", f"{STORE}/results/a/logs/trials/x/y.log", f"{STORE}/results/a/space.h5", True),
        ("./results/a", f"{STORE}/results/a/logs/x.log", f"{STORE}/results/a/space.h5", True),
        ("/scratch/a", "/scratch/a/logs/x.log", "/scratch/a/space.h5", False),
        ("/scratch/a", f"{STORE}/scratch/a/logs/x.log", f"{STORE}/scratch/a/space.h5", True),
        ("logs", f"{STORE}/logs/logs/x.log", f"{STORE}/logs/space.h5", True),
        ("results/a", "elsewhere/my.log", "results/a/space.h5", False),
    ],
)
def test_a_job_finds_its_files_where_its_log_lies(results: str, log: str, space: str, moved: bool):
    layout = Files(results)
    layout.follow(log)
    assert (layout.path("space.h5"), layout.moved) == (space, moved)
    if moved:
        assert layout.log("x") == layout.path("logs", "x.log")


def configuration(**changes):
    """A run of anytime tests, the smallest configuration that may name code."""
    raw = {
        "measure": "anytime",
        "name": "mine",
        "seed": 1,
        "results": "results/mine",
        "test": {"by": "interactions", "budget": 40},
        "classes": {"cups": {"family": "cups"}},
        "agents": {"random": {"kind": "random"}},
        **changes,
    }
    return parse(raw, "mine.yaml")


def test_code_that_a_configuration_names_is_carried(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py"):
        Path(name).write_text("", encoding="utf-8")
    assert carried(configuration()) == []
    outside = {"kind": "outside", "file": "a.py"}
    agents = {
        "one": outside,
        "slow": {"kind": "sandbagger", "winner": {"kind": "outside", "file": "b.py"}},
        "again": outside,
        "lost": {"kind": "outside", "file": "not-there.py"},
    }
    assert carried(configuration(agents=agents)) == ["a.py", "b.py"]


def test_factories_environments_and_calibrations_are_carried(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("site.json", "mine.py", "worlds.py", "listed.py"):
        Path(name).write_text("", encoding="utf-8")
    suite = SimpleNamespace(
        jobs=SimpleNamespace(calibration="site.json"),
        agents=SimpleNamespace(
            outside=[SimpleNamespace(factory="mine:Greedy"), SimpleNamespace(factory="numpy:zeros")]
        ),
        domains={"a": SimpleNamespace(id="worlds:Mine-v0"), "b": SimpleNamespace(id="CartPole-v1"), "c": object()},
    )
    assert carried(suite) == ["site.json", "mine.py", "worlds.py"]  # type: ignore[arg-type]
    for learners in (SimpleNamespace(generator="worlds:draw"), [SimpleNamespace(factory="worlds:make")]):
        assert carried(SimpleNamespace(pool=SimpleNamespace(learners=learners))) == ["worlds.py"]  # type: ignore[arg-type]
    listed = SimpleNamespace(agents=(SimpleNamespace(factory="listed:make"), SimpleNamespace(agent="random")))
    assert carried(listed) == ["listed.py"]  # type: ignore[arg-type]


def test_files_outside_the_working_folder_cannot_travel(tmp_path: Path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert beyond(["a.py", "sub/../b.py", str(tmp_path / "here" / "c.py")]) == []
    assert beyond(["a.py", "../x.py", "/etc/hosts"]) == ["../x.py", "/etc/hosts"]


def test_data_are_found_here_then_below_data_root_and_stored_sets_only_whole(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mnist = Torchvision(source="torchvision", name="MNIST")
    assert (named_by(mnist, "d"), stored_for(mnist, "d")) == ([], [])
    paths = [Path("d") / name for name in mnist.stored]
    for number, path in enumerate(paths, start=1):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
        assert stored_for(mnist, "d") == ([str(p) for p in paths] if number == 4 else [])
    assert stored_for(mnist, None) == []
    archive = SimpleNamespace(files=("a.npz",))
    assert named_by(archive, "d") == []
    (Path("d") / "a.npz").write_bytes(b"x")
    assert named_by(archive, "d") == ["d/a.npz"]
    Path("a.npz").write_bytes(b"x")
    assert named_by(archive, "d") == ["a.npz"]
