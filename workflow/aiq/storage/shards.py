"""Units of trials and mixtures, each of which stands for itself: in shards of jobs and in the store of many runs."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from aiq.errors import StorageError
from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.storage import hdf5
from aiq.storage.files import TEMPORARY, clock
from aiq.storage.records import hints_of


@dataclass(frozen=True)
class Unit:
    """The content of one unit and the fingerprint of everything that determined it.

    A unit is a chunk of policies on a domain, a chunk of repetitions of a pair, or an agent on a domain. By its own
    fingerprint a job whose block of units has grown takes over the finished ones.
    """

    fingerprint: str
    tree: Mapping[str, Any]


def write(path: str | Path, kind: str, fingerprint: str, seed: int, units: Mapping[str, Unit]) -> None:
    """Write a shard of units atomically."""
    tree = {name: {"fingerprint": unit.fingerprint, **unit.tree} for name, unit in units.items()}
    hdf5.write(path, hdf5.Header(kind, fingerprint, seed), tree)


def read(path: str | Path, kind: str, fingerprint: str | None = None) -> dict[str, Unit]:
    """Read and validate a shard; see ``hdf5.read`` for what it raises."""
    _, tree = hdf5.read(path, kind, fingerprint)
    with hdf5.fitting(kind, path):
        return {name: Unit(str(content.pop("fingerprint")), content) for name, content in tree.items()}


def finished(target: str | Path, kind: str, wanted: Mapping[str, str]) -> tuple[dict[str, Unit], list[str]]:
    """Find wanted units (name -> fingerprint) in the other shards of the target's folder.

    Shards that hold none of them are not read. With them one sentence for each neighbour that could not be read.
    """
    done: dict[str, Unit] = {}
    unreadable = []
    for units in _beside(target, kind, lambda name: name in wanted):
        if isinstance(units, StorageError):
            unreadable.append(str(units))
            continue
        for name, unit in units.items():
            if wanted.get(name) == unit.fingerprint:
                done.setdefault(name, unit)
        if len(done) == len(wanted):
            break
    return done, unreadable


def beside(target: str | Path, kind: str, start: str) -> Iterator[tuple[str, Unit]]:
    """Yield name and content of the units in the other readable shards of a folder whose names begin so."""
    for units in _beside(target, kind, lambda name: name.startswith(start)):
        if not isinstance(units, StorageError):
            yield from ((name, unit) for name, unit in units.items() if name.startswith(start))


def _beside(target: str | Path, kind: str, wanted: Callable[[str], bool]) -> Iterator[dict[str, Unit] | StorageError]:
    """Yield the units of every other shard of a folder that holds a wanted name, or why it cannot be read."""
    for path in sorted(Path(target).parent.glob("*.h5")):
        if path == Path(target):
            continue
        held = hdf5.names(path)
        if held is not None and not any(map(wanted, held)):
            continue
        try:
            yield read(path, kind)
        except StorageError as error:
            yield error


# ---- Trials, results of mixtures and of domains alone as columns ---------------------------------

R = TypeVar("R")
_OPTIONAL = float | None
_TYPES = {float: np.float64, _OPTIONAL: np.float64, int: np.int64}
_CONVERSIONS = {float: float, _OPTIONAL: float, int: int}  # all else is words
_PLAIN = ("performance", "parameters", "compressed", "epochs", "seconds", "status")  # one number or word a trial


def _pack(kind: type, results: Sequence[Any], names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return a column for each field; none for optional numbers that no result has."""
    hints, columns = hints_of(kind), {}
    for name in names or hints:
        values = [getattr(result, name) for result in results]
        if hints[name] == _OPTIONAL:
            if all(value is None for value in values):
                continue
            if None in values:
                raise ValueError("some results of a unit have accuracies where the domain is told, others have none")
        columns[name] = np.array(values, dtype=_TYPES.get(hints[name], object))
    return columns


def _row(kind: type, tree: Mapping[str, Any], i: int, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the fields of one result; None for optional numbers without a column."""
    hints = hints_of(kind)
    missing = {name for name in names or hints if hints[name] == _OPTIONAL and name not in tree}
    return {
        name: None if name in missing else _CONVERSIONS.get(hints[name], str)(tree[name][i]) for name in names or hints
    }


def _unpack(kind: type[R], tree: Mapping[str, Any], what: str) -> list[R]:
    with hdf5.fitting(what):
        return [kind(**_row(kind, tree, i)) for i in range(len(tree["proportion"]))]


def _ragged(rows: Sequence[Sequence[float]], dtype: type = np.float64) -> np.ndarray:
    """Return rows of different length as one array, padded with NaN (floats) or -1 (integers)."""
    width = max((len(row) for row in rows), default=0)
    out: np.ndarray = np.full((len(rows), width), np.nan if dtype is np.float64 else -1, dtype=dtype)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


def pack_trials(trials: Sequence[Trial]) -> dict[str, Any]:
    """Return the columns of a unit of trials; see ``docs/reference/file-format.md``."""
    layers = [t.policy.architecture for t in trials]
    columns = _pack(Trial, trials, _PLAIN) | _pack(Architecture, layers, ("family", "reduction", "dense_nodes"))
    if any(layer.learner for layer in layers):
        columns |= _pack(Architecture, layers, ("learner",)) | _pack(Trial, trials, ("reason",))
    for name in ("losses", "validation"):
        rows = [getattr(trial, name) for trial in trials]
        columns |= {name: _ragged(rows), f"{name}_length": np.array([len(row) for row in rows], dtype=np.int64)}
    return columns | {
        "widths": _ragged([layer.widths for layer in layers], np.int64),
        "seed": np.array([t.policy.seed for t in trials], dtype=np.int64),
        "bytes": np.array([t.bytes for t in trials], dtype=np.int64),
        "log2_parameters": np.log2(np.array([t.parameters for t in trials], dtype=np.float64)),
    }


def unpack_trials(tree: Mapping[str, Any]) -> list[Trial]:
    """Return the trials of a unit; StorageError where it is none of trials."""
    with hdf5.fitting("a unit of trials"):
        return [_trial(tree, i) for i in range(len(tree["performance"]))]


def _trial(tree: Mapping[str, Any], i: int) -> Trial:
    widths = tuple(int(width) for width in tree["widths"][i] if width >= 0)
    layers = (tree["family"][i], widths, int(tree["dense_nodes"][i]), tree["reduction"][i])
    architecture = Architecture(*layers, tree["learner"][i] if "learner" in tree else "")
    curves = {name: tuple(tree[name][i][: tree[f"{name}_length"][i]].tolist()) for name in ("losses", "validation")}
    reason = tree["reason"][i] if "reason" in tree else ""
    policy = Policy(architecture, int(tree["seed"][i]))
    return Trial(policy=policy, reason=reason, **curves, **_row(Trial, tree, i, _PLAIN))


def pack_mixtures(results: Sequence[MixtureResult]) -> dict[str, Any]:
    """Return the columns of a unit of mixture results; those of told accuracies where there are any."""
    return _pack(MixtureResult, results)


def unpack_mixtures(tree: Mapping[str, Any]) -> list[MixtureResult]:
    """Return the mixture results of a unit, told accuracies None where the file has none; else StorageError."""
    return _unpack(MixtureResult, tree, "a unit of mixtures")


def pack_alone(results: Sequence[AloneResult]) -> dict[str, Any]:
    """Return the columns of a unit of results of a domain alone."""
    return _pack(AloneResult, results)


def unpack_alone(tree: Mapping[str, Any]) -> list[AloneResult]:
    """Return the results of a domain alone of a unit; StorageError where it holds none."""
    return _unpack(AloneResult, tree, "a unit of a domain alone")


# ---- Units that runs share -----------------------------------------------------------------------

KIND = "unit"
UNITS = "units"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the store: kind of its shards (trials, ...), bytes, and seconds since it was put or last taken."""

    path: Path
    kind: str
    size: int
    age: float


@dataclass(frozen=True, slots=True)
class Named:
    """What a unit says about itself: its kind, its name in a shard and its fingerprint."""

    kind: str
    name: str
    fingerprint: str

    @classmethod
    def of(cls, kind: str, name: str, fingerprint: str) -> Named:
        """Return it with plain words: a fingerprint of a plan knows more."""
        return cls(kind, name, str(fingerprint))


class Store:
    """A folder of units that runs share: one sealed file per unit, named by all that determined its numbers.

    A unit is found by its kind, its name, its fingerprint (seed, domain, training, versions of stages, class of device)
    and the content of the prepared domains that it was trained on. A file is put in place whole and never changed, so
    readers and writers need no lock. Nothing hangs on the store: what cannot be read is told and trained.

    New folders get the rights of the one above, so that a store whose folder its group may write stays one that it may
    write.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()

    def find(self, what: Named, data: Sequence[str]) -> Unit | None:
        """Return a unit, or None where it is not here; StorageError where its file is damaged.

        ``data``: content of every prepared domain that it hangs on (``hdf5.content``).
        """
        path = self._path(what, data)
        if not path.exists():
            return None
        _, tree = hdf5.read(path, KIND, path.stem)
        with hdf5.fitting("a unit", path):
            if _named(tree) != what:
                raise StorageError(f"{path} holds another unit than its name says")
            unit = Unit(what.fingerprint, dict(tree["content"]))
        with suppress(OSError):  # where this user may not note that the unit was taken
            os.utime(path)
        return unit

    def put(self, what: Named, data: Sequence[str], unit: Unit, seed: int) -> bool:
        """Put a unit whole, unless it is here; return whether it was put. StorageError where nothing can be written."""
        path = self._path(what, data)
        with suppress(StorageError):
            verify(path)
            return False
        self._make(path.parent)
        words = {"kind": what.kind, "name": what.name, "fingerprint": str(what.fingerprint)}
        hdf5.write(path, hdf5.Header(KIND, path.stem, seed), {**words, "content": unit.tree})
        return True

    def entries(self) -> Iterator[Entry]:
        """Yield every unit, by kind and name of its file; StorageError where there is no such folder."""
        if not self.folder.is_dir():
            raise StorageError(f"there is no store {self.folder}; correct the folder, or run a suite that names it")
        if not (self.folder / UNITS).is_dir():
            return
        now = clock(self.folder) if os.access(self.folder, os.W_OK) else None
        for path in sorted((self.folder / UNITS).glob("*/*/*.h5")):
            try:
                state = path.stat()
            except FileNotFoundError:  # cleared by somebody else
                continue
            age = 0.0 if now is None else max(0.0, now - state.st_mtime)
            yield Entry(path, path.parts[-3], state.st_size, age)

    def unfinished(self) -> list[Path]:
        """Return files that a killed process left half written, or that are being written."""
        return sorted((self.folder / UNITS).rglob(f".*{TEMPORARY}"))

    def _path(self, what: Named, data: Sequence[str]) -> Path:
        words = json.dumps([what.kind, what.name, str(what.fingerprint), *data])
        key = hashlib.sha256(words.encode()).hexdigest()[:32]
        return self.folder / UNITS / what.kind / key[:2] / f"{key}.h5"

    def _make(self, folder: Path) -> None:
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for new in reversed(missing):
            try:
                new.mkdir()
                if new.is_relative_to(self.folder) and new != self.folder:
                    new.chmod(new.parent.stat().st_mode & 0o7777)
            except FileExistsError:
                continue
            except OSError as error:
                raise StorageError(f"{new} cannot be made: {error.strerror}; choose another folder") from error


def verify(path: Path) -> None:
    """Read a file of the store whole; StorageError where it cannot be read or is damaged."""
    hdf5.read_header(path, KIND, path.stem)


def named(path: str | Path) -> Named:
    """Return what a file of the store says about itself; StorageError where it is damaged."""
    _, tree = hdf5.read(path, KIND, Path(path).stem)
    with hdf5.fitting("a unit", path):
        return _named(tree)


def _named(tree: hdf5.Tree) -> Named:
    return Named(str(tree["kind"]), str(tree["name"]), str(tree["fingerprint"]))
