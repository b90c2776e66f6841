"""What the workflow asks of SLURM: what it is like, which jobs a killed controller left, and jobs that start once.

Snakemake's executor names every job of a run by the run's identifier, which the run's log in ``.snakemake/log`` holds
together with the host of the controller. A job is an orphan if it works in this folder, is named by such an
identifier, its controller ran on this host, and no controller that could be its own lives here any more. Jobs of
controllers on other hosts cannot be judged from here; they are told apart.

The executor plugin has each job start a Snakemake that does nothing but start another one inside of a job step, and in
a bundle of jobs one more for each of them. Here the command of a job is the step: one Snakemake, which makes what the
job or the bundle holds. Steps get the options that the plugin gives them, so signals, limits and GPUs reach them as
before.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from aiq.errors import AiqError
from aiq.plans.workflow import QUIET_SNAKEMAKE

PATIENCE = 60  # seconds that a client may take
RUN = re.compile(r"SLURM run ID: (\S+)")
HOST = re.compile(r"^\s*Host: (\S+)", re.MULTILINE)
IDENTIFIER = re.compile(r"(?:^|_)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
PROGRAMS = ("snakemake", QUIET_SNAKEMAKE)
LOGS = Path(".snakemake/log")
HEAD = 65_536  # characters of a log that name its run
SLACK = 120.0  # seconds by which a log may seem older than the process that began it
PLUGIN = "snakemake_executor_plugin_slurm"
CORES = re.compile(r"--cores \S+ ")
TWICE = " --executor slurm-jobstep --jobs 1"
# What SLURM tells the batch script and a step would take for options of its own.
OF_THE_BATCH = (
    *("CPUS_PER_GPU", "CPUS_PER_TASK", "GPUS", "GPUS_PER_NODE", "GPUS_PER_TASK", "MEM_PER_CPU", "MEM_PER_GPU"),
    *("MEM_PER_NODE", "NPROCS", "NTASKS", "NTASKS_PER_GPU", "NTASKS_PER_NODE", "TRES_PER_TASK"),
)


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition: whether it takes jobs, its time limit in minutes and a node's memory in MB (None: without limit)."""

    name: str
    up: bool
    default: bool
    minutes: float | None
    megabytes: float | None
    gpus: bool


def ask(*words: str) -> tuple[bool, str]:
    """Return whether a client of SLURM succeeded, and what it said; where it is not installed, that."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except FileNotFoundError:
        return False, f"{words[0]} is not installed here"
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, f"{words[0]} does not answer: {error}"
    said = done.stdout if done.returncode == 0 else done.stderr or done.stdout
    return done.returncode == 0, said.strip() if done.returncode == 0 else " ".join(said.split())


def settings() -> dict[str, str]:
    """Return the configuration of the controller by name; empty where it does not answer."""
    well, said = ask("scontrol", "show", "config")
    pairs = (line.partition("=") for line in said.splitlines() if "=" in line)
    return {name.strip(): value.strip() for name, _, value in pairs} if well else {}


def number(fields: dict[str, str], name: str) -> int | None:
    """Return a whole number of the controller's configuration, without its unit."""
    match = re.match(r"\d+", fields.get(name, ""))
    return int(match[0]) if match else None


def partitions() -> dict[str, Partition]:
    """Return the partitions by name; empty where the controller does not answer."""
    well, said = ask("sinfo", "--noheader", "--format=%R|%a|%l|%m|%G|%P")
    by_name: dict[str, Partition] = {}
    for line in said.splitlines() if well else ():
        name, state, limit, memory, gres, starred = line.strip().split("|")
        most, gpus = float(memory.rstrip("+")), "gpu" in gres
        if name in by_name:  # a line for each kind of nodes
            most, gpus = max(most, by_name[name].megabytes or 0.0), gpus or by_name[name].gpus
        by_name[name] = Partition(name, state == "up", starred.endswith("*"), minutes(limit), most, gpus)
    return by_name


