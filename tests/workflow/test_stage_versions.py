"""A raised version redoes its own stage and what follows, nothing before: shown through Snakemake."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import tiny

from aiq.config import parse
from aiq.plans.suite import COMPLEXITY, SuitePlan

PARTS = ("workflow", "scripts", "envs", "profiles")
FOLLOWERS = {
    "complexity": {
        *("reduce_complexity", "build_space", "score_agents", "compare_known_baselines"),
        *("draw_complexity", "draw_space", "explain_variance", "write_tables", "write_page"),
    },
    "mixtures": {
        *("train_mixtures", "reduce_dissimilarity", "build_space", "score_agents", "compare_known_baselines"),
        *("draw_dissimilarity", "draw_space", "explain_variance", "write_tables", "write_page"),
    },
}


def checkout(folder: Path) -> Path:
    """Copy the workflow, so that its text may be changed, and return the folder."""
    for part in PARTS:
        source, target = tiny.ROOT / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return folder


@pytest.mark.workflow
@pytest.mark.parametrize("stage", ["", *FOLLOWERS])
def test_a_raised_version_redoes_its_stage_and_what_follows(stage: str, copied: Path, tmp_path: Path, monkeypatch):
    code = checkout(tmp_path / "code")
    if stage:
        plan = code / "workflow" / "aiq" / "plans" / "suite.py"
        text = plan.read_text(encoding="utf-8")
        raised, count = re.subn(rf'(Stage\("{stage}", )(\d+)', lambda found: f"{found[1]}{int(found[2]) + 1}", text)
        assert count == 1
        plan.write_text(raised, encoding="utf-8")
    monkeypatch.setattr(tiny, "ROOT", code)
    monkeypatch.setenv("PYTHONPATH", str(code / "workflow"))
    assert set(tiny.planned(copied, tiny.TINY)) - {"all"} == FOLLOWERS.get(stage, set())


@pytest.mark.workflow
def test_provenance_names_the_stages_behind(copied: Path):
    record = json.loads((copied / "results/tiny/tables/provenance/agents.json").read_text(encoding="utf-8"))
    plan = SuitePlan(parse(tiny.TINY))
    behind = {name: version for name, version in plan.versions().items() if name != "apti"}
    assert record["stages"] == behind
    assert {"agents", "alone", "complexity", "dissimilarity", "domain", "entropy", "mixtures", "scores"} <= set(behind)
    with tiny.inside(copied):
        header = tiny.hdf5.read_header("results/tiny/complexity/digits.h5", "complexity")
    assert header.provenance["stages"] == f"complexity {COMPLEXITY.version}, domain 1, trials 1"
