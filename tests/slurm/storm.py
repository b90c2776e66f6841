"""A storm: faults on a real SLURM, drawn with a seed, and a person who follows the messages until the run is done."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import cluster
import runs
import tiny

from aiq.config import parse
from aiq.plans.run import Run

SEED = int(os.environ.get("AIQ_SOAK_SEED", "1"))
EVERY = 4.0  # seconds between two faults
PATIENCE = 30.0  # seconds without a job in SLURM after which a person stops a Snakemake that says that jobs run
KINDS = ("killed", "cancelled", "drained", "controller killed", "slurmctld killed", "corrupted")


class Storm:
    """Faults, drawn at random, on a run that a person keeps restarting.

    Args:
        slurm: the cluster.
        folder: where the run lies; made if missing.
        raw: its configuration.
        target: the file that the run is to end with.
        limit: faults after which it calms down, so that the run can end.
        options: further words for Snakemake.
    """

    def __init__(
        self, slurm: cluster.Cluster, folder: Path, raw: dict, target: str, limit: int, options: Sequence[str] = ()
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.slurm, self.folder, self.raw, self.target = slurm, folder, raw, target
        self.limit, self.options, self.seconds = limit, options, 0.0
        self.configuration = parse(raw)
        self.draw, self.count = random.Random(SEED), collections.Counter()
        self.controller: runs.Controller | None = None
        self.next: list[str] = []
        self.starts = self.redone = self.jobs = self.resumed = self.cancelled = self.forgotten = self.idle = 0

    def start(self, *arguments: str, command: list[str] | None = None) -> runs.Controller:
        """Start a controller; by a command where that is not Snakemake's own."""
        self.starts += 1
        assert self.starts <= 2 * self.limit + 6, f"not finished after {self.starts} starts: {self.count}"
        self.controller = runs.Controller(self.folder, self.raw, *self.options, *arguments, command=command)
        return self.controller

    def run(self) -> None:
        """Go on until a run ends well: what a person does who follows the messages."""
        begun = time.monotonic()
        while True:
            controller, due = self.start("--", self.target), time.monotonic() + EVERY
            while controller.process.poll() is None:
                if time.monotonic() >= due:
                    self.look()
                    if sum(self.count.values()) < self.limit:
                        self.fault()
                    due = time.monotonic() + EVERY
                time.sleep(0.1)
            self.jobs += len(runs.submitted(controller))
            if controller.process.returncode == 0 and self.clean():
                self.seconds = time.monotonic() - begun
                return
            self.mend()

    @property
    def shards(self) -> list[Path]:
        """Every shard that the run asks for, but for the domains."""
        kinds = Run.of(self.raw).plan.shards().items()
        return [self.folder / path for path, (kind, _) in kinds if kind != "domain"]

    def assert_harmless(self, quiet: Path) -> None:
        """Assert that every kind of fault came and the numbers are those of a quiet run; say what happened."""
        runs.assert_same(self.folder, quiet, self.raw)
        assert set(self.count) == set(KINDS)
        told = {
            "shards": len(self.shards), "slurm jobs": self.jobs, "faults": dict(self.count), "starts": self.starts,
            "redone": self.redone, "left and cancelled": self.cancelled, "node resumed": self.resumed,
            "stopped waiting": self.forgotten, "seconds": round(self.seconds), "seed": SEED,
        }  # fmt: skip
        print(json.dumps(told))

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
        """Cancel leftovers where they are many, unlock, and redo by the audit's command what is damaged, no more."""
        if self.waiting() > 8:
            self.cancelled += len(runs.audit(self.folder, "--cancel-orphans")["cancelled"])
        unlock = tiny.snakemake(self.folder, self.raw, "--unlock")
        assert unlock.returncode == 0, unlock.stdout
        found = runs.audit(self.folder)
        if found["corrupt"]:
            assert found["redo"] == "aiq run tiny.yaml --resume"
            named = found["corrupt"]
            command = runs.aiq_run(self.folder, named, "--resume", options=self.options)
            again, end, forgotten = self.start(command=command), time.monotonic() + 900, self.forgotten
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
            shards = [path for path in self.shards if path.exists()]
            if not shards:
                return False
            path = self.draw.choice(shards)
            with contextlib.suppress(FileNotFoundError):
                data = bytearray(path.read_bytes())
                data[self.draw.randrange(len(data))] ^= 0xFF
                path.write_bytes(data)
        return True
