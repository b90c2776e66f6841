"""Faults on a real SLURM: each run completes or says what to do, and ends with the numbers of an undisturbed one.

All start from a run that lacks a shard of agents or more and the scores: two jobs or more.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cluster
import pytest
import runs
import tiny

from changes import flip

pytestmark = [pytest.mark.slurm, pytest.mark.slow, pytest.mark.workflow]

RULE = "train_agents"


def start(folder: Path, *arguments: str) -> runs.Controller:
    return runs.Controller(folder, tiny.TINY, runs.SCORES, *arguments)


def completes(controller: runs.Controller, quiet: Path) -> None:
    """It ends well, and with the numbers of the undisturbed run."""
    assert controller.wait() == 0, controller.text
    runs.assert_same(controller.folder, quiet, tiny.TINY)


def slurm_log(folder: Path, job: str) -> str:
    (path,) = (folder / "logs" / "slurm").rglob(f"{job}.log")
    return path.read_text("utf-8", "replace")


def submissions(controller: runs.Controller) -> int:
    return len(runs.submitted(controller))


# ---- a job ends badly ----------------------------------------------------------------------------


def test_jobs_that_are_killed_or_take_too_much_memory_or_time_are_submitted_again(
    slurm: cluster.Cluster, half: Path, quiet: Path
):
    """Of three shards of agents one job is killed in the middle of its writing: no half file is a result.

    One takes too much memory, and gets more; the end of one is moved to the next seconds by hand, for SLURM's limits
    are whole minutes.
    """
    for domain in ("digits", "noisy"):
        (half / runs.agents_shard(half, domain)).unlink()
    for moment, action in (("start", "hang"), ("start", "memory"), ("write", "die")):
        runs.order(half, RULE, moment, action)
    controller = start(half)
    late, large = (runs.taken(half, RULE, controller, action)["job"] for action in ("hang", "memory"))
    slurm.run("scontrol", "update", f"jobid={late}", "endtime=now+2seconds")
    completes(controller, quiet)
    assert submissions(controller) == 7
    assert slurm.jobs()[late] == "TIMEOUT"
    words = slurm_log(half, large).lower()
    assert "oom" in words or "memory limit" in words
    asked = [runs.megabytes(slurm.job(number)) for number in runs.submitted(controller)]
    assert max(asked) > runs.megabytes(slurm.job(large))
    (left,) = half.rglob("*.part")
    audit = runs.audit(half)
    assert audit["temporary"] == [str(left.relative_to(half))]
    assert audit["corrupt"] == audit["stale"] == audit["missing"] == []


def test_a_job_cancelled_by_hand_is_submitted_again(slurm: cluster.Cluster, half: Path, quiet: Path):
    """Here on the other partition, with a GPU, as a site's profile would say it."""
    runs.order(half, RULE, "start", "hang")
    controller = start(half, "--set-resources", f"{RULE}:slurm_partition=gpu", f"{RULE}:gpu=1")
    job = runs.taken(half, RULE, controller)["job"]
    assert slurm.job(job)["Partition"] == "gpu"
    assert "gres:gpu:1" in slurm.job(job)["TresPerJob"]
    slurm.run("scancel", job)
    completes(controller, quiet)
    assert slurm.jobs()[job] == "CANCELLED"
    assert submissions(controller) == 3


# ---- the cluster goes away -----------------------------------------------------------------------


def test_a_drained_node_ends_its_jobs_and_the_rest_waits_until_it_is_resumed(
    slurm: cluster.Cluster, half: Path, quiet: Path
):
    runs.order(half, RULE, "start", "hang")
    controller = start(half)
    runs.taken(half, RULE, controller)
    slurm.run("scontrol", "update", f"nodename={slurm.node}", "state=drain", "reason=test")
    runs.go(half, RULE)
    runs.until(lambda: len(runs.submitted(controller)) == 2, "the last job is not submitted", 300)
    last = runs.submitted(controller)[-1]
    time.sleep(3)
    assert slurm.jobs()[last] == "PENDING"
    assert slurm.node_state() == "drained"
    slurm.run("scontrol", "update", f"nodename={slurm.node}", "state=resume")
    completes(controller, quiet)
    assert submissions(controller) == 2


