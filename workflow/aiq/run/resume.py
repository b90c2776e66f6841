"""What a start would make anew, and how a run goes on after any accident.

Before a start, shards that another configuration made are told with their cost. After an accident: see that the
controller is gone, clear away what it left, find what is damaged.
"""

from __future__ import annotations

import binascii
import os
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from aiq.errors import StorageError
from aiq.execution import slurm
from aiq.plans.run import AnyRun
from aiq.run.call import MEMORY, Snakemake, call
from aiq.run.controller import ControllerError, check_gone
from aiq.run.products import job_seconds, not_computed
from aiq.run.upkeep.audit import Audit, audit, results_of, sweep
from aiq.storage import hdf5

CUT = ("trials", "programs")
"""Kinds whose shards are cut by number, so that other settings may also give them other names; all shards of one
folder have one fingerprint."""
MOST = 500_000  # characters of file names that one command takes
SMALL = ("interface",)  # kinds of one short job, which growing makes anew too
CANCELLED_WITHIN = 120.0  # seconds that cancelled jobs may take to leave the queue
Say = Callable[[str], None]


@dataclass(frozen=True)
class Stage:
    """Shards of one stage that would be made anew, of how many that are there, and the seconds their jobs took."""

    name: str
    anew: int
    there: int
    seconds: float


@dataclass(frozen=True)
class Redone:
    """What a start would make anew, and what it has to name to Snakemake.

    ``paths``: shards of another configuration; ``missing``: files that are cut short, or gone from a finished run, so
    that Snakemake would not miss them.
    """

    stages: tuple[Stage, ...]
    paths: tuple[str, ...]
    missing: tuple[str, ...] = ()

    @property
    def forced(self) -> tuple[str, ...]:
        """What is made again, besides what Snakemake finds missing."""
        return (*self.paths, *self.missing)

    @property
    def whole(self) -> bool:
        """Whether all that some stage made would be: other settings, not a file from elsewhere."""
        return any(stage.anew == stage.there > 1 for stage in self.stages)

    @property
    def sentence(self) -> str:
        """Say how much of what is there would be made anew."""
        parts = [f"{stage.anew} of {stage.there} {stage.name}" for stage in self.stages]
        seconds = sum(stage.seconds for stage in self.stages)
        spent = f", which took {duration(seconds)} of jobs" if seconds else ""
        return f"{', '.join(parts)}{spent}"


def duration(seconds: float) -> str:
    """Return seconds in the unit in which they are read best."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def redone(run: AnyRun) -> Redone:
    """Compare what is there with what the configuration asks for; headers are read, contents are not.

    A shard counts if its fingerprint is another one (of another seed, other settings, another version of its stage), or
    if it is planned no more and has another seed. What grows is taken over and not counted, nor are mixtures whose
    interface a further domain changes, which is not known before its data are read.
    """
    audited = audit(run, deep=False)
    stale = [path for path, state in audited.shards.items() if state == "stale"]
    anew = [*(path for path in stale if audited.kinds[path] not in SMALL), *_lost(run, audited)]
    kept = [path for path, state in audited.shards.items() if state not in ("stale", "missing")]
    stages = []
    for stage in dict.fromkeys(_stage(run, path) for path in anew):
        paths = [path for path in anew if _stage(run, path) == stage]
        others = sum(_stage(run, path) == stage for path in kept)
        seconds = sum(job_seconds(run.layout.benchmark_of(path)) for path in paths)
        stages.append(Stage(stage, len(paths), len(paths) + others, seconds))
    return Redone(tuple(stages), tuple(stale), _gone(run, audited))


def _gone(run: AnyRun, audited: Audit) -> tuple[str, ...]:
    """Return what is cut short, and of a finished run what is missing, so that Snakemake would not miss it."""
    results = results_of(run, deep=False)
    finished = list(results.values())[-1:] == ["complete"]
    bad = ("corrupt", "missing") if finished else ("corrupt",)
    gone = tuple(path for path, state in {**audited.shards, **results}.items() if state in bad)
    return gone if sum(map(len, gone)) <= MOST else ()


def _stage(run: AnyRun, path: str) -> str:
    """Return the stage of a shard: its folder, or its own name where each run has one."""
    return Path(path).relative_to(run.layout.root).with_suffix("").parts[0]


def _lost(run: AnyRun, audited: Audit) -> list[str]:
    """Return the shards that are planned no more, give nothing, and have not been replaced yet."""
    shards, own = run.plan.shards(), run.configuration.seed
    wanted = {os.path.dirname(path): (kind, str(print_)) for path, (kind, print_) in shards.items() if kind in CUT}
    unfinished = {os.path.dirname(path) for path, state in audited.shards.items() if state != "complete"}
    beside = [path for path in audited.superseded if os.path.dirname(path) in unfinished]
    stale = [path for path, state in audited.shards.items() if state == "stale"]
    changed = {Path(path).stem for path in stale if audited.kinds[path] == "domain"}
    return [
        path
        for path in beside
        if hdf5.seed(path) not in (None, own) or _other(path, wanted) or not changed.isdisjoint(_words(path))
    ]


def _words(path: str) -> set[str]:
    """Return the names that a shard's folder and units are made of; those of its domains are among them."""
    units = hdf5.names(path) or frozenset()
    return {Path(path).parent.name, *(word for unit in units for word in unit.split("+"))}


