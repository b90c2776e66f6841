"""Complexity of a domain from the trials of a pool (2025 paper, section 2.4.3)."""

from aiq.measures.complexity.excess import differences, standard_error
from aiq.measures.complexity.value import UNITS, ValueRange, by_k, measure, normalised, shared, sizes

__all__ = [
    "UNITS",
    "ValueRange",
    "by_k",
    "differences",
    "measure",
    "normalised",
    "shared",
    "sizes",
    "standard_error",
]