def test_a_restart_of_slurms_own_controller_loses_nothing(slurm: cluster.Cluster, half: Path, quiet: Path):
    runs.order(half, RULE, "start", "hang")
    controller = start(half)
    job = runs.taken(half, RULE, controller)["job"]
    time.sleep(8)  # it writes its jobs down within 5 s, and forgets what it has not written
    slurm.stop_daemon("slurmctld", signal.SIGKILL)
    time.sleep(3)
    slurm.start_daemon("slurmctld")
    assert slurm.jobs()[job] == "RUNNING"
    runs.go(half, RULE)
    completes(controller, quiet)
    assert submissions(controller) == 2


# ---- the controlling process ---------------------------------------------------------------------


def test_a_killed_controller_says_what_to_do_and_the_restart_is_harmed_by_no_leftover(
    slurm: cluster.Cluster, half: Path, quiet: Path
):
    """Its job runs on and writes the same shard as the restarted run's."""
    runs.order(half, RULE, "write", "hang")
    first = start(half)
    job = runs.taken(half, RULE, first)["job"]
    first.kill()
    assert slurm.jobs()[job] == "RUNNING"
    refused = start(half)
    assert refused.wait() != 0
    assert "--unlock" in refused.text
    unlock = tiny.snakemake(half, tiny.TINY, "--unlock")
    assert unlock.returncode == 0, unlock.stdout
    second = start(half)
    runs.until(lambda: len(runs.submitted(second)) >= 1, "nothing is submitted", 300)
    runs.go(half, RULE)
    completes(second, quiet)
    assert slurm.jobs()[job] == "COMPLETED"
    runs.assert_same(half, quiet, tiny.TINY)
    assert not list(half.rglob("*.part"))


def test_what_a_killed_controller_left_is_cancelled_and_nothing_of_a_living_one(
    slurm: cluster.Cluster, half: Path, quiet: Path
):
    runs.order(half, RULE, "start", "hang")
    first = start(half)
    job = runs.taken(half, RULE, first)["job"]
    cleared = runs.audit(half, "--cancel-orphans")
    assert cleared["cancelled"] == []
    assert job in cleared["watched"]
    assert slurm.jobs()[job] == "RUNNING"
    left = runs.submitted(first)
    first.kill()
    cleared = runs.audit(half, "--cancel-orphans")
    assert job in cleared["cancelled"]
    assert set(cleared["cancelled"]) <= set(left)
    assert cleared["watched"] == []
    runs.until(lambda: not slurm.run("squeue", "--noheader").strip(), "jobs are left")
    assert slurm.jobs()[job] == "CANCELLED"
    unlock = tiny.snakemake(half, tiny.TINY, "--unlock")
    assert unlock.returncode == 0, unlock.stdout
    completes(start(half), quiet)


def test_two_controllers_at_once(slurm: cluster.Cluster, half: Path, quiet: Path):
    """The second is refused. Forced with --nolock, each may remove what the other waits for: Snakemake clears a
    job's output before it runs. Then a run fails; no number is wrong, and a run alone completes."""
    runs.order(half, RULE, "start", "hang")
    first = start(half)
    runs.taken(half, RULE, first)
    refused = start(half)
    assert refused.wait() != 0
    assert "Directory cannot be locked" in refused.text
    assert "--unlock" in refused.text
    second = start(half, "--nolock")
    runs.until(lambda: len(runs.submitted(second)) >= 1, "nothing is submitted", 300)
    runs.go(half, RULE)
    for controller in (first, second):
        assert controller.wait() == 0 or "output files are missing" in controller.text, controller.text
    assert set(runs.contents(half, tiny.TINY)) <= set(runs.contents(quiet, tiny.TINY))
    completes(start(half), quiet)


