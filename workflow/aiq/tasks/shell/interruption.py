"""How a job learns that it has to end, and how it ends once what it has reached is kept.

A signal may come at any moment, in the midst of a computation. It is noted, and obeyed where there is something whole
to keep: at the end of an epoch, or of a block of steps. What the signals mean:

- SIGTERM: the job ends now (preemption, the end of its time, a person). It ends.
- SIGURG, SIGUSR1: it will soon have to end; profiles/slurm has SLURM send the first, which does nothing to a process
  that knows nothing of it, some time before the limit. On SLURM the job has itself put back into the queue under its
  own number, which is no failure to whoever waits for it; elsewhere it goes on, for the time may still suffice.
- SIGUSR2 is submitit's (``execution.array``): its own handler is called, which puts the job back into the queue.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from aiq.execution import slurm
from aiq.tasks.shell.job import LOGGER

SOON = (signal.SIGURG, signal.SIGUSR1)
FREE = (signal.SIG_DFL, signal.SIG_IGN, None)
PATIENCE = 30.0  # seconds after which submitit's handler is called though nothing was kept


class Interruption:
    """The signal that a job was sent and has not obeyed yet, ``asked``, or None; and what it does then."""

    def __init__(self) -> None:
        self.asked: signal.Signals | None = None
        self._handover: Callable[[], None] | None = None

    def note(self, number: int, frame: FrameType | None = None) -> None:
        """Note a signal; the first that ends the job counts."""
        found = signal.Signals(number)
        if self.asked in (None, *SOON):
            self.asked = found

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
    """End the process."""
    raise SystemExit(128 + asked)


def _requeued() -> bool:
    """Have SLURM put this job back into its queue; return whether it does."""
    job, array, task = (os.environ.get(f"SLURM_{name}") for name in ("JOB_ID", "ARRAY_JOB_ID", "ARRAY_TASK_ID"))
    if job is None:
        return False
    well, said = slurm.ask("scontrol", "requeue", f"{array}_{task}" if array and task else job)
    if not well:
        LOGGER.warning("SLURM does not put the job back into its queue (%s); it goes on", said)
    return well


@contextmanager
def listening(patience: float = PATIENCE) -> Iterator[Interruption]:
    """Note signals instead of ending by them; afterwards everything is as it was.

    Signals for which somebody else has a handler are left alone, but SIGUSR2: that handler is called once what was
    reached is kept, or after ``patience`` seconds.
    """
    heard = Interruption()
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
