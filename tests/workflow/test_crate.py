"""``aiq page --crate``: a finished run as a Workflow Run RO-Crate, read back by the library of that format."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
import tiny

from aiq.cli.main import main
from aiq.cli.run import _describe_again
from aiq.plans.run import Run
from aiq.run.upkeep import crate

pytestmark = pytest.mark.workflow
rocrate = pytest.importorskip("rocrate.rocrate", reason="the extra report brings it")


@pytest.fixture
def described(copied: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(copied)
    assert main(["page", "tiny.yaml", "--crate", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["crate"] == "results/tiny/ro-crate-metadata.json"
    return copied / "results" / "tiny"


def test_it_tells_configuration_seed_versions_and_every_checksum(described: Path):
    found = rocrate.ROCrate(str(described))
    profiles = {one.id for one in found.root_dataset["conformsTo"]}
    assert "https://w3id.org/ro/wfrun/workflow/0.5" in profiles
    action = found.root_dataset["mentions"]
    assert action["instrument"] is found.mainEntity
    given = {one.id: one for one in action["object"]}
    assert given["#seed"]["value"] == str(tiny.TINY["seed"])
    assert "name: tiny" in (described / "configuration.yaml").read_text("utf-8")
    versions = {one["name"]: one["softwareVersion"] for one in found.mainEntity["softwareRequirements"]}
    assert {"aiq", "python", "numpy", "torch"} <= set(versions)
    told = crate.checksums(described)
    assert told == {name: hashlib.sha256((described / name).read_bytes()).hexdigest() for name in told}
    results = {p.relative_to(described).as_posix() for p in described.rglob("*.h5")}
    assert results | {"tables/agents.csv", "configuration.yaml", "workflow/Snakefile"} <= set(told)
    assert not any(name.startswith(("logs/", "benchmarks/")) for name in told)
    assert 'href="ro-crate-metadata.json"' in (described / "index.html").read_text("utf-8")
    assert main(["page", "tiny.yaml", "--crate"]) == 0
    assert crate.checksums(described) == told  # made again it tells the same but for the moment


def test_a_run_that_went_on_describes_itself_anew(described: Path):
    run = Run.of(tiny.TINY)
    results = [Path(path) for path in run.plan.results()]
    table = described / "tables/agents.csv"
    table.write_text(table.read_text("utf-8") + "\n")
    told = crate.checksums(described)
    os.utime(described / crate.NAME, (2e9, 2e9))  # younger than all that it tells of
    _describe_again(run, results)
    assert crate.checksums(described) == told
    os.utime(described / crate.NAME, (1e9, 1e9))
    _describe_again(run, results)
    assert crate.checksums(described)["tables/agents.csv"] == hashlib.sha256(table.read_bytes()).hexdigest()


def test_a_changed_file_is_found_and_a_part_of_a_run_has_no_crate(described: Path, capsys: pytest.CaptureFixture[str]):
    shard = next((described / "trials").rglob("*.h5"))
    shard.write_bytes(shard.read_bytes()[:-100])
    (described / "tables/agents.csv").unlink()
    assert main(["verify", "results/tiny", "--json"]) == 1
    wrong = {one["file"]: one["what"] for one in json.loads(capsys.readouterr().out)["wrong"] if "crate" in one["what"]}
    assert set(wrong) == {f"results/tiny/{shard.relative_to(described)}", "results/tiny/tables/agents.csv"}
    assert "is missing" in wrong["results/tiny/tables/agents.csv"]
    (described / "space.h5").unlink()
    assert main(["page", "tiny.yaml", "--crate"]) == 2
    assert "space.h5 is missing; finish the run: aiq run tiny.yaml --resume" in capsys.readouterr().err