# ---- disks ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def mounted(folder: Path, *how: str) -> Iterator[None]:
    """Mount something over a folder."""
    done = subprocess.run(["mount", *how, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_one_sentence_and_the_run_goes_on_when_there_is_space(
    slurm: cluster.Cluster, half: Path, quiet: Path, tmp_path: Path
):
    kept = tmp_path / "kept"
    (half / "results").rename(kept)
    (half / "results").mkdir()
    with mounted(half / "results", "-t", "tmpfs", "-o", "size=16m", "none"):
        subprocess.run(["cp", "-a", f"{kept}/.", f"{half}/results"], check=True)
        before = tiny.files(half)
        filler = half / "results" / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(b"\0" * 4096):
                pass
        controller = start(half, "--retries", "0")
        assert controller.wait() != 0
        said = [slurm_log(half, number) for number in runs.submitted(controller)]
        assert said
        for words in said:
            assert "cannot be written: No space left on device" in words, words
            assert "StorageError" not in words
        filler.unlink()
        assert {name: data for name, data in tiny.files(half).items() if name in before} == before
        completes(start(half), quiet)
        assert not list(half.rglob("*.part"))


def test_a_read_only_folder_is_one_sentence_and_the_run_goes_on_when_it_is_mended(
    slurm: cluster.Cluster, half: Path, quiet: Path
):
    results = half / "results"
    before = tiny.files(half)
    with mounted(results, "--bind", str(results)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(results)], check=True)
        controller = start(half, "--retries", "0")
        assert controller.wait() != 0
        said = controller.text + "".join(slurm_log(half, number) for number in runs.submitted(controller))
        assert "results is results/tiny" in said
        assert "cannot be written" in said
    assert tiny.files(half) == before
    completes(start(half), quiet)


# ---- files that are not what they were -----------------------------------------------------------


def test_damaged_shards_are_named_with_their_remedy_and_redone_alone(slurm: cluster.Cluster, half: Path, quiet: Path):
    """Truncated, flipped, empty and foreign; the command that the audit prints, with the profile and a target."""
    for path in (runs.agents_shard(quiet, "wine"), runs.SCORES):
        shutil.copy2(quiet / path, half / path)
    truncated, flipped, empty = (runs.agents_shard(half, name) for name in ("digits", "wine", "noisy"))
    foreign = "results/tiny/trials/wine/chunks-0000-0001.h5"
    flip(half / flipped)
    os.truncate(half / truncated, 1000)
    (half / empty).write_bytes(b"")
    (half / foreign).write_text("something else\n", encoding="utf-8")
    controller = start(half, "--retries", "0")
    assert controller.wait() != 0
    words = "".join(slurm_log(half, number) for number in runs.submitted(controller))
    assert f"aiq: {foreign} is not a file of aiq" in words
    assert "redo it: aiq run" in words
    assert "StorageError" not in words
    audit = runs.audit(half)
    assert sorted(audit["corrupt"]) == sorted([truncated, flipped, empty, foreign])
    assert audit["redo"] == "aiq run tiny.yaml --resume"
    before = {path: (half / path).read_bytes() for path in audit["complete"]}
    again = runs.Controller(half, tiny.TINY, command=runs.aiq_run(half, [runs.SCORES], "--resume"))
    assert again.wait() == 0, again.text
    assert "4 files are corrupt and made again" in again.text
    assert {path: (half / path).read_bytes() for path in before} == before
    audit = runs.audit(half)
    assert audit["corrupt"] == audit["missing"] == audit["stale"] == []
    runs.assert_same(half, quiet, tiny.TINY)


def test_a_clock_that_jumps_changes_no_number(slurm: cluster.Cluster, half: Path, quiet: Path):
    """A file of 2001 is made again. One from the day after tomorrow stops what reads it, with a sentence."""
    os.utime(half / "results/tiny/space.h5", (1_000_000_000, 1_000_000_000))
    ahead, future = half / runs.agents_shard(half, "noisy"), time.time() + 2 * 86400
    os.utime(ahead, (future, future))
    controller = start(half, "--retries", "0")
    assert controller.wait() != 0
    words = "".join(slurm_log(half, number) for number in runs.submitted(controller))
    assert "has older modification time" in words
    assert "clock skew" in words
    ahead.touch()
    completes(start(half), quiet)


def test_every_fault_has_a_row_in_the_table():
    """The page names each test, so that a new fault cannot be tested without telling people what it means."""
    page = (tiny.ROOT / "docs" / "runs" / "faults.md").read_text("utf-8")
    names = [name for name in sys.modules[__name__].__dict__ if name.startswith("test_") and "row" not in name]
    assert [name for name in names if name not in page] == []
