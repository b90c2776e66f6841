"""A job whose time is nearly up keeps what it has, goes back into the queue, and counts as no failure."""

from __future__ import annotations

from pathlib import Path

import cluster
import pytest
import runs
import test_kills
from test_submitit import start_now

from changes import changed

whole = test_kills.whole

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

RULE = "train_trials"
RAW = changed(test_kills.RAW, jobs__requeue_seconds=570)  # of ten minutes, which its first life is told to be nine


def test_a_job_out_of_time_goes_on_and_nothing_is_submitted_twice(slurm: cluster.Cluster, whole: Path, tmp_path: Path):
    test_kills.prepared(whole, tmp_path)
    runs.order(tmp_path, RULE, "start", "hang")
    controller = runs.Controller(tmp_path, RAW, "--retries", "0", test_kills.SHARD)
    job = runs.taken(tmp_path, RULE, controller)["job"]
    assert slurm.job(job)["Requeue"] == "0"  # until it asks for it itself
    slurm.run("scontrol", "update", f"JobId={job}", "TimeLimit=9")
    runs.go(tmp_path, RULE)
    lives = set()

    def ended() -> bool:
        if slurm.job(job).get("JobState") == "PENDING":  # time enough: on a slow machine its start takes half a minute
            slurm.run("scontrol", "update", f"JobId={job}", "TimeLimit=60")
        start_now(slurm, job)
        lives.add(slurm.job(job).get("Restarts"))
        return controller.process.poll() is not None

    runs.until(ended, "the run does not end", 600)
    log = (tmp_path / test_kills.LOG).read_text("utf-8")
    assert controller.process.returncode == 0, f"{controller.text}\n{log}"
    assert runs.submitted(controller) == [job]
    assert lives == {"0", "1"}
    assert test_kills.GOES_ON in log
    assert test_kills.same(whole, tmp_path)
    assert not (tmp_path / test_kills.CHECKPOINT).exists()
