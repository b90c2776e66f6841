"""What a start would make anew of what is there: shards that another configuration made, by stage, and their cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aiq.errors import StorageError
from aiq.plans.run import AnyRun
from aiq.storage import glance
from aiq.tasks.shell.benchmarks import job_seconds
from aiq.tasks.upkeep.audit import Audit, audit, judge

CUT = ("trials", "programs")
"""Kinds whose shards are cut by number, so that other settings may also give them other names; all shards of one
folder have one fingerprint."""
MOST = 500_000  # characters of file names that one command takes
SMALL = ("interface",)
"""Kinds of one short job, which growing makes anew too."""


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

    A shard counts if its fingerprint is another one: it was made by another seed, by other settings, or by another
    version of its stage; or if it is planned no more and has another seed. What grows is not counted, since it is
    taken over. A further domain with more inputs or classes than the others changes the interface of all mixtures;
    that is not known before its data are read, and is not counted.
    """
    found = audit(run, deep=False)
    stale = [path for path, state in found.shards.items() if state == "stale"]
    anew = [*(path for path in stale if found.kinds[path] not in SMALL), *_lost(run, found)]
    kept = [path for path, state in found.shards.items() if state not in ("stale", "missing")]
    stages = []
    for stage in dict.fromkeys(_stage(run, path) for path in anew):
        paths = [path for path in anew if _stage(run, path) == stage]
        others = sum(_stage(run, path) == stage for path in kept)
        seconds = sum(job_seconds(run.layout.benchmark_of(path)) for path in paths)
        stages.append(Stage(stage, len(paths), len(paths) + others, seconds))
    return Redone(tuple(stages), tuple(stale), _gone(run, found))


def _gone(run: AnyRun, found: Audit) -> tuple[str, ...]:
    """Return what is cut short, and of a finished run what is missing, so that Snakemake would not miss it."""
    planned = [(path, kind, str(fingerprint)) for path, (kind, fingerprint) in run.plan.results().items()]
    results = {path: state for path, state, _ in judge(planned, deep=False)}
    finished = list(results.values())[-1:] == ["complete"]
    bad = ("corrupt", "missing") if finished else ("corrupt",)
    gone = tuple(path for path, state in {**found.shards, **results}.items() if state in bad)
    return gone if sum(map(len, gone)) <= MOST else ()


def _stage(run: AnyRun, path: str) -> str:
    """Return the stage of a shard: its folder, or its own name where each run has one."""
    return Path(path).relative_to(run.layout.root).with_suffix("").parts[0]


def _lost(run: AnyRun, found: Audit) -> list[str]:
    """Return the shards that are planned no more, give nothing, and have not been replaced yet."""
    shards, own = run.plan.shards(), run.configuration.seed
    wanted = {os.path.dirname(path): (kind, str(print_)) for path, (kind, print_) in shards.items() if kind in CUT}
    unfinished = {os.path.dirname(path) for path, state in found.shards.items() if state != "complete"}
    beside = [path for path in found.superseded if os.path.dirname(path) in unfinished]
    stale = [path for path, state in found.shards.items() if state == "stale"]
    changed = {Path(path).stem for path in stale if found.kinds[path] == "domain"}
    return [
        path
        for path in beside
        if glance.seed(path) not in (None, own) or _other(path, wanted) or not changed.isdisjoint(_words(path))
    ]


def _words(path: str) -> set[str]:
    """Return the names that a shard's folder and units are made of; those of its domains are among them."""
    units = glance.names(path) or frozenset()
    return {Path(path).parent.name, *(word for unit in units for word in unit.split("+"))}


def _other(path: str, wanted: Mapping[str, tuple[str, str]]) -> bool:
    """Tell whether a shard that is cut by number is of another fingerprint than those of its folder."""
    kind, fingerprint = wanted.get(os.path.dirname(path), ("", ""))
    try:
        return bool(kind) and glance.glance(path, kind) != fingerprint
    except StorageError:
        return False  # nothing can be lost of a file that is broken
