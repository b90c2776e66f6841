"""The core names no measure: it finds them by their folder, or by an entry point."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from aiq import wing
from aiq.wing import Measure

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "workflow" / "aiq"
FOLDERS = sorted(path.parent.name for path in (LIBRARY / "wings").glob("*/__init__.py"))
OLD_PATH = LIBRARY / "novelty" / "__init__.py"  # a path that the documentation named goes on working
PARTS = ("settings", "units", "run", "reduce", "products", "figures", "plan", "verbs", "agents", "expected",
         "show", "main_table", "opening", "checks", "samples", "estimate")  # fmt: skip


def core() -> list[Path]:
    """Every text of the core: the library without wings, the workflow, its scripts, the build."""
    files = [path for path in LIBRARY.rglob("*.py") if (LIBRARY / "wings") not in path.parents and path != OLD_PATH]
    files += [ROOT / "workflow" / "Snakefile", ROOT / "setup.py", *(ROOT / "scripts").glob("*.py")]
    return files + sorted((ROOT / "workflow" / "rules").glob("*.smk"))


def test_there_are_wings_and_a_core():
    assert len(FOLDERS) >= 5
    assert len(core()) > 150


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_core_does_not_name_a_wing(folder: str):
    named = re.compile(rf"\bwings[./]{folder}\b|measure\w* (==|!=|in) .*[\"']{folder}[\"']")
    lines = [
        (path.name, line) for path in core() for line in path.read_text("utf-8").splitlines() if named.search(line)
    ]
    assert lines == []


def test_every_wing_enters_through_one_object_whose_parts_are_there():
    for folder in FOLDERS:
        measure = import_module(f"aiq.wings.{folder}").MEASURE
        assert isinstance(measure, Measure)
        assert wing.measures()[measure.name] is measure
        assert measure.package == f"aiq.wings.{folder}"
        for part in PARTS:
            if getattr(measure, part):
                assert measure.part(part) is not None
        assert not measure.settings or measure.part("settings").word() == measure.name


@pytest.mark.parametrize(
    "folder", [folder for folder in FOLDERS if (LIBRARY / "wings" / folder / "verbs.py").is_file()]
)
def test_its_verbs_can_be_imported_before_the_command(folder: str):
    done = subprocess.run(
        [sys.executable, "-c", f"import aiq.wings.{folder}.verbs"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_wing_uses_no_other_but_where_it_looks_first_whether_it_is_there():
    allowed = {("anytime", "equations/automata.py")}
    for folder in FOLDERS:
        for path in (LIBRARY / "wings" / folder).rglob("*.py"):
            others = [other for other in FOLDERS if other != folder and f"aiq.wings.{other}" in path.read_text("utf-8")]
            assert not others or (folder, path.relative_to(LIBRARY / "wings" / folder).as_posix()) in allowed, path
