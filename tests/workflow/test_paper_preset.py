"""The paper's reading beside the default one: the pool and the agents are not trained again."""

import shutil
from pathlib import Path

import pytest
import tiny

from aiq import storage
from aiq.plans.run import Run
from aiq.records.space import Space

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def test_the_paper_keeps_every_dimension_and_takes_turns_in_one_folder(alone: Path, tmp_path: Path):
    usual = tiny.tiny()
    shutil.copytree(alone, tmp_path, dirs_exist_ok=True)
    before = tiny.units(tmp_path, usual, ("trials", "agents"))
    run = Run.of({**usual, "preset": "paper"})
    kept = {path for path, (kind, _) in run.plan.shards().items() if kind in ("domain", "trials", "agents")}
    with tiny.inside(tmp_path):
        for path, work in tiny.jobs(run).items():
            if path not in kept:
                work()
        built = storage.read_result(run.layout.space, "space", Space, run.plan.space())
    assert built.dimensionality.rule == "all"
    assert built.dimensions == (built.spectrum > 0).sum()
    assert built.merged == ()
    assert tiny.differing(before, tiny.units(tmp_path, {**usual, "preset": "paper"}, ("trials", "agents"))) == []
