"""Clocks for the test in physical time: the wall, or one that only moves when it is told to."""

from __future__ import annotations

import time
from typing import Protocol

from aiq.errors import InputError


class Clock(Protocol):
    """Source of the time in seconds."""

    def now(self) -> float:
        """Return seconds since some fixed moment."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        ...


class WallClock:
    """The steady clock of the machine."""

    def now(self) -> float:
        """Return seconds of the performance counter."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class ManualClock:
    """A clock for deterministic tests: it moves by ``sleep`` alone."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Return the sum of all that passed."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move the clock forward.

        Raises:
            InputError: the time is negative.
        """
        if not seconds >= 0:
            raise InputError(f"the clock was told to move by {seconds} s; time moves forward, so give 0 or more")
        self._now += seconds