def minutes(limit: str) -> float | None:
    """Return a time limit of SLURM ([days-]hours:minutes:seconds, or minutes:seconds) in minutes; None if infinite."""
    if limit in ("infinite", "UNLIMITED", "n/a"):
        return None
    days, _, rest = limit.rpartition("-")
    parts = [int(part) for part in rest.split(":")]
    if days:
        hours, mins, seconds = (*parts, 0, 0)[:3]
    else:
        hours, mins, seconds = ((0, 0, 0, *parts) if len(parts) > 1 else (0, 0, 0, *parts, 0))[-3:]
    return 1440 * int(days or 0) + 60 * hours + mins + seconds / 60


# ---- jobs of a killed controller -----------------------------------------------------------------


class SchedulerError(AiqError):
    """SLURM's commands are missing, or they failed."""


@dataclass(frozen=True)
class Job:
    """A queued or running SLURM job that Snakemake submitted from this folder."""

    number: str
    state: str
    run: str
    comment: str


@dataclass(frozen=True)
class Orphans:
    """Jobs of this folder: those whose controller is gone, and those that cannot be judged or are watched."""

    orphans: tuple[Job, ...]
    elsewhere: Mapping[str, tuple[Job, ...]]
    watched: tuple[Job, ...]


def submitted() -> bool:
    """Whether any Snakemake that worked here submitted jobs to SLURM, by its logs."""
    return bool(_runs())


def controllers() -> dict[int, float]:
    """Return process -> when it was started, of each Snakemake that works in this folder on this machine."""
    import psutil  # of the extra train, which running needs

    try:
        processes = [process.info for process in psutil.process_iter(["pid", "cmdline", "cwd", "create_time"])]
    except OSError:
        raise SchedulerError(
            "processes cannot be seen in /proc, so nobody knows whose controller is gone; use squeue and scancel"
        ) from None
    here = [process for process in processes if process["cwd"] == os.getcwd()]
    return {process["pid"]: process["create_time"] for process in here if _is_controller(process["cmdline"] or ())}


def find_orphans(gone: Collection[str] = ()) -> Orphans:
    """Return the jobs of this folder by whether their controller is gone; ``gone``: other hosts whose controller is.

    Raises:
        SchedulerError: ``squeue`` is missing or fails, or processes cannot be seen here.
    """
    jobs = queued()
    if not jobs:
        return Orphans((), {}, ())
    begun, alive = _runs(), controllers().values()
    orphans: list[Job] = []
    watched: list[Job] = []
    elsewhere: dict[str, tuple[Job, ...]] = {}
    for job in jobs:
        host, start = begun.get(job.run, ("an unknown host", 0.0))
        if host == os.uname().nodename:
            lives = any(controller <= start + SLACK for controller in alive)
            (watched if lives else orphans).append(job)
        elif host in gone:
            orphans.append(job)
        else:
            elsewhere[host] = (*elsewhere.get(host, ()), job)
    return Orphans(tuple(orphans), elsewhere, tuple(watched))


def cancel(jobs: Sequence[Job]) -> None:
    """Cancel jobs.

    Raises:
        SchedulerError: ``scancel`` is missing or fails.
    """
    for first in range(0, len(jobs), 500):
        _call("scancel", *(job.number for job in jobs[first : first + 500]))


def queued() -> list[Job]:
    """Return the user's jobs that Snakemake submitted from this folder and that have not ended."""
    text = _call("squeue", "--me", "--noheader", "--format", "%i|%T|%j|%Z|%k")
    jobs = []
    for line in text.splitlines():
        parts = line.split("|", 4)
        if len(parts) == 5 and IDENTIFIER.search(parts[2]) and Path(parts[3]).resolve() == Path.cwd():
            jobs.append(Job(parts[0], parts[1], parts[2], parts[4]))
    return jobs


