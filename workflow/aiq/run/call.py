"""Call Snakemake with the workflow, as a person would by hand, and wait for it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from aiq.errors import InputError
from aiq.plans import workflow
from aiq.run.job import INTERRUPTED, TOLD

LOOKING = workflow.LOOKING | {"-n", "--dry-run", "--dryrun"}
"""Words after which Snakemake makes nothing."""
SHORT = re.compile(r"-[a-zA-Z]*n[a-zA-Z]*")  # short options in one word, -n among them: -np
PROFILES = ("config.v9+.yaml", "config.v8+.yaml", "config.yaml")
STORAGE = "--default-storage-prefix"
CORES = re.compile(r"all|0*[1-9][0-9]*")
ENDED = 143  # exit status where this process was told by SIGTERM to end: 128 and the number of the signal
DIE_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG
SCRIPTS = ".snakemake/scripts/"  # in the command of a job that runs here
LOADED = 5.0  # seconds after which a job's modules are loaded
MEMORY = Path(".snakemake")  # what Snakemake remembers of the working folder
ERROR_IN = re.compile(
    r"(?:^Command '.*' (?:died with <Signals\.(\w+): \d+>|returned non-zero exit status (\d+))\.\n(?:^\[.*\]\n)?)?"
    r"^Error in rule (\w+):\n(?:^(?! *log:)    .*\n)*(?:^ +log: (.*)$)?",
    re.MULTILINE,
)
"""What Snakemake's log says of a failed job: the signal or the status it ended with, its rule, its logs if any."""
APART = 0.5
"""Seconds between a SIGTERM and its passing on: Snakemake can hang where a second one comes while it handles the first.

``timeout`` and batch systems send the signal to all processes of a group, so that Snakemake gets one of its own, too.
"""


def check_cores(cores: str) -> None:
    """Refuse what is no number of cores, and a call of Snakemake where there is none."""
    workflow.check_installed()
    if CORES.fullmatch(cores) is None:
        raise InputError(f"--cores is {cores!r}; allowed are whole numbers from 1, and all")


def read_profile(name: str) -> dict[str, Any]:
    """Return the settings of a profile."""
    folder = Path(workflow.profile(name))
    path = next((folder / file for file in PROFILES if (folder / file).is_file()), None)
    if path is None:
        raise InputError(f"there is no profile {name!r}; give a folder with config.yaml, or a name below profiles/")
    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"profile {path} cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(settings, dict):
        raise InputError(f"profile {path} must hold settings by name")
    return settings


@dataclass(frozen=True)
class Snakemake:
    """A call of Snakemake: the configuration's file, a profile's name or path, cores, and further words as by hand.

    ``cores``: of this machine, or jobs at once; None leaves it to the profile.
    """

    config: str
    profile: str = "local"
    cores: str | None = None
    arguments: tuple[str, ...] = ()

    @property
    def only_looks(self) -> bool:
        """Whether the arguments ask for something that makes nothing, such as a dry run."""
        words = [word.split("=")[0] for word in self.arguments]
        return bool(LOOKING.intersection(words)) or any(SHORT.fullmatch(word) for word in words)

    @property
    def storage(self) -> str | None:
        """Where results lie if not in a folder: the storage that arguments or the profile name; else None."""
        words = [part for word in self.arguments for part in word.split("=", 1)]
        if STORAGE in words[:-1]:
            return words[words.index(STORAGE) + 1]
        place = workflow.profile(self.profile)
        if not Path(place).is_dir():  # one of Snakemake's own folders
            return None
        storage = read_profile(place).get(STORAGE.removeprefix("--"))
        return None if storage is None else str(storage)

    def words(self, forced: Sequence[str] = (), only: Sequence[str] = ()) -> list[str]:
        """Return the command; ``only`` stands in the place of profile, cores and the further words (``--unlock``)."""
        start = [sys.executable, "-m", workflow.QUIET_SNAKEMAKE]
        ours = ["--configfile", self.config, "--snakefile", str(workflow.snakefile())]
        if only:
            return [*start, *only, *ours]
        cores = ["--cores", self.cores] if self.cores is not None else []
        profile = ["--workflow-profile", workflow.profile("default"), "--profile", workflow.profile(self.profile)]
        return [*start, *(["--forcerun", *forced] if forced else []), *profile, *cores, *ours, *self.arguments]