def _other(path: str, wanted: Mapping[str, tuple[str, str]]) -> bool:
    """Tell whether a shard that is cut by number is of another fingerprint than those of its folder."""
    kind, fingerprint = wanted.get(os.path.dirname(path), ("", ""))
    try:
        return bool(kind) and hdf5.glance(path, kind) != fingerprint
    except StorageError:
        return False  # nothing can be lost of a file that is broken


@dataclass(frozen=True)
class Damage:
    """What an accident left: files to be made again, and those that are whole.

    ``missing`` shards are not there although later results are, so that Snakemake would not make them; ``whole`` files
    are taken for unfinished although their jobs finished them; ``lacking`` are tables of analyses that failed.
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
    """Return the other host whose controller is known to be gone, if the last one ran there."""
    dead = check_gone(run.layout.controller)
    living = slurm.controllers()
    if living:
        numbers = ", ".join(map(str, sorted(living)))
        raise ControllerError(
            f"Snakemake works in this folder (process {numbers}); wait for its end, or end it first: nothing was done"
        )
    if dead is not None:
        return None if dead.here else dead.host
    host = slurm.last_host() if locked() else None
    if host is not None and host != os.uname().nodename:
        raise ControllerError(
            f"the last Snakemake in this folder ran on {host} and cannot be seen from here; call this on {host}, or, "
            "if nothing runs there, call snakemake --unlock first"
        )
    return None


def clear(run: AnyRun, snakemake: Snakemake, gone: Collection[str], say: Say) -> None:
    """Cancel the SLURM jobs of dead controllers, wait until they have ended, unlock the folder, sweep.

    ``gone``: other hosts whose controllers are known to be gone.
    """
    if slurm.submitted():
        left = slurm.find_orphans(gone=gone).orphans
        if left:
            say(f"cancelling {len(left)} SLURM jobs that the last controller left")
            slurm.cancel(left)
            _wait_for({job.number for job in left})
    if locked():
        say("unlocking the folder")
        if call(snakemake.words(only=("--unlock", "--quiet", "all")), quiet=True) != 0:
            raise ControllerError("the folder cannot be unlocked; what Snakemake said stands above")
    swept = sweep([str(path) for path in Path(run.layout.root).rglob(".*.part")]).removed
    if swept:
        say(f"{len(swept)} unfinished files of killed jobs removed")


def _wait_for(numbers: Collection[str]) -> None:
    end = time.monotonic() + CANCELLED_WITHIN
    while left := [job.number for job in slurm.queued() if job.number in numbers]:
        if time.monotonic() > end:
            raise ControllerError(
                f"cancelled jobs do not end within {CANCELLED_WITHIN:.0f} s ({', '.join(left[:20])}); wait and call "
                "this again"
            )
        time.sleep(1.0)


def damage(run: AnyRun) -> Damage:
    """Verify every shard and result whole and return what has to be made again."""
    shards = audit(run)
    results = results_of(run, deep=True)
    states = {**shards.shards, **results}
    complete = {path for path, state in states.items() if state == "complete"}
    begun = any(state != "missing" for state in results.values())
    return Damage(
        missing=tuple(path for path, state in shards.shards.items() if begun and state == "missing"),
        corrupt=tuple(path for path, state in states.items() if state == "corrupt"),
        stale=tuple(path for path, state in shards.shards.items() if state == "stale"),
        whole=tuple(path for path in unfinished() if path in complete),
        lacking=tuple(path for _, path in not_computed(run).values()),
    )


def keep_whole(left: Damage) -> None:
    """Tell Snakemake that files are finished whose jobs ended after their controller: they are whole and are kept."""
    for path, marker in unfinished().items():
        if path in left.whole:
            marker.unlink(missing_ok=True)


def unfinished() -> dict[str, Path]:
    """Return path -> marker of the files that Snakemake takes for unfinished; its name is the path in base 64."""
    markers = {}
    root = MEMORY / "incomplete"
    for marker in sorted(path for path in root.rglob("*") if path.is_file()):  # in pieces, all but the last with '@'
        text = "".join(part.removeprefix("@") for part in marker.relative_to(root).parts)
        try:
            markers[urlsafe_b64decode(text).decode()] = marker
        except (binascii.Error, UnicodeDecodeError):
            continue  # not a marker of a file
    return markers


def locked() -> bool:
    """Whether Snakemake's lock of this folder is set."""
    return any((MEMORY / "locks").glob("*.lock"))
