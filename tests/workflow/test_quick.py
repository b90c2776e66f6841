"""The smallest run through Snakemake that goes from data to scores: what ``make quick`` runs of the workflow."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiny

from aiq.plans.run import Run

pytestmark = pytest.mark.workflow

RAW = tiny.tiny(
    domains={name: tiny.TINY["domains"][name] for name in ("digits", "wine")},
    pool__size=4,
    dissimilarity__ends="pair",
    known_baselines={"when": "never"},
    agents__networks=tiny.TINY["agents"]["networks"][:1],
)


def test_a_run_goes_from_data_to_scores_with_the_numbers_of_this_process(tmp_path: Path):
    run = Run.of(RAW)
    scores = run.layout.scores
    done = tiny.snakemake(tmp_path / "snakemake", RAW, "--cores", "2", scores)
    assert done.returncode == 0, done.stdout
    tiny.make(tmp_path / "here", RAW)
    numbers = [tiny.result(tmp_path / place, scores, "scores") for place in ("snakemake", "here")]
    assert tiny.same(*numbers)
