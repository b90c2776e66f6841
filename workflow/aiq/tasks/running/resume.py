"""Go on after any accident: see that the controller is gone, clear away what it left, find what is damaged."""

from __future__ import annotations

import binascii
import os
import re
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from aiq.plans.run import AnyRun
from aiq.tasks.products import not_computed
from aiq.tasks.running.call import MEMORY, Snakemake, call
from aiq.tasks.running.controller import ControllerError, check_gone
from aiq.tasks.running.redone import MOST
from aiq.tasks.upkeep import orphans
from aiq.tasks.upkeep.audit import audit, judge, sweep

CANCELLED_WITHIN = 120.0  # seconds that cancelled jobs may take to leave the queue
HOST = re.compile(r"^\s*Host: (\S+)", re.MULTILINE)
Say = Callable[[str], None]


@dataclass(frozen=True)
class Found:
    """What an accident left.

    Attributes:
        corrupt: files that are broken, to be made again.
        stale: shards of another configuration, to be made again.
        missing: shards that are not there although later results are, so that Snakemake would not make them.
        whole: files that Snakemake takes for unfinished although their jobs finished them.
        lacking: tables of analyses that failed, to be tried again.
    """

    corrupt: tuple[str, ...]
    stale: tuple[str, ...]
    missing: tuple[str, ...]
    whole: tuple[str, ...]
    lacking: tuple[str, ...] = ()

    @property
    def forced(self) -> tuple[str, ...]:
        """What is made again and nothing else, besides what Snakemake finds missing."""
        damaged = (*self.corrupt, *self.stale, *self.lacking)
        whole = (*damaged, *self.missing)
        return whole if sum(map(len, whole)) < MOST else damaged


def check_alone(run: AnyRun) -> str | None:
    """Return the other host whose controller is known to be gone, if the last one ran there.

    Raises:
        ControllerError: a controller works on these results or in this folder, or may.
    """
    dead = check_gone(run.layout.controller)
    living = orphans.controllers()
    if living:
        numbers = ", ".join(map(str, sorted(living)))
        raise ControllerError(
            f"Snakemake works in this folder (process {numbers}); wait for its end, or end it first: nothing was done"
        )
    if dead is not None:
        return None if dead.here else dead.host
    host = last_host() if locked() else None
    if host is not None and host != os.uname().nodename:
        raise ControllerError(
            f"the last Snakemake in this folder ran on {host} and cannot be seen from here; call this on {host}, or, "
            "if nothing runs there, call snakemake --unlock first"
        )
    return None


def clear(run: AnyRun, snakemake: Snakemake, gone: Collection[str], say: Say) -> None:
    """Cancel the SLURM jobs of dead controllers, wait until they have ended, unlock the folder, sweep.

    Args:
        run: the run.
        snakemake: how Snakemake is called for it.
        gone: other hosts whose controllers are known to be gone.
        say: told what is done.

    Raises:
        SchedulerError: jobs were submitted and SLURM's commands are missing or fail.
        ControllerError: cancelled jobs do not end, or the folder cannot be unlocked.
    """
    if orphans.submitted():
        left = orphans.find_orphans(gone=gone).orphans
        if left:
            say(f"cancelling {len(left)} SLURM jobs that the last controller left")
            orphans.cancel(left)
            _wait_for({job.number for job in left})
    if locked():
        say("unlocking the folder")
        if call(snakemake.words(only=("--unlock", "--quiet", "all")), quiet=True) != 0:
            raise ControllerError("the folder cannot be unlocked; what Snakemake said stands above")
    swept = sweep([str(path) for path in Path(run.layout.root).rglob(".*.part")]).removed
    if swept:
        say(f"{len(swept)} unfinished files of killed jobs removed")


def _wait_for(numbers: Collection[str]) -> None:
    """Wait until some jobs have left the queue."""
    end = time.monotonic() + CANCELLED_WITHIN
    while left := [job.number for job in orphans.queued() if job.number in numbers]:
        if time.monotonic() > end:
            raise ControllerError(
                f"cancelled jobs do not end within {CANCELLED_WITHIN:.0f} s ({', '.join(left[:20])}); wait and call "
                "this again"
            )
        time.sleep(1.0)


def damage(run: AnyRun) -> Found:
    """Verify every shard and result whole and return what has to be made again."""
    shards = audit(run)
    planned = [(path, kind, str(fingerprint)) for path, (kind, fingerprint) in run.plan.results().items()]
    results = {path: state for path, state, _ in judge(planned, deep=True)}
    states = {**shards.shards, **results}
    complete = {path for path, state in states.items() if state == "complete"}
    begun = any(state != "missing" for state in results.values())
    return Found(
        missing=tuple(path for path, state in shards.shards.items() if begun and state == "missing"),
        corrupt=tuple(path for path, state in states.items() if state == "corrupt"),
        stale=tuple(path for path, state in shards.shards.items() if state == "stale"),
        whole=tuple(path for path in unfinished() if path in complete),
        lacking=tuple(path for _, path in not_computed(run).values()),
    )


def keep_whole(found: Found) -> None:
    """Tell Snakemake that files are finished whose jobs ended after their controller: they are whole and are kept."""
    for path, marker in unfinished().items():
        if path in found.whole:
            marker.unlink(missing_ok=True)


def unfinished() -> dict[str, Path]:
    """Return path -> marker of the files that Snakemake takes for unfinished.

    A marker's name is the path in base 64, in pieces where it is long (all but the last begin with '@').
    """
    found = {}
    root = MEMORY / "incomplete"
    for marker in sorted(path for path in root.rglob("*") if path.is_file()):
        text = "".join(part.removeprefix("@") for part in marker.relative_to(root).parts)
        try:
            found[urlsafe_b64decode(text).decode()] = marker
        except (binascii.Error, UnicodeDecodeError):
            continue  # not a marker of a file
    return found


def locked() -> bool:
    """Whether Snakemake's lock of this folder is set."""
    return any((MEMORY / "locks").glob("*.lock"))


def last_host() -> str | None:
    """Return the host of the last Snakemake of this folder, by its log."""
    for log in _logs():
        found = HOST.search(log.read_text(encoding="utf-8", errors="replace")[:65_536])
        if found:
            return found.group(1)
    return None


def _logs() -> Iterator[Path]:
    """Yield the logs of Snakemake in this folder, the newest first."""
    yield from sorted((MEMORY / "log").glob("*.snakemake.log"), reverse=True)
