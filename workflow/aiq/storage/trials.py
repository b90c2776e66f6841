"""Trials, results of mixtures and of domains alone as columns, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.storage import hdf5
from aiq.storage.records import hints_of

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
    """Return the trials of a unit.

    Raises:
        StorageError: the unit is no unit of trials.
    """
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
    """Return the mixture results of a unit; those of files without told accuracies have None there.

    Raises:
        StorageError: the unit is no unit of mixture results.
    """
    return _unpack(MixtureResult, tree, "a unit of mixtures")


def pack_alone(results: Sequence[AloneResult]) -> dict[str, Any]:
    """Return the columns of a unit of results of a domain alone."""
    return _pack(AloneResult, results)


def unpack_alone(tree: Mapping[str, Any]) -> list[AloneResult]:
    """Return the results of a domain alone of a unit.

    Raises:
        StorageError: the unit is no unit of results of a domain alone.
    """
    return _unpack(AloneResult, tree, "a unit of a domain alone")
