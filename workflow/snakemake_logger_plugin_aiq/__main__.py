"""Snakemake as ``aiq run`` calls it: by hand it says at every start which profiles it reads, here it does not."""

from __future__ import annotations

import builtins
import os
import signal
import sys
from types import FrameType
from typing import Any

OWN = signal.getsignal(signal.SIGINT) == signal.default_int_handler
if OWN:  # while modules load an exception may be lost, or shown with all its lines
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(128 + number))

from snakemake import cli  # noqa: E402

from snakemake_logger_plugin_aiq import screen  # noqa: E402

PARENT = os.getppid()
PROFILES = "for setting default command line arguments."


def say(*words: Any, **how: Any) -> None:
    """Print, but for the sentence on profiles."""
    if not (words and str(words[0]).endswith(PROFILES)):
        builtins.print(*words, **how)


def heard(number: int, frame: FrameType | None) -> None:
    """Note an interruption before it is raised: jobs that end of it have not failed.

    Where the parent's death caused it, what Snakemake says while it ends goes to its log alone.
    """
    screen.interrupted.set()
    if os.getppid() != PARENT:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    signal.default_int_handler(number, frame)


if __name__ == "__main__":
    cli.print = say
    if OWN:
        signal.signal(signal.SIGINT, heard)
    try:
        sys.exit(cli.main())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
