"""How processes of pytest share work: the order in which they take files, and folders that one makes for all."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

import pytest


def workers() -> int:
    """Return how many processes share the tests: one more than cores, as tests on SLURM mostly wait for it."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


def in_order(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return tests file by file, so that no process is left with a long file when the others have ended.

    Of three processes on two cores one should be on SLURM, whose tests mostly wait, while the others compute: one file
    on SLURM, which lasts longer, is followed by three that start Snakemake. Of those on SLURM the one with most tests
    lasts longest and comes first, then those with fewest, for a test that stands alone is a whole run with faults. The
    rest follows, files with slow tests first, then those with most tests. Within a file the order stays.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    largest = sorted(files.values(), key=len, reverse=True)
    slurm = [file for file in largest if _marked(file, "slurm")]
    slurm[1:] = reversed(slurm[1:])
    workflow = [file for file in largest if _marked(file, "workflow") and file not in slurm]
    rest = [file for file in largest if file not in slurm and file not in workflow]
    rest.sort(key=lambda file: not _marked(file, "slow"))
    turns = []
    while workflow or slurm:
        turns += [*slurm[:1], *workflow[:3]]
        slurm, workflow = slurm[1:], workflow[3:]
    return list(chain.from_iterable([*turns, *rest]))


def _marked(file: list[pytest.Item], marker: str) -> bool:
    return any(item.get_closest_marker(marker) for item in file)


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that all processes of one run of pytest share, not to be changed by those who read it.

    The first that asks makes it while the others wait. Where that fails the next one starts anew, so that it fails
    in its own words.

    Args:
        factory: pytest's temporary folders.
        name: of the folder; who gives the same name makes the same.
        make: fills the folder, which exists.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # that of all processes
    folder, done = base / f"shared-{name}", base / f"shared-{name}.done"
    with (base / f"shared-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder
