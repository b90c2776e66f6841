"""A job that SLURM warns of its limit keeps what it has, goes back into the queue, and counts as no failure."""

from __future__ import annotations

from pathlib import Path

import cluster
import pytest
import runs
import test_kills
from test_submitit import start_now

whole = test_kills.whole

pytestmark = [pytest.mark.slurm, pytest.mark.slow]


def test_a_warned_job_goes_on_and_nothing_is_submitted_twice(slurm: cluster.Cluster, whole: Path, tmp_path: Path):
    """The signal is what ``--signal`` of the profile has SLURM send; here it comes as soon as there is something."""
    test_kills.prepared(whole, tmp_path)
    controller = runs.Controller(tmp_path, test_kills.RAW, "--retries", "0", test_kills.SHARD)
    checkpoint, log = tmp_path / test_kills.CHECKPOINT, tmp_path / test_kills.LOG
    runs.until(lambda: checkpoint.exists() or controller.process.poll() is not None, "nothing is kept", 120)
    (job,) = runs.submitted(controller)
    told = slurm.job(job)
    assert told["Requeue"] == "1", told
    slurm.run("scancel", "--signal=URG", job)

    def again() -> bool:
        start_now(slurm, job)
        return slurm.job(job).get("Restarts") == "1" and slurm.job(job).get("JobState") == "RUNNING"

    runs.until(again, "the job does not come back", 120)
    assert checkpoint.exists()
    assert controller.wait(300) == 0, controller.text
    assert len(runs.submitted(controller)) == 1
    assert test_kills.GOES_ON in log.read_text("utf-8")
    assert test_kills.same(whole, tmp_path)
    assert not checkpoint.exists()
