"""A suite on SLURM and a fault every few seconds, drawn with a seed: the numbers are those of the quiet run.

``make test`` takes 20 jobs, each with torch and a SLURM job of its own, ``make soak`` 200 (AIQ_SOAK_JOBS).
"""

from __future__ import annotations

import os
from pathlib import Path

import cluster
import pytest
import runs
import storm
import tiny

from aiq.plans.run import Run

pytestmark = [pytest.mark.slurm, pytest.mark.slow, pytest.mark.workflow]

JOBS = int(os.environ.get("AIQ_SOAK_JOBS", "20"))


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


def test_a_storm_of_faults_changes_no_number(slurm: cluster.Cluster, tmp_path: Path):
    raw = suite(JOBS)
    needed = [path for path in tiny.jobs(Run.of(raw)) if "/entropy/" not in path]  # scores follow from no entropy
    tiny.make(tmp_path / "quiet", raw, needed)
    disturbed = storm.Storm(slurm, tmp_path / "storm", raw, runs.SCORES, max(6, JOBS // 4))
    assert len(disturbed.shards) >= JOBS * 0.8
    disturbed.run()
    disturbed.assert_harmless(tmp_path / "quiet")
