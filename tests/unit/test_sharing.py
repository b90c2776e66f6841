"""The order of files among processes, and folders that one process makes for all."""

import multiprocessing
from pathlib import Path
from types import SimpleNamespace

import pytest

import sharing


def test_every_test_stays_and_slow_files_come_first(request: pytest.FixtureRequest):
    items = request.session.items
    found = sharing.in_order(items)
    assert len(found) == len(items)
    assert set(found) == set(items)
    counts = {"s1": 1, "w1": 5, "w2": 4, "s2": 4, "q1": 1, "q2": 9, "w3": 3, "s3": 2, "w4": 1}
    names = {name: {"s": "slurm", "w": "workflow", "q": ""}[name[0]] for name in counts}
    made = [
        SimpleNamespace(path=Path(name), number=k, get_closest_marker=lambda m, marker=marker: m == marker)
        for name, marker in names.items()
        for k in range(counts[name])
    ]
    ordered = [(item.path.name, item.number) for item in sharing.in_order(made)]
    turns = ("s2", "w1", "w2", "w3", "s1", "w4", "s3", "q2", "q1")
    assert ordered == [(name, k) for name in turns for k in range(counts[name])]


def ask(base: Path, asked: Path) -> None:
    def make(folder: Path) -> None:
        with asked.open("a") as file:
            file.write("made\n")
        (folder / "whole").write_text("yes")

    folder = sharing.made_once(SimpleNamespace(getbasetemp=lambda: base / "gw0"), "x", make)
    assert (folder / "whole").read_text() == "yes"


def test_processes_that_ask_at_once_share_one_folder(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=ask, args=(tmp_path, tmp_path / "asked")) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    assert (tmp_path / "asked").read_text() == "made\n"


def test_a_failed_making_is_tried_again(tmp_path: Path, monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    factory = SimpleNamespace(getbasetemp=lambda: tmp_path)

    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        sharing.made_once(factory, "x", fail)
    folder = sharing.made_once(factory, "x", lambda folder: (folder / "whole").touch())
    assert [path.name for path in folder.iterdir()] == ["whole"]
