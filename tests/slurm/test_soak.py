"""Many short jobs and a fault every few seconds, drawn with a seed: the numbers are those of the quiet run.

``make test`` takes a smaller number of jobs; AIQ_SOAK_JOBS sets another (``make soak``: 200).
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import shlex
import signal
import time
from pathlib import Path

import cluster
import pytest
import runs
import tiny

from aiq.config.layout import every_shard
from aiq.tasks.job import Run

pytestmark = [pytest.mark.slurm, pytest.mark.slow, pytest.mark.workflow]

JOBS = int(os.environ.get("AIQ_SOAK_JOBS", "32"))
SEED = int(os.environ.get("AIQ_SOAK_SEED", "1"))
EVERY = 4.0  # seconds between two faults
PATIENCE = 60.0  # seconds without a job in SLURM after which a person stops a Snakemake that says that jobs run
KINDS = ("killed", "cancelled", "drained", "controller killed", "slurmctld killed", "corrupted")


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
    )


class Storm:
    """Faults, drawn at random, on a run that a person keeps restarting.

    Args:
        slurm: the cluster.
        folder: where the run lies.
        raw: its configuration.
        limit: faults after which it calms down, so that the run can end.
    """

    def __init__(self, slurm: cluster.Cluster, folder: Path, raw: dict, limit: int) -> None:
        self.slurm, self.folder, self.raw, self.limit = slurm, folder, raw, limit
        self.draw, self.count = random.Random(SEED), collections.Counter()
        self.controller: runs.Controller | None = None
        self.next: list[str] = []
        self.starts = self.redone = self.jobs = self.resumed = self.cancelled = self.forgotten = self.idle = 0

    def start(self, *arguments: str) -> runs.Controller:
        """Start a controller."""
        self.starts += 1
        assert self.starts <= 2 * self.limit + 6, f"not finished after {self.starts} starts: {self.count}"
        self.controller = runs.Controller(self.folder, self.raw, *arguments)
        return self.controller

    def run(self) -> None:
        """Go on until a run ends well: what a person does who follows the messages."""
        while True:
            controller, due = self.start(runs.SCORES), time.monotonic() + EVERY
            while controller.process.poll() is None:
                if time.monotonic() >= due:
                    self.look()
                    if sum(self.count.values()) < self.limit:
                        self.fault()
                    due = time.monotonic() + EVERY
                time.sleep(0.1)
            self.jobs += len(runs.submitted(controller))
            if controller.process.returncode == 0 and self.clean():
                return
            self.mend()

    def look(self) -> None:
        """Do what a person does who looks now and then: resume the node, stop a Snakemake that waits for nothing.

        A killed slurmctld forgets the jobs of its last seconds. It may give their ids away again, and then drains the
        node; and Snakemake waits for them for ever, as it takes jobs that squeue does not know for ones yet to appear.
        """
        if self.slurm.node_state().startswith("drain"):
            self.slurm.run("scontrol", "update", f"nodename={self.slurm.node}", "state=resume", check=False)
            self.resumed += 1
        self.idle = 0 if self.waiting() else self.idle + 1
        if self.idle * EVERY >= PATIENCE:
            assert self.controller is not None
            self.controller.kill()
            self.idle, self.forgotten = 0, self.forgotten + 1

    def waiting(self) -> int:
        """How many jobs SLURM has that wait or run."""
        return sum(state in ("PENDING", "RUNNING") for state in self.slurm.jobs().values())

    def clean(self) -> bool:
        """Whether the audit finds every shard complete."""
        found = runs.audit(self.folder)
        return not (found["corrupt"] or found["missing"] or found["stale"])

    def mend(self) -> None:
        """Cancel leftovers where they are many, unlock, and redo by the audit's command what is damaged."""
        if self.waiting() > 8:
            self.cancelled += len(runs.audit(self.folder, "--cancel-orphans")["cancelled"])
        unlock = tiny.snakemake(self.folder, self.raw, "--unlock")
        assert unlock.returncode == 0, unlock.stdout
        found = runs.audit(self.folder)
        if found["corrupt"]:
            redo = shlex.split(found["redo"])
            named = [path for path in redo[redo.index("--force") + 1 :] if path in found["corrupt"]]
            assert sorted(named) == sorted(found["corrupt"])
            again, end, forgotten = self.start("--force", *named), time.monotonic() + 900, self.forgotten
            while again.process.poll() is None and time.monotonic() < end:
                self.look()
                time.sleep(EVERY)
            if self.forgotten == forgotten:  # else it was stopped, and the next start finds them damaged still
                assert again.wait(1) == 0, again.text
                self.redone += len(named)

    def fault(self) -> None:
        """Do something bad: every kind once in a drawn order, then all again; what finds nothing to hit waits."""
        if not self.next:
            self.next = list(KINDS)
            self.draw.shuffle(self.next)
        kind = self.next.pop(0)
        if self._hit(kind):
            self.count[kind] += 1
        else:
            self.next.append(kind)

    def _hit(self, kind: str) -> bool:
        """Carry out one fault; return whether there was anything to hit."""
        running = [number for number, state in self.slurm.jobs().items() if state == "RUNNING"]
        if kind in ("killed", "cancelled"):
            if not running:
                return False
            victim = self.draw.choice(running)
            if kind == "cancelled":
                self.slurm.run("scancel", victim, check=False)
            else:
                self.slurm.run("scancel", "--signal=KILL", f"{victim}.0", check=False)
        elif kind == "drained":
            self.slurm.run("scontrol", "update", f"nodename={self.slurm.node}", "state=drain", "reason=soak")
            time.sleep(2)
            self.slurm.run("scontrol", "update", f"nodename={self.slurm.node}", "state=resume")
        elif kind == "controller killed":
            assert self.controller is not None
            self.controller.kill()
        elif kind == "slurmctld killed":
            self.slurm.stop_daemon("slurmctld", signal.SIGKILL)
            time.sleep(1)
            self.slurm.start_daemon("slurmctld")
        else:
            shards = sorted((self.folder / "results" / "tiny").glob("[tma]*/**/*.h5"))
            if not shards:
                return False
            path = self.draw.choice(shards)
            with contextlib.suppress(FileNotFoundError):
                data = bytearray(path.read_bytes())
                data[self.draw.randrange(len(data))] ^= 0xFF
                path.write_bytes(data)
        return True


def test_a_storm_of_faults_changes_no_number(slurm: cluster.Cluster, tmp_path: Path):
    raw = suite(JOBS)
    run = Run.of(raw)
    shards = [path for path, (kind, _) in every_shard(run.plan, run.layout).items() if kind != "domain"]
    assert len(shards) >= JOBS * 0.8
    quiet, folder = tmp_path / "quiet", tmp_path / "storm"
    tiny.make(quiet, raw)
    folder.mkdir()
    storm, begun = Storm(slurm, folder, raw, limit=max(6, JOBS // 4)), time.monotonic()
    storm.run()
    runs.assert_same(folder, quiet, raw)
    assert set(storm.count) == set(KINDS)
    told = {"shards": len(shards), "slurm jobs": storm.jobs, "faults": dict(storm.count), "starts": storm.starts,
            "redone": storm.redone, "left and cancelled": storm.cancelled, "node resumed": storm.resumed,
            "stopped waiting": storm.forgotten, "seconds": round(time.monotonic() - begun), "seed": SEED}  # fmt: skip
    print(json.dumps(told))