def call(words: Sequence[str], *, quiet: bool = False, started: Callable[[int], None] | None = None) -> int:
    """Run a command to its end and return its exit status; a signal to this process is passed on to it.

    ``quiet``: its standard output goes to standard error, so that nothing mixes with what this process prints. A
    command that ended because nobody reads on raises ``BrokenPipeError``.
    """
    prctl = getattr(ctypes.CDLL(None), "prctl", None)  # Linux has it; loaded before the fork
    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN  # nohup, or a job in the background of a script

    def follow() -> None:
        """Let the child be interrupted when this process is killed, so that nobody is left without a lock.

        It is out of the terminal's reach: an interruption comes from this process alone, wherever that was told. Where
        interruptions are ignored the child hears this one all the same.
        """
        os.setpgid(0, 0)
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        if prctl is not None:
            prctl(DIE_WITH_PARENT, signal.SIGINT)

    given = {**os.environ, TOLD: "1"}
    process = subprocess.Popen(words, stdout=sys.stderr.fileno() if quiet else None, preexec_fn=follow, env=given)
    interrupted = False
    with _passing_on(process) as told_to_end:
        if started is not None:
            started(process.pid)
        while True:
            try:
                status = _waited(process, interrupted)
                if status == -signal.SIGPIPE:
                    raise BrokenPipeError
                return INTERRUPTED if interrupted else ENDED if told_to_end and status else status
            except KeyboardInterrupt:  # the child cancels its jobs and ends
                interrupted = True
                process.send_signal(signal.SIGINT)


def _waited(process: subprocess.Popen[bytes], interrupted: bool) -> int:
    """Wait for the child to end; once it is interrupted, jobs that it runs here are interrupted, each once.

    One that has just begun is ended instead: while its modules load nothing of it could tell why it stops.
    """
    import psutil  # of the extra train, which running needs

    heard: set[int] = set()
    while interrupted:
        with contextlib.suppress(psutil.Error):
            for job in psutil.Process(process.pid).children(recursive=True):
                if job.pid not in heard and any(SCRIPTS in word for word in job.cmdline()):
                    heard.add(job.pid)
                    job.send_signal(signal.SIGINT if time.time() - job.create_time() > LOADED else signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(0.5)
    return process.wait()


@contextlib.contextmanager
def _passing_on(process: subprocess.Popen[bytes]) -> Iterator[Sequence[threading.Timer]]:
    """Pass SIGTERM on to a child while it runs, several within ``APART`` as one; yield what fills as they come."""
    later: list[threading.Timer] = []
    if threading.current_thread() is not threading.main_thread():
        yield later  # signals can be handled in the main thread only
        return
    none_waits = threading.Lock()  # taken in one step, as a second signal can come while the first is handled

    def send(number: int) -> None:
        none_waits.release()
        process.send_signal(number)

    def heard(number: int, frame: object) -> None:
        if none_waits.acquire(blocking=False):
            later.append(threading.Timer(APART, send, [number]))
            later[-1].start()

    before = signal.signal(signal.SIGTERM, heard)
    try:
        yield later
    finally:
        signal.signal(signal.SIGTERM, before)
        for timer in later:
            timer.cancel()


@dataclass(frozen=True)
class Failure:
    """A job that failed: what it refused in one sentence, or that it is a defect; ``log`` says all."""

    said: str
    log: str
    refused: bool

    def __str__(self) -> str:
        """Return the sentence with the log."""
        return f"{self.said} (log: {self.log})" if _lines(Path(self.log)) else self.said


def failures(folder: str | Path, since: float) -> list[Failure]:
    """Return the jobs that failed, from their logs and Snakemake's that were written after a moment, oldest first.

    What a person can mend comes first: a job refuses it in one sentence, the last line of its log.
    """
    written = (path for path in Path(folder).rglob("*.log") if path.stat().st_mtime >= since)
    last = [(path, (_lines(path) or [""])[-1]) for path in sorted(written, key=os.path.getmtime)]
    refused = [Failure(line.split(" ERROR ", 1)[1], str(path), True) for path, line in last if " ERROR " in line]
    defects: list[Failure] = []
    logs = {failure.log for failure in refused}
    for path in sorted(MEMORY.glob("log/*.snakemake.log"), key=os.path.getmtime):
        if path.stat().st_mtime >= since:
            matches = ERROR_IN.findall("\n".join(_lines(path)))
            defects += [_defect(*how, log.split(" (check log")[0].split(", ")[0] or str(path)) for *how, log in matches]
    further = (failure for failure in defects if failure.log not in logs)
    unique = {(failure.said, failure.log): failure for failure in (*refused, *further)}
    return list(unique.values())


def _defect(killed: str, status: str, rule: str, log: str) -> Failure:
    """Return a job that failed without a sentence of its own: how its process ended, or the last line of its log."""
    if killed:
        short = "; a system that is short of memory does that" if killed == "SIGKILL" else ""
        return Failure(f"a job of the rule {rule} was killed ({killed}{short})", log, False)
    if status not in ("", "0", "1"):  # an exception ends a process with 1, and its last line is in the log
        return Failure(f"a job of the rule {rule} ended its process, with exit status {status}", log, False)
    lines = _lines(Path(log))
    last = f": {lines[-1].strip()}" if lines and not log.endswith(".snakemake.log") else ""
    return Failure(f"a job of the rule {rule} failed{last.rstrip('.')}", log, False)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
