"""Whether what is there is whole: the state of every shard; and whether the shards give what a finished run says.

Every shard is judged by itself, so many of them are judged in batches by several processes. To verify a run, every
reduction and table is made again from the shards by the workflow itself, in a folder of its own, and compared; the
results stay as they are. Unfinished files of killed jobs are removed where surely nobody writes them any more.
"""

from __future__ import annotations

import csv
import json
import math
import multiprocessing
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from aiq.errors import InputError, StorageError
from aiq.plans.run import AnyRun, Run
from aiq.records.table import counted
from aiq.run.call import Snakemake, call, check_cores, failures
from aiq.run.products import read_settings
from aiq.run.upkeep import crate
from aiq.storage import hdf5
from aiq.storage.files import TEMPORARY, clock

OLD_MINUTES = 60.0
STATES = ("complete", "missing", "stale", "corrupt")
BATCH = 500  # shards that are judged at once
MANY = 10 * BATCH  # from so many on, processes are worth their start
CLOSE = 1e-9  # relative difference that another processor may make
TIMES = ("seconds", "core_seconds", "core_seconds_alone")  # of a job: no two runs take as long
TIMED = ("cost", "costs")  # tables that hold nothing but times

Shard = tuple[str, str, str]  # path, kind, fingerprint
Verdict = tuple[str, str, str]  # path, state, reason


@dataclass(frozen=True)
class Swept:
    """What was removed, and what was left because it may still be written."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]


def sweep(paths: Sequence[str], *, minutes: float = OLD_MINUTES) -> Swept:
    """Remove unfinished files that nobody writes any more.

    A file is written in one go from memory, then synced and renamed: in seconds, minutes on a slow file system. One
    whose last change is ``minutes`` ago, by the clock of the file system that holds it, is what a killed job left.

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


@dataclass(frozen=True)
class Audit:
    """State of every shard that a configuration asks for, and of what lies beside them.

    ``shards`` maps each path to its state; ``reasons`` says for a bad one why. ``superseded`` are shards of an earlier
    cut or size (their units have been or will be taken over), ``temporary`` unfinished files of killed jobs.
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
        stored = hdf5.read_header(path, kind).fingerprint if deep else hdf5.glance(path, kind)
    except StorageError as error:
        return "corrupt", str(error)
    if stored != fingerprint:
        return "stale", f"made by another configuration ({stored}, now {fingerprint})"
    return "complete", ""


# ---- a finished run ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is not what the shards give: in which file, and what."""

    file: str
    what: str


