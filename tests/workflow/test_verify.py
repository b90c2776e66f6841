"""``aiq verify``: a flipped number is found, wherever it stands; results stay as they are."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tiny

from aiq.config.load import read
from aiq.plans.run import Run
from aiq.run.products import make_products
from aiq.run.upkeep import audit
from aiq.storage import hdf5


@pytest.fixture
def tabulated(small: Path, tmp_path: Path) -> Path:
    """A copy of the smallest run with its tables."""
    folder, run = shutil.copytree(small, tmp_path / "copy"), Run.of(tiny.SMALL)
    with tiny.inside(folder):
        for name in ("explain_variance", "write_tables"):
            make_products(run, name)
    return folder


def verified(folder: Path, results: str = "results/tiny"):
    """Call the verb in a folder; return its exit status and what it printed."""
    words = [sys.executable, "-m", "aiq.cli", "verify", results, "--cores", "1", "--json"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=900)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


@pytest.mark.workflow
def test_flipped_numbers_are_found_and_nothing_else_is(tabulated: Path):
    table = tabulated / "results/tiny/tables/agents.csv"
    with table.open(newline="") as file:
        rows = list(csv.reader(file))
    column = rows[0].index("mean")
    rows[1][column] = str(float(rows[1][column]) + 1e-6)
    with table.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    last = tabulated / "results/tiny/tables/complexity.csv"
    text = last.read_text(encoding="utf-8")
    digit = max(i for i, letter in enumerate(text) if letter.isdigit())
    last.write_text(f"{text[:digit]}{9 - int(text[digit])}{text[digit + 1 :]}", encoding="utf-8")
    stored = tabulated / "results/tiny/space.h5"
    header, content = hdf5.read(stored, "space")
    changed = content["coordinates"].copy()
    changed[0, 0] += 1e-6
    hdf5.write(stored, header, {**content, "coordinates": changed})
    before = tiny.files(tabulated)
    status, found = verified(tabulated)
    assert status == 1
    wrong = {one["file"].removeprefix("results/tiny/") for one in found["wrong"]}
    assert wrong == {"tables/agents.csv", "tables/complexity.csv", "space.h5"}
    assert next(one["what"] for one in found["wrong"] if "agents" in one["file"]).startswith("line 2, column mean")
    assert found["checked"] > 15
    assert tiny.files(tabulated) == before


@pytest.mark.workflow
def test_a_damaged_shard_is_found_before_anything_is_made_again(tabulated: Path):
    shard = next((tabulated / "results/tiny/trials").rglob("*.h5"))
    shard.write_bytes(shard.read_bytes()[:-100])
    status, found = verified(tabulated)
    assert status == 1
    assert [one["file"] for one in found["wrong"]] == [str(shard.relative_to(tabulated))]
    assert "corrupt" in found["wrong"][0]["what"]


def test_tests_keep_their_order_where_reductions_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    order = ["wine", "noisy", "digits"]
    raw = tiny.tiny(domains={name: tiny.TINY["domains"][name] for name in order})
    monkeypatch.setattr(audit, "call", lambda words, quiet: 0)
    audit._reduce(Run.of(raw), tmp_path, "1")
    assert list(Run.of(read(tmp_path / "configuration.yaml")).configuration.domains) == order


@pytest.mark.parametrize(("folder", "message"), [("nowhere", "is no folder"), (".", "holds no tables")])
def test_what_is_no_finished_run_is_refused(folder: str, message: str, tmp_path: Path):
    status, said = verified(tmp_path, folder)
    assert status == 2
    assert message in said
    assert "Traceback" not in said
