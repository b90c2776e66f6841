"""The deletion test: a copy of the project without a wing's folder still shows its verbs, plans every other
configuration and runs the jobs of a small suite."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tiny
import yaml

from aiq.config.load import read

pytestmark = [pytest.mark.workflow, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
WINGS = {"algorithmic": "algorithmic", "anytime": "anytime", "collectives": "collectives", "novelty": "novelty",
         "similarity2020": "similarity"}  # fmt: skip
"""Folder of a wing -> the word of the key ``measure``."""

PLANS = """
import contextlib, io, json
from pathlib import Path
from aiq import domains
from aiq.cli import main
from aiq.config.load import read
from aiq.plans.run import Run
from aiq.errors import AiqError
planned, refused = {}, {}
for file in sorted(Path("config").glob("*.yaml")):
    try:
        run = Run.of(read(file))
        planned[file.stem] = len(run.plan.shards()) + len(run.plan.results()) + len(list(run.plan.products()))
    except AiqError as error:
        refused[file.stem] = str(error)
with contextlib.redirect_stdout(io.StringIO()) as shown:
    assert [main([verb]) for verb in ("domains", "agents", "--help")] == [0, 0, 0]
sources, verbs = sorted(domains.CONTROL_FAMILIES), shown.getvalue()
print(json.dumps({"planned": planned, "refused": refused, "sources": sources, "verbs": verbs}))
"""


def copied(folder: Path, wings: list[str]) -> Path:
    """Return a copy of all that a run needs, without the folders of some wings."""
    for name in ("workflow", "scripts", "config", "profiles", "envs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for wing in wings:
        shutil.rmtree(folder / "workflow" / "aiq" / "wings" / wing)
    return folder


def call(folder: Path, *words: str) -> str:
    """Return what Python prints with the library of the copy."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "workflow"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def planned(folder: Path) -> dict[str, dict[str, object]]:
    """Return what every configuration plans in a folder, what is refused, and what the verbs show."""
    found: dict[str, dict[str, object]] = yaml.safe_load(call(folder, "-c", PLANS))
    return found


@pytest.fixture(scope="module")
def whole() -> dict[str, dict[str, object]]:
    """What every configuration plans with all wings."""
    return planned(ROOT)


def test_every_wing_is_named_here():
    folders = {path.parent.name for path in (ROOT / "workflow" / "aiq" / "wings").glob("*/__init__.py")}
    assert folders == set(WINGS)


@pytest.mark.parametrize("wing", WINGS)
def test_without_a_wing_the_rest_is_planned_as_before(tmp_path: Path, wing: str, whole):
    folder, word = copied(tmp_path, [wing]), WINGS[wing]
    here = planned(folder)
    lost = set(whole["planned"]) - set(here["planned"])
    own = {name for name in whole["planned"] if read(ROOT / f"config/{name}.yaml").get("measure") == word}
    sources = set(whole["sources"]) - set(here["sources"])
    for name in lost - own:  # what needs domains that the wing brought says which it lacks
        assert any(f"source: {source}" in (ROOT / f"config/{name}.yaml").read_text() for source in sources), name
        assert "source" in here["refused"][name]
    assert own <= lost
    assert {name: here["planned"][name] for name in here["planned"]} == {
        name: count for name, count in whole["planned"].items() if name not in lost
    }
    verbs = here["verbs"]
    assert "run" in verbs
    assert (
        f"\n  {word} " not in verbs or word == "similarity"
    )  # similarity of a table of one's own is a verb of the core


def test_without_any_wing_jobs_of_a_small_suite_run_from_the_command_line(tmp_path: Path):
    folder = copied(tmp_path, list(WINGS))
    (folder / "tiny.yaml").write_text(yaml.safe_dump(tiny.SMALL), encoding="utf-8")
    measured = f"{tiny.SMALL['results']}/complexity/wine.h5"
    call(folder, "-m", "aiq.cli", "run", "tiny.yaml", "--cores", "2", "--no-report", "--", measured)
    assert (folder / measured).is_file()
