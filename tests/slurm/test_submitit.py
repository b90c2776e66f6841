"""Long trainings submitted to a real SLURM: out of time, requeued under the same number, finished, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cluster
import pytest
import tiny

from aiq.execution import Array, Place
from aiq.plans.run import Run
from aiq.run.upkeep.submission import MakeShard
from aiq.storage import hdf5
from aiq.training import population

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

SHARD = "results/tiny/trials/digits/chunks-0000-0001.h5"
EPOCHS = 22
SECONDS = 4.0  # that an epoch of the first life is made to last: SLURM looks twice a minute whose time is nearly up
SCRIPT = [sys.executable, str(tiny.ROOT / "scripts" / "submit_shards.py"), "tiny.yaml", "--cluster", "slurm"]


@dataclass(frozen=True)
class Slowly(MakeShard):
    """Make a shard with epochs that last until it is requeued, so that time runs out with nothing being computed."""

    def __call__(self) -> None:
        real = population.Run.epoch

        def epoch(run: population.Run) -> Iterator[None]:
            time.sleep(0 if "SLURM_RESTART_COUNT" in os.environ else SECONDS)
            yield from real(run)

        population.Run.epoch = epoch  # in the job's own process
        super().__call__()


def start_now(slurm: cluster.Cluster, job: str) -> None:
    """Let a requeued job begin: SLURM holds it back for two minutes."""
    if slurm.job(job).get("JobState") == "PENDING" and slurm.job(job).get("Reason") == "BeginTime":
        slurm.run("scontrol", "update", f"JobId={job}", "StartTime=now", check=False)


def test_a_job_out_of_time_is_requeued_and_finishes_its_shard(slurm: cluster.Cluster, tmp_path: Path, monkeypatch):
    raw = tiny.tiny(training__epochs=EPOCHS)
    domain = Run.of(raw).layout.domain("digits")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    tiny.make(whole, raw, only={domain, SHARD})
    tiny.make(parts, raw, only={domain})
    monkeypatch.setenv("PYTHONPATH", ":".join(str(tiny.ROOT / "tests" / place) for place in ("slurm", "workflow", ".")))
    place = Place("slurm", parts / "jobs", minutes=2, grace=80, partition="cpu", memory=2)
    array = Array(place, [Slowly(raw, str(parts), SHARD, 0.0)])
    (job,) = array.jobs
    kind, fingerprint = Run.of(raw).plan.shards()[SHARD]
    slurm.wait(lambda: any((parts / "results/tiny/checkpoints").rglob("*.h5")), "there is no checkpoint", 120)
    slurm.run("scontrol", "update", f"JobId={job}", "EndTime=now+75seconds")  # below the grace

    def finished() -> bool:
        start_now(slurm, job)
        return slurm.jobs().get(job) in ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED")

    slurm.wait(finished, "the job does not end", 600)
    log = (parts / "results/tiny/logs/trials/digits/chunks-0000-0001.log").read_text("utf-8")
    said = "\n".join(path.read_text("utf-8") for path in sorted((parts / "jobs").glob("*log*")))
    assert slurm.jobs()[job] == "COMPLETED", f"{log}\n{said}"
    assert int(slurm.job(job)["Restarts"]) >= 1
    assert "goes on where it was interrupted" in log or "taken over from the checkpoint" in log
    (outcome,) = array.outcomes()
    assert outcome.error is None
    assert "this job is timed-out" in Path(outcome.log).read_text("utf-8")
    ours, theirs = (hdf5.read(folder / SHARD, kind, fingerprint)[1] for folder in (parts, whole))
    assert tiny.same(tiny.numbers(ours), tiny.numbers(theirs))
    assert not list((parts / "results/tiny/checkpoints").rglob("*.h5"))


def test_the_script_submits_an_array_that_the_workflow_finds_done(slurm: cluster.Cluster, tmp_path: Path):
    tiny.command(tmp_path, tiny.TINY)  # writes the configuration
    wait = ["--minutes", "20", "--partition", "cpu", "--memory", "2", "--kind", "agents", "--wait"]
    done = subprocess.run([*SCRIPT, *wait], **tiny.how(tmp_path), check=False, timeout=300)
    assert done.returncode == 0, done.stdout
    assert "submitted 3 jobs as " in done.stdout
    assert done.stdout.count(" done\n") == 3
    assert not tiny.planned(tmp_path, tiny.TINY).keys() & {"train_agents", "prepare_domain"}
    refused = subprocess.run([*SCRIPT, "--partition", "nowhere"], **tiny.how(tmp_path), check=False, timeout=300)
    assert refused.returncode == 2
    (line,) = refused.stdout.splitlines()
    assert "nowhere" in line or "partition" in line
