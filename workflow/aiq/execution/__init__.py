"""Calls mapped over the jobs of a cluster, or over processes of this machine, by submitit: the one place that knows it.

A job that is told that its time is up, or that it is preempted, is requeued under its own number and calls the same
work again. What the work had reached it has to have kept itself, at its own pace: nothing is saved on the signal,
since a node may also fail without one.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from aiq.errors import InputError, choice
from aiq.execution import slurm
from aiq.execution.slurm import start_once as start_once

if TYPE_CHECKING:
    import submitit

ClusterName = Literal["slurm", "local", "debug"]
CLUSTERS: tuple[str, ...] = get_args(ClusterName)
MAX_ARRAY_SIZE = 1001  # of a SLURM whose configuration says nothing else
LOCAL_STARTS = 6  # times that submitit starts a local job at most
POLL = 0.2  # seconds between two looks at local jobs

Work = Callable[[], None]


@dataclass(frozen=True)
class Place:
    """Where and with what jobs run; None leaves a choice to the cluster.

    ``cluster``: ``slurm``, ``local`` (processes of this machine) or ``debug`` (in this process). ``folder`` is for
    pickled calls, standard output and error; on a cluster all nodes must see it. ``minutes``: time limit of a job; on
    SLURM whole minutes. ``grace``: seconds before it at which a job is told, and requeued, ``requeues`` times at most
    because its time was up (one with a limit below ten minutes is always taken to be, when it was preempted too).
    ``parallel``: jobs at the same time. ``memory`` is in GB; ``constraint``: features that nodes must have, as sbatch
    takes them.
    """

    cluster: ClusterName
    folder: str | Path
    minutes: float = 60.0
    grace: int = 90
    requeues: int = 1000
    parallel: int = 1
    cpus: int = 1
    gpus: int = 0
    memory: float | None = None
    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    constraint: str | None = None
    gpu_type: str | None = None
    name: str = "aiq"

    def __post_init__(self) -> None:
        """Refuse what no cluster can do."""
        if self.cluster not in CLUSTERS:
            raise InputError(choice("cluster", self.cluster, CLUSTERS))
        if not self.minutes > 0:
            raise InputError(f"a job's time limit is {self.minutes:g} minutes, it must be positive")
        if self.cluster == "slurm" and self.minutes != int(self.minutes):
            raise InputError(f"a job's time limit is {self.minutes:g} minutes, SLURM counts whole ones")
        if not 0 < self.grace < 60 * self.minutes:
            raise InputError(
                f"jobs are told {self.grace} s before a limit of {60 * self.minutes:g} s; give a grace between the two"
            )
        if self.parallel < 1 or self.cpus < 1 or self.gpus < 0 or self.requeues < 0:
            raise InputError("jobs at the same time and CPUs must be at least 1, GPUs and requeues at least 0")
        if self.gpu_type is not None and not self.gpus:
            raise InputError(
                f"GPUs are to be of type {self.gpu_type!r}, but jobs ask for none; set device: cuda in the "
                "configuration"
            )
        if self.memory is not None and not self.memory > 0:
            raise InputError(f"a job's memory is {self.memory:g} GB, it must be positive")


@dataclass(frozen=True)
class Outcome:
    """How one job ended: its place among the works, its number on the cluster, and what went wrong, if anything."""

    index: int
    job: str
    error: str | None
    log: str


class Requeued:
    """A work that is simply called again after an interruption; this is what submitit pickles and calls."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def __call__(self) -> None:
        """Do the work, or what is left of it; then no signal matters any more.

        Without this a signal that comes while the interpreter ends, its handlers gone, makes a finished job a failed
        one on SLURM.
        """
        self.work()
        if signal.getsignal(signal.SIGUSR2) not in (signal.SIG_DFL, None):
            signal.signal(signal.SIGUSR2, signal.SIG_IGN)

    def checkpoint(self) -> submitit.helpers.DelayedSubmission:
        """Return what the requeued job calls."""
        return _submitit().helpers.DelayedSubmission(self)


