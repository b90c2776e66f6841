"""Shannon entropy of a domain (2025 paper, Eq. 4)."""

from aiq.measures.entropy.bits import (
    control_entropy,
    entropy_of_counts,
    histogram_entropy,
    local_image_entropy,
    number_bits,
    vector_entropy,
)

__all__ = [
    "control_entropy",
    "entropy_of_counts",
    "histogram_entropy",
    "local_image_entropy",
    "number_bits",
    "vector_entropy",
]
