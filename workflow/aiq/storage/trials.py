"""Trials, agents' trials, and results of mixtures and of domains alone as columns, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.storage import hdf5


def _ragged(rows: Sequence[Sequence[float]], dtype: type = np.float64) -> np.ndarray:
    """Return rows of different length as one array, padded with NaN (floats) or -1 (integers)."""
    width = max((len(row) for row in rows), default=0)
    out: np.ndarray = np.full((len(rows), width), np.nan if dtype is np.float64 else -1, dtype=dtype)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


def pack_trials(trials: Sequence[Trial]) -> dict[str, Any]:
    """Return the columns of a unit of trials; see ``docs/reference/file-format.md``."""
    lengths = [len(t.losses) for t in trials]
    own: dict[str, Any] = {}
    if any(t.policy.architecture.learner for t in trials):
        own["learner"] = np.array([t.policy.architecture.learner for t in trials], dtype=object)
        own["reason"] = np.array([t.reason for t in trials], dtype=object)
    return own | {
        "family": np.array([t.policy.architecture.family for t in trials], dtype=object),
        "reduction": np.array([t.policy.architecture.reduction for t in trials], dtype=object),
        "widths": _ragged([t.policy.architecture.widths for t in trials], np.int64),
        "dense_nodes": np.array([t.policy.architecture.dense_nodes for t in trials], dtype=np.int64),
        "seed": np.array([t.policy.seed for t in trials], dtype=np.int64),
        "performance": np.array([t.performance for t in trials], dtype=np.float64),
        "parameters": np.array([t.parameters for t in trials], dtype=np.int64),
        "bytes": np.array([t.bytes for t in trials], dtype=np.int64),
        "log2_parameters": np.log2(np.array([t.parameters for t in trials], dtype=np.float64)),
        "compressed": np.array([t.compressed for t in trials], dtype=np.int64),
        "epochs": np.array([t.epochs for t in trials], dtype=np.int64),
        "seconds": np.array([t.seconds for t in trials], dtype=np.float64),
        "status": np.array([t.status for t in trials], dtype=object),
        "losses": _ragged([t.losses for t in trials]),
        "losses_length": np.array(lengths, dtype=np.int64),
        "validation": _ragged([t.validation for t in trials]),
        "validation_length": np.array([len(t.validation) for t in trials], dtype=np.int64),
    }


def unpack_trials(tree: Mapping[str, Any]) -> list[Trial]:
    """Return the trials of a unit.

    Raises:
        StorageError: the unit is no unit of trials.
    """
    with hdf5.fitting("a unit of trials"):
        return _trials(tree)


def _trials(tree: Mapping[str, Any]) -> list[Trial]:
    """Build the trials from their columns."""
    trials = []
    for i in range(len(tree["performance"])):
        widths = tuple(int(w) for w in tree["widths"][i] if w >= 0)
        layers = (tree["family"][i], widths, int(tree["dense_nodes"][i]), tree["reduction"][i])
        architecture = Architecture(*layers, tree["learner"][i] if "learner" in tree else "")
        trials.append(
            Trial(
                policy=Policy(architecture, int(tree["seed"][i])),
                performance=float(tree["performance"][i]),
                parameters=int(tree["parameters"][i]),
                compressed=int(tree["compressed"][i]),
                epochs=int(tree["epochs"][i]),
                seconds=float(tree["seconds"][i]),
                status=tree["status"][i],
                losses=tuple(tree["losses"][i][: tree["losses_length"][i]].tolist()),
                validation=tuple(tree["validation"][i][: tree["validation_length"][i]].tolist()),
                reason=tree["reason"][i] if "reason" in tree else "",
            )
        )
    return trials


def pack_mixtures(results: Sequence[MixtureResult]) -> dict[str, Any]:
    """Return the columns of a unit of mixture results; those of told accuracies where there are any."""
    columns = {
        "proportion": np.array([r.proportion for r in results], dtype=np.float64),
        "repetition": np.array([r.repetition for r in results], dtype=np.int64),
        "first": np.array([r.first for r in results], dtype=np.float64),
        "second": np.array([r.second for r in results], dtype=np.float64),
        "parameters": np.array([r.parameters for r in results], dtype=np.int64),
        "seconds": np.array([r.seconds for r in results], dtype=np.float64),
        "status": np.array([r.status for r in results], dtype=object),
    }
    told = {"first_told": [r.first_told for r in results], "second_told": [r.second_told for r in results]}
    return columns | _told_columns(told)


def _told_columns(told: Mapping[str, Sequence[float | None]]) -> dict[str, Any]:
    """Return columns of told accuracies: all of them, or none where no result has one."""
    missing = sum(value is None for values in told.values() for value in values)
    if missing == sum(len(values) for values in told.values()):
        return {}
    if missing:
        raise ValueError("some results of a unit have accuracies where the domain is told, others have none")
    return {name: np.array(values, dtype=np.float64) for name, values in told.items()}


def unpack_mixtures(tree: Mapping[str, Any]) -> list[MixtureResult]:
    """Return the mixture results of a unit; those of files without told accuracies have None there.

    Raises:
        StorageError: the unit is no unit of mixture results.
    """
    with hdf5.fitting("a unit of mixtures"):
        return _mixtures(tree)


def _mixtures(tree: Mapping[str, Any]) -> list[MixtureResult]:
    """Build the results from their columns."""
    return [
        MixtureResult(
            proportion=float(tree["proportion"][i]),
            repetition=int(tree["repetition"][i]),
            first=float(tree["first"][i]),
            second=float(tree["second"][i]),
            parameters=int(tree["parameters"][i]),
            seconds=float(tree["seconds"][i]),
            status=tree["status"][i],
            first_told=_optional(tree, "first_told", i),
            second_told=_optional(tree, "second_told", i),
        )
        for i in range(len(tree["proportion"]))
    ]


def _optional(tree: Mapping[str, Any], name: str, i: int) -> float | None:
    """Return a number of a column, None where there is no such column."""
    return float(tree[name][i]) if name in tree else None


def pack_alone(results: Sequence[AloneResult]) -> dict[str, Any]:
    """Return the columns of a unit of results of a domain alone."""
    columns = {
        "proportion": np.array([r.proportion for r in results], dtype=np.float64),
        "repetition": np.array([r.repetition for r in results], dtype=np.int64),
        "samples": np.array([r.samples for r in results], dtype=np.int64),
        "performance": np.array([r.performance for r in results], dtype=np.float64),
        "parameters": np.array([r.parameters for r in results], dtype=np.int64),
        "seconds": np.array([r.seconds for r in results], dtype=np.float64),
        "status": np.array([r.status for r in results], dtype=object),
    }
    return columns | _told_columns({"told": [r.told for r in results]})


def unpack_alone(tree: Mapping[str, Any]) -> list[AloneResult]:
    """Return the results of a domain alone of a unit.

    Raises:
        StorageError: the unit is no unit of results of a domain alone.
    """
    with hdf5.fitting("a unit of a domain alone"):
        return [
            AloneResult(
                proportion=float(tree["proportion"][i]),
                repetition=int(tree["repetition"][i]),
                samples=int(tree["samples"][i]),
                performance=float(tree["performance"][i]),
                told=_optional(tree, "told", i),
                parameters=int(tree["parameters"][i]),
                seconds=float(tree["seconds"][i]),
                status=tree["status"][i],
            )
            for i in range(len(tree["proportion"]))
        ]
