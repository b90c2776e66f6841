"""Write one small file of each kind, to be kept for ever: later versions must go on reading them.

Run as ``python tests/data/archives/make_archives.py`` when the schema version was raised; never
overwrite the files of an older version.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from aiq.domains.base import DataSheet, LabelledDomain
from aiq.records.dissimilarity import AreaError, Dissimilarity, Part, Parts
from aiq.records.estimate import Estimate, StandardError
from aiq.records.matrix import MatrixReport, NoiseFloor, TriangleReport
from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.run.reducing.dissimilarity import MeasuredPair, SuiteDissimilarity
from aiq.storage import hdf5, shards, write_domain, write_result
from aiq.storage.shards import pack_alone, pack_mixtures, pack_trials

HERE = Path(__file__).parent
FINGERPRINT = "0123456789abcdef"
UNIT_FINGERPRINT = "fedcba9876543210"
SEED = 2025

TRIALS = [
    Trial(
        policy=Policy(Architecture("dense", (8, 3)), 2**63 - 1),
        performance=0.75,
        parameters=123,
        compressed=456,
        epochs=3,
        seconds=0.25,
        status="finished",
        losses=(2.0, 1.0, 0.5),
    ),
    Trial(
        policy=Policy(Architecture("dense", ()), 0),
        performance=math.nan,
        parameters=20,
        compressed=99,
        epochs=1,
        seconds=0.125,
        status="diverged",
        losses=(math.inf,),
        validation=(0.5,),
    ),
    Trial(
        policy=Policy(Architecture("convolutional", (4, 5, 6), 100, "stride"), 7),
        performance=1.0,
        parameters=98765,
        compressed=43210,
        epochs=2,
        seconds=1.5,
        status="converged",
        losses=(1.0, 0.25),
        validation=(0.5, 0.625),
    ),
]

MIXTURES = [
    MixtureResult(0.0, 0, 0.1, 0.9, 77, 0.5, "finished"),
    MixtureResult(1 / 3, 0, 0.6, 0.7, 77, 0.5, "converged"),
    MixtureResult(1.0, 0, math.nan, math.nan, 77, 0.5, "diverged"),
]

ALONE = [
    AloneResult(1 / 3, 0, 33, 0.5, 0.75, 77, 0.5, "finished"),
    AloneResult(1.0, 0, 100, math.nan, math.nan, 77, 0.5, "diverged"),
]

DOMAIN = LabelledDomain(
    name="tiny",
    train_x=np.arange(36, dtype=np.uint8).reshape(4, 1, 3, 3),
    train_y=np.array([0, 2, 0, 2], dtype=np.int64),
    test_x=np.arange(18, dtype=np.uint8).reshape(2, 1, 3, 3) * 14,
    test_y=np.array([2, 0], dtype=np.int64),
    label_space="npz:tiny",
    labels=3,
    sheet=DataSheet("Täfelchen", "made by hand", "CC0", (0.0, 255.0), ("null", "eins", "zwei"), (), {"x": "00"}),
)

ESTIMATE = Estimate(1.25, (1.0, 1.5), 8, "percentile bootstrap", SEED, 0.9)
BARE = Estimate(0.125, None, 1, "one repetition")
POINTS = np.array([0.0, 0.5, 1.0])
CURVES = np.array([[0.5, 0.25, 0.75], [0.5, math.nan, 0.75]])
PART = Part(ESTIMATE, StandardError(0.25, math.inf), None)


def pair(a: str, b: str, parts: Parts | None, error: AreaError | None) -> MeasuredPair:
    """A pair whose optional fields are there or not."""
    known = Dissimilarity(
        POINTS, CURVES[0], POINTS / 2, BARE, BARE, BARE if parts is None else None, "plain", np.array([0.1, 0.2]), 2, 1,
        error, parts,
    )  # fmt: skip
    return MeasuredPair(a, b, CURVES, known)


DISSIMILARITY = SuiteDissimilarity(
    domains=("a", "b"),
    pairs=(
        pair("a", "a", None, None),
        pair("b", "b", None, AreaError(0.5, math.inf, 0.25, 4.0, 0.5, 0.0, 14.0, math.inf, True)),
        pair("a", "b", Parts(POINTS, None, PART), AreaError(0.5, 9.0, 0.25, 4.0, 0.5, 0.25, 14.0, 14.0, False)),
    ),
    matrix=np.array([[0.0625, 0.125], [0.125, 0.03125]]),
    replicates=np.arange(8.0).reshape(2, 2, 2),
    floor=NoiseFloor(np.array([0.0625, 0.03125]), np.zeros((2, 2)), BARE, "plain"),
    report=MatrixReport(None, TriangleReport(0, 0, 0, 0.0, 0.0, None, None), 0.0625),
    completion=None,
    landmark_errors=(),
    trainings=6,
    failed=1,
    core_seconds=1.5,
)

SINCE = {"dissimilarity": hdf5.WITH_COLUMNS}
"""Version of the format of which the files of a kind are, where that is not the oldest."""


def folder_of(kind: str) -> Path:
    """The folder of the files of a kind."""
    return HERE / f"version-{SINCE.get(kind, hdf5.OLDEST_READABLE)}"


def main() -> None:
    """Write the files, except those that are there."""
    unit = shards.Unit(UNIT_FINGERPRINT, pack_trials(TRIALS))
    mixed = shards.Unit(UNIT_FINGERPRINT, pack_mixtures(MIXTURES))
    alone = shards.Unit(UNIT_FINGERPRINT, pack_alone(ALONE))
    agent = shards.Unit(UNIT_FINGERPRINT, pack_trials(TRIALS[:1]))
    writers = {
        "trials": lambda path: shards.write(path, "trials", FINGERPRINT, SEED, {"chunk-000000": unit}),
        "mixtures": lambda path: shards.write(path, "mixtures", FINGERPRINT, SEED, {"a+b+000000": mixed}),
        "alone": lambda path: shards.write(path, "alone", FINGERPRINT, SEED, {"a+controls+000000": alone}),
        "agents": lambda path: shards.write(path, "agents", FINGERPRINT, SEED, {"small+000001": agent}),
        "domain": lambda path: write_domain(path, DOMAIN, FINGERPRINT, SEED),
        "estimate": lambda path: write_result(path, "estimate", ESTIMATE, FINGERPRINT, SEED),
        "dissimilarity": lambda path: write_result(path, "dissimilarity", DISSIMILARITY, FINGERPRINT, SEED),
    }
    for kind, write in writers.items():
        folder_of(kind).mkdir(exist_ok=True)
        path = folder_of(kind) / f"{kind}.h5"
        if not path.exists():
            write(path)


if __name__ == "__main__":
    main()