def _call(command: str, *arguments: str) -> str:
    try:
        done = subprocess.run([command, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False)
    except FileNotFoundError:
        raise SchedulerError(
            f"{command} is not found; call this on a machine from which jobs are submitted to SLURM"
        ) from None
    except subprocess.TimeoutExpired:
        raise SchedulerError(f"{command} did not answer within {PATIENCE} s; try again later") from None
    if done.returncode != 0:
        said = " ".join(done.stderr.split()) or "nothing said why"
        raise SchedulerError(f"{command} failed with status {done.returncode} ({said}); mend that and try again")
    return done.stdout


def _runs() -> dict[str, tuple[str, float]]:
    """Return run identifier -> (host of the controller, when it began), from the logs of Snakemake."""
    runs = {}
    for path in LOGS.glob("*.snakemake.log"):
        try:
            with path.open(encoding="utf-8", errors="replace") as stream:
                head = stream.read(HEAD)
        except OSError:
            continue  # not ours to read, so not our run
        run, host = RUN.search(head), HOST.search(head)
        if run and host:
            runs[run.group(1)] = (host.group(1), _begun(path))
    return runs


def last_host() -> str | None:
    """Return the host of the last Snakemake of this folder, by its log."""
    for log in sorted(LOGS.glob("*.snakemake.log"), reverse=True):
        match = HOST.search(log.read_text(encoding="utf-8", errors="replace")[:HEAD])
        if match:
            return match.group(1)
    return None


def _begun(log: Path) -> float:
    """Return when a log was begun: its name says it, to the microsecond and in local time."""
    try:
        return datetime.strptime(log.name.removesuffix(".snakemake.log"), "%Y-%m-%dT%H%M%S.%f").timestamp()
    except ValueError:
        return log.stat().st_mtime


def _is_controller(words: Sequence[str]) -> bool:
    """Whether a command line is that of a Snakemake which is no job's own."""
    program = any(word in PROGRAMS or word.endswith(("/snakemake", "/snakemake/__main__.py")) for word in words[:6])
    return program and "--mode" not in words and "slurm-jobstep" not in words


# ---- jobs that start Snakemake once --------------------------------------------------------------


def start_once() -> None:
    """Let the plugin for SLURM, where Snakemake has loaded it, submit jobs that start Snakemake once.

    ``AIQ_SLURM_JOBSTEP=plugin`` in the environment leaves everything as the plugin does it.
    """
    if PLUGIN not in sys.modules or os.environ.get("AIQ_SLURM_JOBSTEP", "") == "plugin":
        return
    from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry

    plugin = ExecutorPluginRegistry().get_plugin("slurm")
    plugin.executor = _once(plugin.executor)


def _once(theirs: Any) -> Any:
    from snakemake_executor_plugin_slurm_jobstep import get_cpu_setting, get_gpu_setting, get_node_setting

    class Executor(theirs):  # type: ignore[misc]
        """The plugin's own, but for the command of a job."""

        def format_job_exec(self, job: Any) -> str:
            """Return the command of a job, as a step; what is unlike the usual is left to the plugin."""
            command: str = super().format_job_exec(job)
            python = f"{self.get_python_executable()} -m snakemake "
            unlike = self.array_jobs or "mpi" in job.resources.keys()  # noqa: SIM118 (no mapping)
            if unlike or command.count(TWICE) != 1 or command.count(python) != 1:
                return command
            gpus = get_gpu_setting(job)
            options = " ".join(filter(None, (get_cpu_setting(job, bool(gpus)), gpus, get_node_setting(job))))
            without = " ".join(f"--unset=SLURM_{name}" for name in OF_THE_BATCH)
            step = f"env {without} srun -n1 --cpu-bind=q {options} {python}"
            command = command.replace(TWICE, "").replace(python, step)
            if job.is_group():  # it may use the cores that it asked for, and no other of its node
                command = CORES.sub(f"--cores {max(1, job.threads)} ", command, count=1)
            return command

    return Executor
