"""The shipped configurations ask for the same files, with the same fingerprints, as when their results were made.

``tests/data/inventories`` holds one table per configuration: what, path, kind, fingerprint. A line that changes
says that finished results of that configuration are made again. Raise the version of a stage (docs/stage-versions.md)
or change a shipped configuration, then write the tables anew with ``python tests/contracts/test_inventories.py``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from aiq.config import Layout, Plan, parse_any, read
from aiq.config.algorithmic_plan import AlgorithmicLayout, AlgorithmicPlan
from aiq.config.anytime_plan import AnytimeLayout, AnytimePlan
from aiq.config.collectives_plan import CollectivesLayout, CollectivesPlan
from aiq.config.inventory import Shards, inventory

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests" / "data" / "inventories"
CONFIGURATIONS = sorted((ROOT / "config").rglob("*.yaml"))


def results(raw) -> Shards:
    """What the shards of a configuration reduce to."""
    c = parse_any(raw)
    if c.measure == "aiq":
        plan, layout = Plan(c), Layout(c)
        found = {layout.complexity(d): ("complexity", plan.complexity(d)) for d in c.domains}
        if c.baseline is not None:
            found |= {layout.play(d): ("play", plan.play(d)) for d in c.domains}
        if c.baseline is not None or not c.control:
            found |= {layout.entropy(d): ("entropy", plan.entropy(d)) for d in c.domains}
        found[layout.dissimilarity] = ("dissimilarity", plan.dissimilarity())
        found[layout.space] = ("space", plan.space())
        if c.agents.networks or c.agents.outside or c.agents.table:
            found[layout.scores] = ("scores", plan.scores())
            if c.baseline is not None:
                found[layout.apti] = ("apti", plan.apti())
        return found
    if c.measure == "algorithmic":
        return {AlgorithmicLayout(c.results).quotients: ("quotients", AlgorithmicPlan(c).quotients())}
    if c.measure == "anytime":
        plan, layout = AnytimePlan(c), AnytimeLayout(c)
        return {layout.result(name): ("anytime result", plan.result(name)) for name in plan.classes}
    return {CollectivesLayout(c).result: ("collectives", CollectivesPlan(c).result())}


def listed(path: Path) -> str:
    """The inventory of a configuration as text: one line a file, shards first, in the order of the plan."""
    raw = read(path)
    shards = [("shard", file, *what) for file, what in inventory(parse_any(raw)).items()]
    reduced = [("result", file, *what) for file, what in results(raw).items()]
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