class Array:
    """Works submitted together; ``jobs`` are their numbers on the cluster, as far as they have been submitted."""

    def __init__(self, place: Place, works: Sequence[Work]) -> None:
        self.place, self._works = place, list(works)
        self._executor = _executor(place)
        self._jobs: dict[int, Any] = {}
        if place.cluster == "slurm" and works:
            self._jobs = dict(enumerate(_sent_in_parts(place, [Requeued(work) for work in works])))

    @property
    def jobs(self) -> list[str]:
        """Numbers of the submitted jobs."""
        return [str(job.job_id) for job in self._jobs.values()]

    def outcomes(self) -> Iterator[Outcome]:
        """Yield how each job ended, as they end; local jobs are started as earlier ones leave room.

        Whoever stops iterating cancels the local jobs that run; those of SLURM run on.
        """
        waiting = [i for i in range(len(self._works)) if i not in self._jobs]
        running = list(self._jobs)
        try:
            while waiting or running:
                while waiting and len(running) < self.place.parallel:
                    index = waiting.pop(0)
                    with _interruptible():
                        self._jobs[index] = self._executor.submit(Requeued(self._works[index]))
                    running.append(index)
                ended = [i for i in running if self.place.cluster == "debug" or self._jobs[i].done()]
                for index in ended:
                    running.remove(index)
                    job = self._jobs[index]
                    yield Outcome(index, str(job.job_id), self._why(job), str(job.paths.stderr))
                if not ended:
                    time.sleep(POLL if self.place.cluster == "local" else 10 * POLL)
        finally:
            if self.place.cluster == "local":
                for index in running:
                    self._jobs[index].cancel()

    def _why(self, job: Any) -> str | None:
        """Return in one sentence why an ended job failed; None where it did not."""
        if self.place.cluster == "local" and not job.paths.result_pickle.exists():
            return f"killed, or its time was up {LOCAL_STARTS} times"
        error = job.exception()
        if error is None:
            return None
        if self.place.cluster == "slurm" and not job.paths.result_pickle.exists():
            return f"it left no result and is {job.state}"
        trace = str(error).split(22 * "-")
        lines = _lines(trace[1] if len(trace) > 2 else str(error))
        return lines[-1] if lines else type(error).__name__


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _executor(place: Place) -> submitit.Executor:
    library = _submitit()
    folder = Path(place.folder).absolute()
    if place.cluster == "debug":
        return library.AutoExecutor(folder, cluster="debug")
    if place.cluster == "local":
        local = library.LocalExecutor(folder, max_num_timeout=place.requeues)
        local.update_parameters(timeout_min=place.minutes, signal_delay_s=place.grace, gpus_per_node=place.gpus)
        return local
    try:
        cluster = library.SlurmExecutor(folder, max_num_timeout=place.requeues)
    except RuntimeError as error:
        raise InputError("this machine has no srun; submit from a node of a SLURM cluster, or take 'local'") from error
    cluster.update_parameters(**_sbatch(place))
    return cluster


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Start processes that SIGINT ends, which is how local jobs are cancelled, where it is ignored here.

    Shells let what they start in the background ignore it, and a process inherits that.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _sent_in_parts(place: Place, works: Sequence[Requeued]) -> list[submitit.Job[None]]:
    """Submit works to SLURM in as many arrays as its ``MaxArraySize`` makes necessary.

    The jobs that may run at the same time are shared out, for SLURM limits each array by itself.
    """
    size = max_array_size()
    parts = [works[first : first + size] for first in range(0, len(works), size)]
    each = replace(place, parallel=max(1, place.parallel // len(parts)))
    return [job for part in parts for job in _sent(_executor(each), part)]


def max_array_size() -> int:
    """Return how many jobs an array of this SLURM may hold; its default, 1001, where it does not tell."""
    size = slurm.number(slurm.settings(), "MaxArraySize")
    return MAX_ARRAY_SIZE if size is None else max(1, size)


def _sent(executor: submitit.Executor, works: Sequence[Requeued]) -> list[submitit.Job[None]]:
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # the error below carries what sbatch says
            return executor.submit_array(works)
    except (_submitit().core.utils.FailedJobError, OSError) as error:
        lines = _lines(str(error))
        said = next((line for line in reversed(lines) if "error:" in line), lines[-1] if lines else "no reason given")
        raise InputError(f"SLURM refuses the jobs ({said}); correct partition, account or resources") from error


def _sbatch(place: Place) -> dict[str, Any]:
    wanted = {
        "job_name": place.name,
        "time": int(place.minutes),
        "signal_delay_s": place.grace,
        "array_parallelism": place.parallel,
        "cpus_per_task": place.cpus,
        "gpus_per_node": place.gpus or None if place.gpu_type is None else f"{place.gpu_type}:{place.gpus}",
        "mem": None if place.memory is None else f"{max(1, round(1024 * place.memory))}MB",
        "partition": place.partition,
        "account": place.account,
        "qos": place.qos,
        "constraint": place.constraint,
        "additional_parameters": {"requeue": True},
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _submitit() -> Any:
    os.environ.setdefault("SUBMITIT_PREEMPT_SIGNAL", "USR2")
    try:
        import submitit
    except ImportError as error:
        raise InputError("submitting needs the package submitit, which is not installed; run make env") from error
    return submitit
