"""Write one small file of each kind, to be kept for ever: later versions must go on reading them.

Run as ``python tests/data/archives/make_archives.py`` when the schema version was raised; never
overwrite the files of an older version.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from aiq.domains.base import DataSheet, LabelledDomain
from aiq.records.estimate import Estimate
from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.storage import hdf5, shards, write_domain, write_result
from aiq.storage.trials import pack_alone, pack_mixtures, pack_trials

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


def main() -> None:
    """Write the files of the current schema version, except those that are there."""
    folder = HERE / f"version-{hdf5.SCHEMA_VERSION}"
    folder.mkdir(exist_ok=True)
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
    }
    for kind, write in writers.items():
        path = folder / f"{kind}.h5"
        if not path.exists():
            write(path)


if __name__ == "__main__":
    main()
