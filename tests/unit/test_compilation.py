"""Compiled code: where it is kept, that any source change leaves it, and that nothing hangs on a place to keep it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aiq import compilation
from aiq.compilation import Compiler

RUNS = """
import warnings
warnings.simplefilter("error")
from aiq.wings.{family}.equations import {compiler}, compiled
assert {compiler}.folder is None
print(compiled(lambda x: x + 1)(2))
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "one.py").write_text("x = 1\n")
    return folder


def test_the_folder_follows_the_environment(sources, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "not" / "yet"))
    assert Compiler(sources).folder.parent == tmp_path / "not" / "yet"


def test_the_folder_changes_with_any_source(sources, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    before = Compiler(sources).folder
    assert before.parent == sources / "__pycache__"
    (sources / "two.py").write_text("y = 1\n")
    assert Compiler(sources).folder != before


def test_the_next_place_is_taken_where_one_cannot_be_written(sources, monkeypatch, tmp_path):
    (sources / "__pycache__").write_text("a file, so that no folder can be made here")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(sources / "one.py" / "below"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert Compiler(sources).folder.parent == tmp_path / "home" / "aiq"


def test_each_processor_has_a_folder_of_its_own(sources, monkeypatch):
    before = Compiler(sources).folder
    monkeypatch.setattr(compilation, "_processor", lambda: b"another one")
    assert Compiler(sources).folder != before


def test_a_full_disk_stops_nobody(sources, monkeypatch):
    function = Compiler(sources)(lambda x: x + 1)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(function._cache._cache_file, "save", full)
    assert function(2) == 3
    assert function(2.5) == 3.5


def test_one_process_writes_at_a_time(sources):
    """While another one has the lock, compiled code waits with being stored."""
    compiler = Compiler(sources)
    function = compiler(lambda x: x + 1)
    holds = (
        "import fcntl, sys, time; file = open(sys.argv[1], 'ab'); fcntl.flock(file, fcntl.LOCK_EX)\n"
        "print('held', flush=True); time.sleep(1.5)"
    )
    words = [sys.executable, "-c", holds, str(compiler.folder / "lock")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        assert function(2) == 3
        assert other.wait() == 0  # nothing was stored before it had gone
    assert len(list(compiler.folder.rglob("*.nbi"))) == 1


def test_whoever_has_no_home_needs_none(sources, monkeypatch):
    def homeless():
        raise RuntimeError("could not determine home directory")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(compilation.Path, "home", homeless)
    assert Compiler(sources).folder.parent == sources / "__pycache__"


@pytest.mark.parametrize(("family", "compiler"), [("algorithmic", "_COMPILE"), ("collectives", "compiled")])
def test_a_read_only_installation_works_without_a_warning(family, compiler, tmp_path):
    """Every place for compiled code lies below a regular file, as root may write anywhere else."""
    source, copy = Path(compilation.__file__).parent, tmp_path / "aiq"
    for inner in ("wings", family, "equations", ""):
        copy.mkdir()
        for path in source.iterdir():
            if path.name not in (inner, "__pycache__"):
                (copy / path.name).symlink_to(path)
        source, copy = (source / inner, copy / inner) if inner else (source, copy)
    (copy / "__pycache__").write_text("a file")
    wall = tmp_path / "wall"
    wall.write_text("a file")
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "NUMBA_CACHE_DIR": str(wall / "numba"),
        "XDG_CACHE_HOME": str(wall / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    code = RUNS.format(family=family, compiler=compiler)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout == "3\n"
