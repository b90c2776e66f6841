"""Prepared domains: one file per domain, with its data sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from aiq.domains.base import DataSheet, LabelledDomain
from aiq.records.domains import ControlFacts
from aiq.storage import hdf5
from aiq.storage.records import pack, unpack


def write_domain(path: str | Path, domain: LabelledDomain, fingerprint: str, seed: int) -> None:
    """Write a prepared domain atomically."""
    tree: dict[str, Any] = {
        "name": domain.name,
        "kind": "image" if domain.is_image else "vector",
        "label_space": domain.label_space,
        "labels": domain.labels,
        "classes": np.array(domain.classes, dtype=np.int64),
        "shape": np.array(domain.shape, dtype=np.int64),
        "train": {"x": domain.train_x, "y": domain.train_y},
        "test": {"x": domain.test_x, "y": domain.test_y},
        "sheet": pack(domain.sheet),
    }
    if domain.numeric:
        tree["target"] = domain.target
    hdf5.write(path, hdf5.Header("domain", fingerprint, seed), tree)


def read_domain(path: str | Path, fingerprint: str | None = None) -> LabelledDomain:
    """Read and validate a prepared domain.

    Raises:
        StorageError: see ``hdf5.read``.
    """
    _, tree = hdf5.read(path, "domain", fingerprint)
    with hdf5.fitting("a domain", path):
        return LabelledDomain(
            name=tree["name"],
            train_x=tree["train"]["x"],
            train_y=tree["train"]["y"],
            test_x=tree["test"]["x"],
            test_y=tree["test"]["y"],
            label_space=tree["label_space"],
            labels=int(tree["labels"]),
            sheet=unpack(DataSheet, tree["sheet"]),
            target="number" if tree.get("target") == "number" else "classes",
        )


def write_control_domain(path: str | Path, facts: ControlFacts, sheet: DataSheet, fingerprint: str, seed: int) -> None:
    """Write what is known of a control domain atomically; its worlds are made anew from the settings."""
    tree = {"kind": "control", "facts": pack(facts), "sheet": pack(sheet)}
    hdf5.write(path, hdf5.Header("domain", fingerprint, seed), tree)


def read_control_domain(path: str | Path, fingerprint: str | None = None) -> tuple[ControlFacts, DataSheet]:
    """Read and validate what was written of a prepared control domain.

    Raises:
        StorageError: see ``hdf5.read``.
    """
    _, tree = hdf5.read(path, "domain", fingerprint)
    with hdf5.fitting("a control domain", path):
        if tree["kind"] != "control":
            raise ValueError(f"kind is {tree['kind']}, not control")
        return unpack(ControlFacts, tree["facts"]), unpack(DataSheet, tree["sheet"])
