"""The shipped configurations ask for the same files, with the same fingerprints, as when their results were made.

``tests/data/inventories`` holds one table per configuration: what, path, kind, fingerprint. A line that changes
says that finished results of that configuration are made again. Raise the version of a stage
(docs/reference/stage-versions.md) or change a shipped configuration, then write the tables anew with
``python tests/contracts/test_inventories.py``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from aiq.config.load import read
from aiq.plans.run import Run

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests" / "data" / "inventories"
CONFIGURATIONS = sorted((ROOT / "config").glob("*.yaml"))


def listed(path: Path) -> str:
    """The inventory of a configuration as text: one line a file, shards first, in the order of the plan."""
    plan = Run.of(read(path)).plan
    shards = [("shard", file, *what) for file, what in plan.shards().items()]
    reduced = [("result", file, *what) for file, what in plan.results().items()]
    return "".join("\t".join(line) + "\n" for line in [*shards, *reduced])


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.stem)
def test_a_shipped_configuration_asks_for_the_files_that_it_always_asked_for(path: Path, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert listed(path) == (KEPT / f"{path.stem}.tsv").read_text(encoding="utf-8")


def test_every_shipped_configuration_has_its_table():
    assert {path.stem for path in CONFIGURATIONS} == {path.stem for path in KEPT.glob("*.tsv")}


if __name__ == "__main__":
    for configuration in CONFIGURATIONS:
        (KEPT / f"{configuration.stem}.tsv").write_text(listed(configuration), encoding="utf-8")
