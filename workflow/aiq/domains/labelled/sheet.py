"""Finish a domain's data sheet, and tell it as JSON."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.domains.base import LabelledDomain

PERFORMANCE = {
    "classes": "accuracy on the test split",
    "number": "R² on the test split (1 - squared error / squared error of the test mean), clipped to [0, 1]",
}
"""What a performance is, by target."""


def checksum(array: npt.NDArray[np.generic]) -> str:
    """Return the SHA-256 of an array's numbers, in C order and little-endian, as hexadecimal digits."""
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return hashlib.sha256(np.ascontiguousarray(little).data).hexdigest()


def complete(domain: LabelledDomain) -> LabelledDomain:
    """Add the arrays' checksums and the value range of the training split to the data sheet."""
    names = ("train_x", "train_y", "test_x", "test_y")
    checksums = {name: checksum(getattr(domain, name)) for name in names}
    span = (0.0, 255.0) if domain.is_image else (float(domain.train_x.min()), float(domain.train_x.max()))
    return replace(domain, sheet=replace(domain.sheet, value_range=span, checksums=checksums))


def _counts(y: npt.NDArray[Any]) -> dict[str, int]:
    """Return the samples of each class that occurs; of numbers, which have no classes, none."""
    if y.dtype == np.float32:
        return {}
    classes, counts = np.unique(y, return_counts=True)
    return {str(label): int(count) for label, count in zip(classes, counts, strict=True)}


def describe(domain: LabelledDomain) -> dict[str, Any]:
    """Return everything but the samples, ready for JSON: shape, type, classes, counts and the data sheet."""
    sheet = asdict(domain.sheet)
    sheet["value_range"] = list(domain.sheet.value_range)
    sheet["class_names"] = list(domain.sheet.class_names)
    sheet["notes"] = list(domain.sheet.notes)
    return {
        "name": domain.name,
        "samples": "images" if domain.is_image else "vectors",
        "shape": list(domain.shape),
        "dtype": str(domain.train_x.dtype),
        "target": domain.target,
        "performance": PERFORMANCE[domain.target],
        "label_space": domain.label_space,
        "labels": domain.labels,
        "classes": list(domain.classes),
        "train_samples": len(domain.train_y),
        "test_samples": len(domain.test_y),
        "train_counts": _counts(domain.train_y),
        "test_counts": _counts(domain.test_y),
        "sheet": sheet,
    }
