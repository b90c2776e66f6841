"""Audit the shards of a configuration: which are complete, missing, stale or corrupt.

Every shard is judged by itself, so many of them are judged in batches by several processes.

Unfinished files of killed jobs: which are surely not being written any more, and their removal.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from aiq.errors import StorageError
from aiq.plans.run import AnyRun
from aiq.storage import hdf5
from aiq.storage.files import TEMPORARY, clock
from aiq.storage.hdf5 import glance

OLD_MINUTES = 60.0


@dataclass(frozen=True)
class Swept:
    """What was removed, and what was left because it may still be written."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]


def sweep(paths: Sequence[str], *, minutes: float = OLD_MINUTES) -> Swept:
    """Remove unfinished files that nobody writes any more.

    A file is written in one go from memory, then synced and renamed: seconds, minutes on a slow file system. So one
    whose last change is ``minutes`` ago is the remains of a killed job. The age is measured by the clock of the file
    system that holds it, not by this machine's, which on a cluster may differ.

    Raises:
        StorageError: a file cannot be removed, or its folder not be written.
    """
    now: dict[Path, float] = {}
    removed, kept = [], []
    for path in map(Path, paths):
        try:
            if path.parent not in now:
                now[path.parent] = clock(path.parent)
            if now[path.parent] - path.stat().st_mtime >= minutes * 60:
                path.unlink()
                removed.append(str(path))
            else:
                kept.append(str(path))
        except FileNotFoundError:
            continue  # its job has just finished
        except OSError as error:
            raise StorageError(f"{path} cannot be removed: {error.strerror}; remove it by hand") from error
    return Swept(tuple(removed), tuple(kept))


STATES = ("complete", "missing", "stale", "corrupt")
BATCH = 500  # shards that are judged at once
MANY = 10 * BATCH  # from so many on, processes are worth their start

Shard = tuple[str, str, str]  # path, kind, fingerprint
Verdict = tuple[str, str, str]  # path, state, reason


@dataclass(frozen=True)
class Audit:
    """State of every shard that a configuration asks for, and of what lies beside them.

    ``shards`` maps each path to its state; ``reasons`` says for a bad one why. ``superseded`` are shards
    of an earlier cut or size (their units have been or will be taken over), ``temporary`` unfinished
    files of killed jobs.
    """

    shards: dict[str, str]
    kinds: dict[str, str]
    reasons: dict[str, str]
    superseded: tuple[str, ...]
    temporary: tuple[str, ...]

    @property
    def bad(self) -> tuple[str, ...]:
        """Paths that have to be made or made again."""
        return tuple(path for path, state in self.shards.items() if state != "complete")

    def count(self, state: str, kind: str | None = None) -> int:
        """Number of shards in a state."""
        return sum(s == state and kind in (None, self.kinds[path]) for path, s in self.shards.items())


def audit(
    run: AnyRun, *, deep: bool = True, progress: Callable[[int, int], None] | None = None, processes: int | None = None
) -> Audit:
    """Look at every shard of a configuration, of any measure.

    ``deep``: read every byte and verify the checksum, otherwise length and header alone; ``progress`` is told how many
    of how many shards are done; ``processes``: None takes every core that this process may use.
    """
    planned = [(path, *what) for path, what in run.plan.shards().items()]
    judged: dict[str, tuple[str, str]] = {}
    for batch in _judge_all(planned, deep, processes):
        judged |= {path: (state, reason) for path, state, reason in batch}
        if progress is not None:
            progress(len(judged), len(planned))
    root = Path(run.layout.root)
    paths = {path for path, *_ in planned}
    folders = {Path(path).relative_to(root).parts[0] for path in paths if len(Path(path).relative_to(root).parts) > 1}
    beside = {str(path) for folder in folders for path in (root / folder).rglob("*.h5")}
    return Audit(
        shards={path: judged[path][0] for path, *_ in planned},
        kinds={path: kind for path, kind, _ in planned},
        reasons={path: judged[path][1] for path, *_ in planned if judged[path][1]},
        superseded=tuple(sorted(beside - paths)),
        temporary=tuple(sorted(str(path) for path in root.rglob(f".*{TEMPORARY}"))),
    )


def results_of(run: AnyRun, deep: bool) -> dict[str, str]:
    """Return path -> state of every result."""
    planned = [(path, kind, str(fingerprint)) for path, (kind, fingerprint) in run.plan.results().items()]
    return {path: state for path, state, _ in judge(planned, deep)}


def _judge_all(planned: Sequence[Shard], deep: bool, processes: int | None) -> Iterator[list[Verdict]]:
    """Yield the states of shards, batch by batch in any order."""
    batches = [planned[first : first + BATCH] for first in range(0, len(planned), BATCH)]
    count = min(processes or len(os.sched_getaffinity(0)), len(batches))
    if count < 2 or (processes is None and len(planned) < MANY):
        for batch in batches:
            yield judge(batch, deep)
        return
    context = multiprocessing.get_context("spawn")  # a fork would inherit the threads of whatever is loaded
    with ProcessPoolExecutor(count, mp_context=context) as pool:
        for done in as_completed([pool.submit(judge, batch, deep) for batch in batches]):
            yield done.result()


def judge(batch: Sequence[Shard], deep: bool) -> list[Verdict]:
    """Return path, state and reason of some shards."""
    return [(path, *_state(path, kind, fingerprint, deep)) for path, kind, fingerprint in batch]


def _state(path: str, kind: str, fingerprint: str, deep: bool) -> tuple[str, str]:
    if not os.path.exists(path):
        return "missing", ""
    try:
        stored = hdf5.read_header(path, kind).fingerprint if deep else glance(path, kind)
    except StorageError as error:
        return "corrupt", str(error)
    if stored != fingerprint:
        return "stale", f"made by another configuration ({stored}, now {fingerprint})"
    return "complete", ""
