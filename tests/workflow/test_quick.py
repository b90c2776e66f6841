"""The smallest run through Snakemake that goes from data to scores: what ``make quick`` runs of the workflow."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiny

from aiq.plans.run import Run

pytestmark = pytest.mark.workflow


def test_a_run_goes_from_data_to_scores_with_the_numbers_of_this_process(small: Path, tmp_path: Path):
    scores = Run.of(tiny.SMALL).layout.scores
    done = tiny.snakemake(tmp_path, tiny.SMALL, "--cores", "2", scores)
    assert done.returncode == 0, done.stdout
    assert tiny.same(*(tiny.result(place, scores, "scores") for place in (tmp_path, small)))
