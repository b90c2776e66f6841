"""Dissimilarity of two domains from policies trained on their mixtures (2025 paper, section 2.5.3)."""

from aiq.measures.dissimilarity.areas import end_draws
from aiq.measures.dissimilarity.consistency import matrix_report
from aiq.measures.dissimilarity.shared_errors import (
    suite_errors,
    suite_replicates,
    transfer_geometry,
    transfer_replicates,
    unbiased_squares,
)
from aiq.measures.dissimilarity.starvation import decompose
from aiq.measures.dissimilarity.value import ESTIMATORS, measure, mixed_performance, noise_floor

__all__ = [
    "ESTIMATORS",
    "decompose",
    "end_draws",
    "matrix_report",
    "measure",
    "mixed_performance",
    "noise_floor",
    "suite_errors",
    "suite_replicates",
    "transfer_geometry",
    "transfer_replicates",
    "unbiased_squares",
]