@dataclass(frozen=True, slots=True)
class Verified:
    """How many files were checked, and what is wrong with which."""

    checked: int
    wrong: tuple[Wrong, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {"checked": self.checked, "wrong": [asdict(wrong) for wrong in self.wrong]}


def verify(results: str | Path, cores: str = "all", say: Callable[[str], None] = lambda words: None) -> Verified:
    """Check a results folder against its own shards.

    Raises:
        InputError: it is no results folder, its configuration was not kept, or there is no such number of cores.
        StorageError: the reductions cannot be made again.
    """
    check_cores(cores)
    settings, base = _settings(Path(results))
    before = Path.cwd()
    os.chdir(base)
    try:
        run: AnyRun = Run.of(settings, origin=f"the configuration in {results}")
        shards = audit(run)
        say(f"{counted(len(shards.shards), 'shard')} read, {len(shards.bad)} of them not whole")
        bad = [
            Wrong(path, f"the shard is {shards.shards[path]} {shards.reasons.get(path, '')}".strip())
            for path in shards.bad
        ]
        bad += _as_described(Path(run.layout.root))
        if shards.bad:
            return Verified(len(shards.shards), tuple(bad))
        with tempfile.TemporaryDirectory(prefix="aiq-verify-") as folder:
            again: AnyRun = Run.of({**settings, "results": f"{folder}/results"})
            _copy(run, again)
            say("reductions and tables are made again from the shards")
            _reduce(again, Path(folder), cores)
            files = list(_differences(run, again))
    finally:
        os.chdir(before)
    differences = tuple(difference for wrong in files for difference in wrong)
    return Verified(len(shards.shards) + len(files), (*bad, *differences))


def _settings(results: Path) -> tuple[dict[str, Any], Path]:
    """Return the configuration of a results folder, and the working folder that its paths are relative to."""
    if not results.is_dir():
        raise InputError(f"{results} is no folder; give the results folder of a finished run")
    settings = dict(read_settings(results))
    if not settings:
        raise InputError(f"{results} holds no tables that say how they were made; finish the run first")
    named = Path(str(settings["results"]))
    whole = results.resolve()
    if named.is_absolute() or whole.parts[-len(named.parts) :] != named.parts:
        return {**settings, "results": str(whole)}, Path.cwd()
    return settings, Path(*whole.parts[: len(whole.parts) - len(named.parts)])


def _as_described(root: Path) -> list[Wrong]:
    """Return which files are not those that the run's crate describes, where it has one."""
    listed = [(root / name, checksum) for name, checksum in crate.checksums(root).items()]
    lost = [Wrong(str(path), f"is missing, but {crate.NAME} names it") for path, _ in listed if not path.exists()]
    return lost + [
        Wrong(str(path), f"has another checksum than {crate.NAME} tells; if it was made anew: {crate.AGAIN}")
        for path, checksum in listed
        if path.exists() and crate.checksum(path) != checksum
    ]


def _copy(run: AnyRun, again: AnyRun) -> None:
    """Copy every shard, each younger than those before it, so that none is trained again."""
    pairs = list(zip(run.plan.shards(), again.plan.shards(), strict=True))
    begin = time.time() - 1 - 0.001 * len(pairs)
    for number, (source, target) in enumerate(pairs):
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        os.utime(target, (begin + 0.001 * number,) * 2)


def _reduce(again: AnyRun, folder: Path, cores: str) -> None:
    config = folder / "configuration.yaml"
    config.write_text(yaml.safe_dump(again.configuration.model_dump(mode="json"), sort_keys=False), encoding="utf-8")
    targets = [*again.plan.results(), *(again.layout.table(name) for name in _tables(again))]
    quiet = ("--nolock", "--drop-metadata", "--quiet", "all", "--rerun-triggers", "mtime", "--")
    begun = time.time()
    status = call(Snakemake(str(config), "default", cores, (*quiet, *targets)).words(), quiet=True)
    if status:
        failed = failures(Path(again.layout.log("x")).parent, begun)
        why = failed[0].said if failed else f"Snakemake ended with status {status}; what it said stands above"
        raise StorageError(f"the reductions cannot be made again: {why}")


def _tables(run: AnyRun) -> list[str]:
    return [name for made in run.plan.products() for name in made.table_names(run.plan) if name not in TIMED]


def _differences(run: AnyRun, again: AnyRun) -> Iterator[list[Wrong]]:
    for (path, (kind, _)), remade in zip(run.plan.results().items(), again.plan.results(), strict=True):
        yield [Wrong(path, words) for words in _stored(path, remade, kind)]
    for name in _tables(run):
        path, remade = run.layout.table(name), again.layout.table(name)
        differing = list(_cells(path, remade))
        yield [Wrong(path, words) for words in differing or _unlike(path, run.layout.provenance(name))]


def _stored(path: str, remade: str, kind: str) -> Iterator[str]:
    try:
        _, content = hdf5.read(path, kind)
    except StorageError as error:
        yield str(error)
        return
    yield from _trees(content, hdf5.read(remade, kind)[1], "")


def _trees(stands: Any, made: Any, place: str) -> Iterator[str]:
    if isinstance(stands, Mapping) and isinstance(made, Mapping):
        for name in sorted({*stands, *made} - set(TIMES)):
            inner = f"{place}/{name}"
            if name not in stands or name not in made:
                yield f"{inner} is {'missing' if name not in stands else 'there, but nothing makes it'}"
            else:
                yield from _trees(stands[name], made[name], inner)
    elif isinstance(stands, np.ndarray) and isinstance(made, np.ndarray):
        if stands.shape != made.shape:
            yield f"{place} has shape {stands.shape}, recomputed {made.shape}"
        elif not _same(stands, made):
            yield f"{place} differs from what the shards give"
    elif not _same(stands, made):
        yield f"{place} is {stands}, recomputed {made}"


def _cells(path: str, remade: str) -> Iterator[str]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            stands = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        yield f"cannot be read: {error}"
        return
    with open(remade, encoding="utf-8", newline="") as file:
        made = list(csv.reader(file))
    if [len(row) for row in stands] != [len(row) for row in made] or stands[:1] != made[:1]:
        yield f"has {len(stands)} rows with other columns than the {len(made)} that the shards give"
        return
    for number, (row, other) in enumerate(zip(stands[1:], made[1:], strict=True), 2):
        for column, cell, right in zip(stands[0], row, other, strict=True):
            if column not in TIMES and not _same(_number(cell), _number(right)):
                yield f"line {number}, column {column}: {cell} stands there, {right} is recomputed"


def _unlike(path: str, beside: str) -> Iterator[str]:
    """Yield that a table whose numbers are right to rounding is not the file that was written, byte for byte."""
    try:
        written = json.loads(Path(beside).read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        yield f"nothing readable says how it was made: {beside}"
        return
    if crate.checksum(Path(path)) != written:
        yield f"has another checksum than {beside} tells, and the same numbers to rounding"


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def _same(stands: Any, made: Any) -> bool:
    """Whether two numbers, or arrays of them, are equal to rounding, or two other things equal."""
    if isinstance(stands, float) and isinstance(made, float):
        nothing = math.isnan(stands) and math.isnan(made)
        return nothing or math.isclose(stands, made, rel_tol=CLOSE, abs_tol=CLOSE)
    if isinstance(stands, np.ndarray) and isinstance(made, np.ndarray):
        if stands.dtype.kind in "fc" and made.dtype.kind in "fc":
            return bool(np.allclose(stands, made, rtol=CLOSE, atol=CLOSE, equal_nan=True))
        return bool(np.array_equal(stands, made))
    return bool(stands == made)
