"""Upkeep of a store: what it holds, what of it is damaged, what a run adds, what nothing names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiq.errors import StorageError
from aiq.plans.layout import parted, unit_name
from aiq.plans.run import AnyRun, SuiteRun
from aiq.run.training.domains import read_interface
from aiq.run.upkeep.audit import sweep
from aiq.storage import shards
from aiq.storage.hdf5 import content
from aiq.storage.shards import Named, Store, named, verify

SHARED = ("trials", "mixtures", "alone", "agents", "baseline", "merged")  # kinds whose jobs share their units
DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Held:
    """Units of one kind: how many, and their bytes."""

    units: int
    size: int


@dataclass(frozen=True, slots=True)
class Cleared:
    """What was removed and its bytes; what was left because it is named or was used; half files that were removed."""

    removed: int
    size: int
    named: int
    recent: int
    unfinished: int


def sizes(store: Store) -> dict[str, Held]:
    """Return what a store holds, by kind."""
    by_kind: dict[str, Held] = {}
    for entry in store.entries():
        before = by_kind.get(entry.kind, Held(0, 0))
        by_kind[entry.kind] = Held(before.units + 1, before.size + entry.size)
    return by_kind


def damaged(store: Store) -> tuple[int, list[Path]]:
    """Return how many units are whole, and the files of the others; every byte is read."""
    whole, bad = 0, []
    for entry in store.entries():
        try:
            verify(entry.path)
            whole += 1
        except StorageError:
            bad.append(entry.path)
    return whole, bad


def add_run(run: AnyRun, store: Store) -> tuple[int, int]:
    """Put all finished units of a run into a store; return how many were put, and how many were there.

    Shards that are missing, damaged or of another configuration are left out, as are those whose prepared domains
    are gone: they are what a unit is known by.
    """
    added = present = 0
    for path, (kind, fingerprint) in run.plan.shards().items():
        if kind not in SHARED or not Path(path).exists():
            continue
        try:
            units = shards.read(path, kind, str(fingerprint))
        except StorageError:
            continue
        step, job = run.plan.maker(path)
        files = [Path(file) for files in step.reads(run.plan, job).values() for file in files]
        prepared = {file.stem: file for file in reversed(files)}  # the domains are read first, then the interface
        behind = _behind(kind, job)
        for name, unit in units.items():
            try:
                data = [content(prepared[domain]) for domain in behind(name)]
            except StorageError:
                continue
            put = store.put(Named.of(kind, name, unit.fingerprint), data, unit, run.configuration.seed)
            added, present = added + put, present + (not put)
    return added, present


def clear(store: Store, runs: Iterable[AnyRun], *, days: float, dry_run: bool = False) -> Cleared:
    """Remove units that no run names and that nobody has put or taken for some days.

    A unit is named by kind, name and fingerprint, whatever the content of its domains. Mixtures and domains alone hang
    on an interface that is found from the prepared domains of a suite; where a run has not found it yet, all units of
    these kinds are left.
    """
    wanted, unknown = _wanted(runs)
    removed = size = kept = recent = 0
    for entry in store.entries():
        try:
            identity = named(entry.path)
        except StorageError:
            identity = None
        if identity in wanted or entry.kind in unknown:
            kept += 1
        elif entry.age < days * DAY:
            recent += 1
        else:
            removed, size = removed + 1, size + entry.size
            if not dry_run:
                entry.path.unlink(missing_ok=True)
    half = [] if dry_run else list(sweep([str(path) for path in store.unfinished()]).removed)
    return Cleared(removed, size, kept, recent, len(half))


def _wanted(runs: Iterable[AnyRun]) -> tuple[set[Named], set[str]]:
    """Return all units that runs name, and kinds of which a run cannot tell what it names."""
    units: set[Named] = set()
    unknown: set[str] = set()
    for run in runs:
        units |= {Named.of(*what) for what in run.plan.shared_units()}
        if run.configuration.measure == "aiq":
            units |= {Named.of(*what) for what in _by_domain(run)}
            try:
                units |= {Named.of(*what) for what in _by_interface(run)}
            except StorageError:  # the interface is found from prepared domains, which are not here
                unknown |= {"mixtures", "alone"} | ({"trials"} if run.plan.ends.pooled else set())
    return units, unknown


def _by_domain(run: SuiteRun) -> Iterator[tuple[str, str, str]]:
    c, plan = run.configuration, run.plan
    for domain in c.domains:
        for agent in c.agents.networks:
            for r in range(c.agents.repetitions):
                yield "agents", f"{agent.name}+{r:06d}", plan.agent(domain, agent.name)
    for domain in plan.baseline_domains:
        for r in range(c.baseline.repetitions if c.baseline else 0):
            yield "baseline", f"{r:06d}", plan.baseline(domain)
    if not plan.ends.pooled:
        yield from _pool(run, None)


def _by_interface(run: SuiteRun) -> Iterator[tuple[str, str, str]]:
    c, plan = run.configuration, run.plan
    pooled, shared = read_interface(run, pool=True), read_interface(run)
    if plan.ends.pooled and pooled is not None:
        yield from _pool(run, pooled.ground)
    common = None if shared is None else shared.words
    for a, b in plan.mixed:
        for k in range(c.dissimilarity.chunks):
            yield "mixtures", unit_name(a, b, k), plan.mixture_unit(a, b, common)
    for job in plan.ends.jobs:
        for part, k in job.units:
            yield "alone", unit_name(job.domain, part, k), plan.ends.unit(job.domain, part, common)


def _pool(run: SuiteRun, ground: Any) -> Iterator[tuple[str, str, str]]:
    for domain in run.configuration.domains:
        for chunk in range(run.configuration.pool.chunks):
            yield "trials", f"chunk-{chunk:06d}", run.plan.trials_unit(domain, ground)


def _behind(kind: str, job: Any) -> Callable[[str], Sequence[str]]:
    """Return what tells which domains a unit of a job hangs on, as the job itself tells it."""
    if kind == "mixtures":
        return lambda name: [parted(word)[0] for word in name.split("+")[:2]]
    if kind == "merged":
        return lambda name: list(dict.fromkeys(job.units[name][0].tests))
    return lambda name: [job if isinstance(job, str) else job.domain]
