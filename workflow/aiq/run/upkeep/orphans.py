"""SLURM jobs that a killed controller of this working folder left queued or running.

Snakemake's executor names every job of a run by the run's identifier, which the run's log in ``.snakemake/log`` holds
together with the host of the controller. A job is an orphan if it works in this folder, is named by such an
identifier, its controller ran on this host, and no controller that could be its own lives here any more. Jobs of
controllers on other hosts cannot be judged from here; they are told apart.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from aiq.errors import AiqError
from aiq.plans.workflow import QUIET_SNAKEMAKE

RUN = re.compile(r"SLURM run ID: (\S+)")
HOST = re.compile(r"^\s*Host: (\S+)", re.MULTILINE)
IDENTIFIER = re.compile(r"(?:^|_)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
PROGRAMS = ("snakemake", QUIET_SNAKEMAKE)
LOGS = Path(".snakemake/log")
HEAD = 65_536  # characters of a log that name its run
SECONDS = 60  # that a scheduler's command may take
SLACK = 120.0  # seconds by which a log may seem older than the process that began it


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
    """Return the user's jobs that Snakemake submitted from this folder and that have not ended.

    Raises:
        SchedulerError: ``squeue`` is missing or fails.
    """
    text = _call("squeue", "--me", "--noheader", "--format", "%i|%T|%j|%Z|%k")
    jobs = []
    for line in text.splitlines():
        parts = line.split("|", 4)
        if len(parts) == 5 and IDENTIFIER.search(parts[2]) and Path(parts[3]).resolve() == Path.cwd():
            jobs.append(Job(parts[0], parts[1], parts[2], parts[4]))
    return jobs


def _call(command: str, *arguments: str) -> str:
    try:
        done = subprocess.run([command, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)
    except FileNotFoundError:
        raise SchedulerError(
            f"{command} is not found; call this on a machine from which jobs are submitted to SLURM"
        ) from None
    except subprocess.TimeoutExpired:
        raise SchedulerError(f"{command} did not answer within {SECONDS} s; try again later") from None
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
