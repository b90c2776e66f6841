"""Runs on SLURM and a fault every few seconds, drawn with a seed: the numbers are those of the quiet run.

``make test`` takes short jobs, which sample programs and load no torch; Snakemake puts some into one SLURM job of one
core, as a person does with jobs that last a second. ``make soak`` takes 200 of them, and the tiny suite cut into
AIQ_SOAK_JOBS jobs, each with torch and a SLURM job of its own.
"""

from __future__ import annotations

import os
from pathlib import Path

import cluster
import pytest
import runs
import storm
import tiny
import tiny_algorithmic

from aiq.plans.run import Run

pytestmark = [pytest.mark.slurm, pytest.mark.workflow]

JOBS = int(os.environ.get("AIQ_SOAK_JOBS", "20"))


@pytest.mark.parametrize(
    ("count", "together"),
    [pytest.param(24, 2, marks=pytest.mark.slow), pytest.param(200, 8, marks=pytest.mark.soak)],
)
def test_short_jobs_in_a_storm_give_the_numbers_of_a_quiet_run(
    slurm: cluster.Cluster, tmp_path: Path, count: int, together: int
):
    raw = tiny_algorithmic.TINY | {
        "results": "results/tiny",
        "programs": {"count": 100 * (count - 2), "stratified": False},
        "agents": tiny_algorithmic.TINY["agents"][:1],
        "jobs": {"programs_per_job": 100},
    }
    tiny_algorithmic.make(tmp_path / "quiet", raw)
    bundled = ("--groups", "sample_programs=short", "--group-components", f"short={together}")
    options = (*bundled, "--cores", "1", "--jobs", "16")
    disturbed = storm.Storm(slurm, tmp_path / "storm", raw, "results/tiny/quotients.h5", max(6, count // 10), options)
    assert len(disturbed.shards) == count
    disturbed.run()
    disturbed.assert_harmless(tmp_path / "quiet")


def suite(count: int) -> dict:
    """The tiny suite cut into about so many jobs: a dozen of mixtures and agents, the rest trials on its 3 domains."""
    repetitions = 1 + (count > 100)
    return tiny.tiny(
        pool__policies_per_chunk=2,
        pool__size=2 * max(1, round((count - 12) / 3)),
        dissimilarity__repetitions=repetitions,
        dissimilarity__repetitions_per_chunk=1,
        agents__repetitions=repetitions,
        jobs={"chunks_per_job": 1, "mixtures_per_job": 1, "agents_per_job": 1},
        known_baselines={"when": "never"},  # no score needs them, and scores are what the storm asks for
    )


@pytest.mark.soak
def test_a_storm_of_faults_changes_no_number(slurm: cluster.Cluster, tmp_path: Path):
    raw = suite(JOBS)
    needed = [path for path in tiny.jobs(Run.of(raw)) if "/entropy/" not in path]  # scores follow from no entropy
    tiny.make(tmp_path / "quiet", raw, needed)
    disturbed = storm.Storm(slurm, tmp_path / "storm", raw, runs.SCORES, max(6, JOBS // 4))
    assert len(disturbed.shards) >= JOBS * 0.8
    disturbed.run()
    disturbed.assert_harmless(tmp_path / "quiet")
