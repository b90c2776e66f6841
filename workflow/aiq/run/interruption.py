"""How a job learns that it has to end, and how it ends once what it has reached is kept.

A signal may come at any moment, in the midst of a computation. It is noted, and obeyed where there is something whole
to keep: at the end of an epoch, or of a block of steps. What the signals mean:

- SIGTERM: the job has to end (preemption, the end of its time, a person). It ends.
- SIGURG, SIGUSR1: it will soon have to end. On SLURM the job has itself put back into the queue under its own number,
  which is no failure to whoever waits for it; elsewhere it goes on, for the time may still suffice.
- SIGUSR2 is submitit's (``execution.array``): its own handler is called, which puts the job back into the queue.

SLURM's own warnings reach the first process of a job alone, which is Snakemake. So a job on SLURM looks up its limit
itself, once it has worked for a while, and behaves as if it had been sent SIGURG when little of its time is left.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from aiq.execution import slurm
from aiq.run.job import LOGGER

SOON = (signal.SIGURG, signal.SIGUSR1)
FREE = (signal.SIG_DFL, signal.SIG_IGN, None)
PATIENCE = 30.0  # seconds after which submitit's handler is called though nothing was kept
GAPS = 3  # times the longest gap between two moments at which something can be kept: no later must a job end,
LAST = 5.0  # nor later than so many seconds before its limit


class Interruption:
    """The signal that a job was sent and has not obeyed yet, ``asked``, or None; and what it does then."""

    def __init__(self, ahead: float = 0.0, least: float = 0.0) -> None:
        """Begin to listen.

        Args:
            ahead: seconds before the limit of a SLURM job at which it goes back into the queue; 0: never.
            least: seconds that it works before, if its time suffices: who is queued again at once gets nowhere.
        """
        self._least, self._begun = least, time.monotonic()
        self.asked: signal.Signals | None = None
        self._handover: Callable[[], None] | None = None
        self._ahead, self._limit = ahead, None if ahead and os.environ.get("SLURM_JOB_ID") else math.inf
        self._last, self._gap = time.monotonic(), 0.0

    def look(self, ask: bool) -> None:
        """Take in that something can be kept now, and whether the time of a SLURM job is nearly used up.

        ``ask``: whether SLURM may be asked for the limit, once; a short job need not know it.
        """
        now = time.monotonic()
        self._gap, self._last = max(self._gap, now - self._last), now
        if self._limit is None and ask:
            self._limit = math.inf if self._handover else now + _seconds_left()
        if self._limit is not None and now > self._moment(self._limit):
            self._limit = math.inf
            self.note(signal.SIGURG)

    def _moment(self, limit: float) -> float:
        return min(max(limit - self._ahead, self._begun + self._least), limit - max(GAPS * self._gap, LAST))

    def note(self, number: int, frame: FrameType | None = None) -> None:
        """Note a signal; the first that ends the job counts. A second SIGTERM ends it without waiting."""
        received = signal.Signals(number)
        if received == self.asked == signal.SIGTERM:
            _leave(received)
        if self.asked in (None, *SOON):
            self.asked = received

    def hand_over(self, handler: Callable[[], None]) -> None:
        """Let another one's handler end the job."""
        self._handover = handler

    def end(self, kept: Path | None) -> None:
        """End the job, or go on where it need not end.

        Args:
            kept: where what it has reached is kept; None: nowhere.

        Raises:
            SystemExit: with status 128 + the signal's number, as if it had killed the process.
        """
        asked, self.asked = self.asked, None
        if asked is None:
            return
        LOGGER.info("%s: what was reached is %s", asked.name, f"kept in {kept}" if kept else "not kept")
        if self._handover is not None and asked == signal.SIGUSR2:
            self._handover()
        elif asked not in SOON:
            _leave(asked)
        elif kept is not None and _requeued():
            LOGGER.info("the job goes back into SLURM's queue")
            _leave(asked)


DEAF = Interruption()
"""Hears nothing: where nobody listens."""


def _leave(asked: signal.Signals) -> NoReturn:
    raise SystemExit(128 + asked)


def _seconds_left() -> float:
    """Return how long this job may still run; infinity where SLURM does not tell."""
    well, said = slurm.ask("squeue", "--noheader", "--format=%L", f"--jobs={_number()}")
    try:
        left = slurm.minutes(said) if well else None
    except ValueError:
        left = None
    return math.inf if left is None else 60 * left


def _number() -> str | None:
    """Return the number of this job as SLURM takes it, or None outside of SLURM."""
    job, array, task = (os.environ.get(f"SLURM_{name}") for name in ("JOB_ID", "ARRAY_JOB_ID", "ARRAY_TASK_ID"))
    return f"{array}_{task}" if job and array and task else job


def _requeued() -> bool:
    """Have SLURM put this job back into its queue; return whether it does.

    Jobs are submitted as such that never come back: one that may, and whose start fails, is held in the queue for ever.
    """
    job = _number()
    if job is None:
        return False
    slurm.ask("scontrol", "update", f"JobId={job}", "Requeue=1")
    well, said = slurm.ask("scontrol", "requeue", job)
    if not well:
        LOGGER.warning("SLURM does not put the job back into its queue (%s); it goes on", said)
    return well


@contextmanager
def listening(patience: float = PATIENCE, ahead: float = 0.0, least: float = 0.0) -> Iterator[Interruption]:
    """Note signals instead of ending by them; afterwards everything is as it was.

    Signals for which somebody else has a handler are left alone, but SIGUSR2: that handler is called once what was
    reached is kept, or after ``patience`` seconds. For ``ahead`` and
    ``least`` see ``Interruption``.
    """
    heard = Interruption(ahead, least)
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, *SOON, signal.SIGUSR2, signal.SIGALRM)}
    theirs = before.pop(signal.SIGUSR2)
    alarm = before.pop(signal.SIGALRM)
    mine = [number for number, handler in before.items() if handler in FREE]
    for number in mine:
        signal.signal(number, heard.note)
    if callable(theirs):
        _defer(heard, theirs, patience)
    try:
        yield heard
    finally:
        for number in mine:
            signal.signal(number, before[number])
        if callable(theirs):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGUSR2, theirs)
            signal.signal(signal.SIGALRM, alarm)


def _defer(heard: Interruption, theirs: Callable[[int, FrameType | None], object], patience: float) -> None:
    """Let another one's handler of SIGUSR2 wait until what was reached is kept."""

    def call(*_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        theirs(signal.SIGUSR2, None)

    def noted(number: int, frame: FrameType | None) -> None:
        heard.note(number)
        signal.setitimer(signal.ITIMER_REAL, patience)

    heard.hand_over(call)
    signal.signal(signal.SIGUSR2, noted)
    signal.signal(signal.SIGALRM, call)
