"""A measure of somebody else's package runs through Snakemake, store, page and command line; the core is as it is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = [pytest.mark.workflow, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = "measure: dice\nname: toy\nseed: 4\nresults: results\nsides: [6, 20]\nthrows: 400\n"
VERBS = ("-c", "import sys; from aiq.cli import main; assert not any(main(word.split()) for word in sys.argv[1:])")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with the toy measure in it, as pip would put it there."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "tests" / "toy_measure" / "toy_measure", folder / "toy_measure")
    about = folder / "toy_measure-0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-measure\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text("[aiq.measures]\ndice = toy_measure:MEASURE\n")
    return folder


def call(folder: Path, packages: Path, *words: str, status: int = 0, start: Sequence[str] = ("-m", "aiq.cli")):
    """Call aiq in a folder with further packages."""
    path = os.pathsep.join([str(packages), str(ROOT / "workflow"), os.environ["PYTHONPATH"]])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *start, *words],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=1200,
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    return done


def test_it_runs_is_stored_resumed_shown_and_told(site: Path, tmp_path: Path):
    (tmp_path / "dice.yaml").write_text(CONFIGURATION)
    call(tmp_path, site, "run", "dice.yaml", "--cores", "2", "--no-report")
    results = tmp_path / "results"
    unit = results / "units" / "die-6.h5"
    before = unit.stat().st_mtime_ns
    made = {path.name for path in (results / "figures").iterdir()}
    assert {"dice-means.png", "dice-means.svg", "dice-means.pdf", "dice-means.csv", "dice-means.txt"} <= made
    rows = (results / "tables" / "means.csv").read_text().splitlines()
    assert rows[0] == "die,mean,low,high,throws"
    assert len(rows) == 3
    mean, low, high = map(float, rows[1].split(",")[1:4])
    assert low < mean < high
    assert abs(mean - 3.5) < 0.35  # four standard errors of 400 throws
    assert "Mean of dice" in (results / "index.html").read_text(encoding="utf-8")

    (tmp_path / "dice.yaml").write_text(CONFIGURATION.replace("[6, 20]", "[6, 20, 8]"))
    call(tmp_path, site, "run", "dice.yaml", "--cores", "2", "--no-report", "--yes", "--", "results/tables/means.csv")
    assert unit.stat().st_mtime_ns == before, "a finished unit is left as it is"
    assert len((results / "tables" / "means.csv").read_text().splitlines()) == 4

    said = call(tmp_path, site, "summary dice.yaml --json", "shards dice.yaml", "dice 6", "--help", start=VERBS).stdout
    summary, end = json.JSONDecoder().raw_decode(said)
    assert "dice" in json.dumps(summary)
    assert "\n3.5\n" in said[end:]
    assert "dice" in said[said.index("Usage:") :]


def test_its_settings_are_checked_like_any_other(site: Path, tmp_path: Path):
    (tmp_path / "dice.yaml").write_text(CONFIGURATION.replace("throws", "throw"))
    said = call(tmp_path, site, "run", "dice.yaml", status=2).stderr
    assert "did you mean 'throws'" in said
    assert "Traceback" not in said


def test_a_broken_measure_is_named_and_the_rest_goes_on(tmp_path: Path):
    site = tmp_path / "site"
    about = site / "broken_measure-0.1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-measure\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text("[aiq.measures]\nbroken = not_there:MEASURE\n")
    done = call(tmp_path, site, "--help")
    assert "algorithmic" in done.stdout
    assert "the measure 'broken' of the package broken-measure cannot be loaded" in done.stderr
    (tmp_path / "b.yaml").write_text(CONFIGURATION.replace("dice", "broken"))
    said = call(tmp_path, site, "run", "b.yaml", status=2).stderr
    assert "the measure 'broken' is not known" in said
