"""200 short jobs on SLURM, bundled, and a fault every few seconds: the numbers are those of the quiet run.

The jobs sample programs of the algorithmic quotient, so none of them loads torch; Snakemake puts eight into one SLURM
job of one core, as a person does with jobs that last a second. `make soak` runs this; `test_soak.py` is the storm of
`make test`.
"""

from __future__ import annotations

from pathlib import Path

import cluster
import pytest
import storm
import tiny_algorithmic

pytestmark = [pytest.mark.slurm, pytest.mark.soak, pytest.mark.workflow]

JOBS = 200
BUNDLED = ("--groups", "sample_programs=short", "--group-components", "short=8", "--cores", "1", "--jobs", "16")


def test_200_short_jobs_in_a_storm_give_the_numbers_of_a_quiet_run(slurm: cluster.Cluster, tmp_path: Path):
    raw = tiny_algorithmic.TINY | {
        "results": "results/tiny",
        "programs": {"count": 100 * (JOBS - 2), "stratified": False},
        "agents": tiny_algorithmic.TINY["agents"][:1],
        "jobs": {"programs_per_job": 100},
    }
    tiny_algorithmic.make(tmp_path / "quiet", raw)
    target = "results/tiny/quotients.h5"
    disturbed = storm.Storm(slurm, tmp_path / "storm", raw, target, JOBS // 10, BUNDLED)
    assert len(disturbed.shards) == JOBS
    disturbed.run()
    disturbed.assert_harmless(tmp_path / "quiet")
