"""A job starts Snakemake once, a bundle of jobs too."""

from __future__ import annotations

from pathlib import Path

import cluster
import pytest
import runs
import tiny_algorithmic

from aiq.plans.run import Run

pytestmark = [pytest.mark.slurm, pytest.mark.slow, pytest.mark.workflow]

JOBS = 3
RAW = tiny_algorithmic.TINY | {
    "results": "results/tiny",
    "programs": {"count": 100 * JOBS, "stratified": False},
    "jobs": {"programs_per_job": 100},
}


def test_a_bundle_starts_snakemake_once(slurm: cluster.Cluster, tmp_path: Path):
    """Members of a bundle run side by side where it asked for so many cores; nobody said ``--cores`` here."""
    shards = [path for path, (kind, _) in Run.of(RAW).plan.shards().items() if kind == "programs"]
    assert len(shards) == JOBS
    bundled = ("--groups", "sample_programs=short", "--group-components", f"short={JOBS}")
    controller = runs.Controller(tmp_path, RAW, *bundled, "--", *shards)
    assert controller.wait() == 0, controller.text
    (number,) = runs.submitted(controller)
    job = slurm.job(number)
    assert (job["JobState"], job["NumCPUs"]) == ("COMPLETED", str(JOBS))
    (log,) = (tmp_path / "logs" / "slurm").rglob(f"{number}.log")
    text = log.read_text("utf-8")
    assert text.count("Building DAG of jobs") == 1
    assert f"Provided cores: {JOBS}\n" in text
    assert all((tmp_path / path).exists() for path in shards)
