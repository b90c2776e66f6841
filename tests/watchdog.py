"""No process of the tests outlives them, however they end: Ctrl-C, SIGTERM or SIGKILL of pytest.

pytest marks its environment, which all processes inherit that it starts: those that share the tests, Snakemake with its
jobs, the daemons of a SLURM. A watchdog in a session of its own waits until pytest is gone and then ends every process
that has the mark. Linux only; elsewhere nothing is watched.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

PREFIX = "AIQ_TESTS_OF_"  # with the process number of pytest; one pytest inside another has two marks
OFTEN = 0.2  # seconds between two looks
PATIENCE = 3.0  # seconds between SIGTERM and SIGKILL


def start() -> None:
    """Mark this process's environment and start its watchdog."""
    if not sys.platform.startswith("linux"):
        return
    unmarked = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    os.environ[f"{PREFIX}{os.getpid()}"] = "1"
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    words = [sys.executable, "-S", __file__, str(os.getpid())]
    os.posix_spawn(sys.executable, words, unmarked, file_actions=nothing, setsid=True)


def marked(pid: int) -> list[int]:
    """Return the processes that descend from the tests of a pytest, by the mark in their environment."""
    mark, found = f"{PREFIX}{pid}=1".encode(), []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # gone meanwhile, or somebody else's
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def end(pid: int) -> None:
    """End the processes of a pytest that is gone: ask, then insist until none is left."""
    deadline = time.monotonic() + PATIENCE
    number = signal.SIGTERM
    while left := marked(pid):
        for one in left:
            with contextlib.suppress(OSError):
                os.kill(one, number)
        while time.monotonic() < deadline and marked(pid):
            time.sleep(OFTEN)
        number = signal.SIGKILL  # and again: some may have started others meanwhile
        time.sleep(OFTEN)


if __name__ == "__main__":
    watched = int(sys.argv[1])
    while os.getppid() == watched:
        time.sleep(OFTEN)
    end(watched)
