"""A real SLURM on one machine, on loopback, in one folder: installed, started, disturbed, stopped.

Everything of an instance lies in its folder (configuration, keys, state, data base, logs), its ports are free ones,
and clients find it by ``SLURM_CONF`` alone; so several run beside one another and none touches ``/etc``. After
``stop`` nothing is left but the packages.

``python tests/slurm/cluster.py install``, as root on Debian or Ubuntu, installs it by hand.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from cluster_files import SYSTEM, ClusterError, configure, listens, ports_of, remove_groups, running, which

PACKAGES = ("slurm-wlm", "slurmdbd", "munge", "mariadb-server")
PROGRAMS = ("munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd", "mariadb-install-db", "sbatch", "scontrol")
INSTALL = "python tests/slurm/cluster.py install"
PARTITIONS = ("cpu", "gpu")


# ---- whether, and how to get it ------------------------------------------------------------------


def missing() -> str | None:
    """Return in one sentence why no SLURM can be started here, or None if one can."""
    if os.geteuid() != 0:
        return "a SLURM of one's own needs root: run these tests as root (in a container)"
    lacking = [name for name in PROGRAMS if which(name) is None]
    if lacking:
        return f"SLURM is not installed ({', '.join(lacking)} not found): as root, {INSTALL}"
    return None


def install() -> None:
    """Install the packages from the distribution, as root.

    Raises:
        ClusterError: not root, no apt-get, or apt-get failed.
    """
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise ClusterError(f"installing {', '.join(PACKAGES)} needs root and apt-get; install them by hand")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    policy = Path("/usr/sbin/policy-rc.d")  # no service of the packages starts by itself
    ours = not policy.exists()
    if ours:
        policy.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
        policy.chmod(0o755)
    try:
        for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *PACKAGES]):
            done = subprocess.run(["apt-get", *words], env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise ClusterError(f"apt-get {' '.join(words)} failed: {done.stderr.strip()[-1000:]}")
    finally:
        if ours:
            policy.unlink()


# ---- one instance --------------------------------------------------------------------------------


class Cluster:
    """A single-node SLURM with partitions ``cpu`` and ``gpu``, accounting, and two devices that look like GPUs.

    Args:
        folder: where all of it lives; made if missing. Its path must be short (sockets).
        cpus: CPUs that the node declares, whatever the machine has.
    """

    def __init__(self, folder: Path, cpus: int = 4) -> None:
        self.folder, self.cpus = Path(folder), cpus
        self.conf = self.folder / "slurm.conf"
        path = f"{self.folder / 'bin'}:{os.environ.get('PATH', os.defpath)}"
        self.environment = {"SLURM_CONF": str(self.conf), "PATH": path}
        self._started: list[subprocess.Popen[bytes]] = []

    # -- life ---------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start all daemons and wait until the node takes jobs; what runs already is left running.

        Raises:
            ClusterError: a daemon did not come up; the end of its log is in the sentence.
        """
        if not self.conf.exists():
            configure(self.folder, self.cpus)
        for name in ("munged", "mariadbd", "slurmdbd", "slurmctld", "slurmd"):
            self.start_daemon(name)
        self.wait(lambda: self.node_state() in ("idle", "mixed", "allocated"), "the node does not come up", 120)

    def stop(self) -> None:
        """Cancel all jobs, stop all daemons, remove the folder and the control groups of its jobs."""
        if not self.conf.exists():
            return
        if self.alive("slurmctld") and self.alive("slurmd"):
            with contextlib.suppress(ClusterError):
                self.calm()
        for name in ("slurmd", "slurmctld", "slurmdbd", "mariadbd", "munged"):
            self.stop_daemon(name, signal.SIGTERM)
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        remove_groups(self.node)
        shutil.rmtree(self.folder, ignore_errors=True)

    def calm(self) -> None:
        """Leave nothing of a test behind: all daemons run, no job is queued, the node takes jobs."""
        for name in ("slurmctld", "slurmd"):
            self.start_daemon(name)
        for partition in PARTITIONS:
            self.run("scancel", f"--partition={partition}", check=False)
        self.wait(lambda: not self.run("squeue", "--noheader").strip(), "jobs stay", 120)
        if self.node_state() != "idle":
            self.run("scontrol", "update", f"nodename={self.node}", "state=resume", check=False)
            self.wait(lambda: self.node_state() == "idle", "the node does not come back", 120)

    def start_daemon(self, name: str) -> None:
        """Start one daemon and wait until it answers."""
        if self.alive(name):
            return
        command, answers = self._daemons()[name]
        log = self.folder / f"{name}.out"
        with log.open("ab") as out:
            process = subprocess.Popen(
                command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True,
                env={**os.environ, **self.environment, "PATH": f"{self.environment['PATH']}:{SYSTEM}"},
            )  # fmt: skip
        self._started.append(process)
        try:
            self.wait(lambda: answers() or process.poll() is not None, f"{name} does not answer", 120)
            if process.returncode is not None:
                raise ClusterError(f"{name} ended with status {process.returncode}")
        except ClusterError as error:
            said = log.read_text("utf-8", "replace")[-1500:]
            raise ClusterError(f"{error}: {said}") from None

    def stop_daemon(self, name: str, how: signal.Signals = signal.SIGKILL) -> None:
        """Send a daemon a signal and wait until it is gone."""
        pid = self.pid(name)
        if pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, how)
        try:
            self.wait(lambda: not running(pid), f"{name} does not stop", 20)
        except ClusterError:
            os.kill(pid, signal.SIGKILL)
        for process in self._started:
            process.poll()  # no zombie of ours stays

    def pid(self, name: str) -> int | None:
        """Return the process id of a daemon, or None."""
        with contextlib.suppress(FileNotFoundError, ValueError):
            return int((self.folder / f"{name}.pid").read_text("utf-8"))
        return None

    def alive(self, name: str) -> bool:
        """Whether a daemon runs."""
        pid = self.pid(name)
        return pid is not None and running(pid)

    def processes(self) -> list[int]:
        """Process ids that were started with this instance's configuration: daemons, steps, jobs."""
        mark, found = f"SLURM_CONF={self.conf}".encode(), []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                mine = entry.name.isdigit() and int(entry.name) != os.getpid()
                if mine and mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return found

    # -- asking -------------------------------------------------------------------------------------

    def run(self, *command: str, check: bool = True) -> str:
        """Run a client of SLURM and return what it printed.

        Raises:
            ClusterError: it failed.
        """
        done = subprocess.run(
            command, env={**os.environ, **self.environment}, capture_output=True, text=True, check=False, timeout=60
        )
        if check and done.returncode != 0:
            raise ClusterError(f"{' '.join(command)} failed: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def node_state(self) -> str:
        """Return the node's state in one word: idle, mixed, drained, …"""
        return self.run("sinfo", "--noheader", "--partition=cpu", "--format=%T", check=False).strip().rstrip("*")

    def jobs(self) -> dict[str, str]:
        """Return job id -> state of every job that the controller remembers."""
        lines = self.run("squeue", "--noheader", "--states=all", "--format=%i|%T").splitlines()
        return dict(line.strip().split("|") for line in lines)

    def job(self, number: str) -> dict[str, str]:
        """Return what the controller knows about a job, by the names of ``scontrol show job``."""
        words = self.run("scontrol", "show", "job", "--oneliner", number).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def wait(self, until: Callable[[], bool], else_say: str, seconds: float) -> None:
        """Wait until something holds.

        Raises:
            ClusterError: it did not within the time.
        """
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end:
                raise ClusterError(f"{else_say} within {seconds:.0f} s")
            time.sleep(0.1)

    @property
    def node(self) -> str:
        """Name of the one node; no other instance has the same."""
        return f"aiq{ports_of(self.conf)[0]}"

    @property
    def memory_limits(self) -> str:
        """How memory limits are enforced: ``cgroup`` (by the kernel, at once) or ``polling`` (once a second)."""
        return "cgroup" if "task/cgroup" in self.conf.read_text("utf-8") else "polling"

    # -- files --------------------------------------------------------------------------------------

    def _daemons(self) -> dict[str, tuple[list[str], Callable[[], bool]]]:
        """Name -> command in the foreground, and how one sees that it answers."""
        f = self.folder
        _, dbd, sql = ports_of(self.conf)
        return {
            "munged": (
                ["munged", "--foreground", "--force", f"--socket={f}/munge.socket", f"--key-file={f}/munge.key",
                 f"--pid-file={f}/munged.pid", f"--log-file={f}/munged.log", f"--seed-file={f}/munge.seed"],
                lambda: (f / "munge.socket").exists() and self.alive("munged"),
            ),
            "mariadbd": (
                ["mariadbd", "--no-defaults", "--user=root", f"--datadir={f}/sql", f"--socket={f}/sql.socket",
                 f"--port={sql}", "--bind-address=127.0.0.1", f"--pid-file={f}/mariadbd.pid", "--skip-name-resolve",
                 f"--init-file={f}/sql.init", "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M",
                 "--innodb-flush-log-at-trx-commit=0", "--innodb-lock-wait-timeout=900"],
                lambda: listens(sql) and self.alive("mariadbd"),
            ),
            "slurmdbd": (["slurmdbd", "-D"], lambda: listens(dbd) and self.alive("slurmdbd")),
            "slurmctld": (
                ["slurmctld", "-D", "-i"],
                lambda: self.alive("slurmctld") and "UP" in self.run("scontrol", "ping", check=False),
            ),
            "slurmd": (["slurmd", "-D", "-N", self.node], lambda: self.alive("slurmd")),
        }  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:] != ["install"]:
        sys.exit(INSTALL)
    install()
