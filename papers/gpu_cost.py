"""Constants of the cost model for a GPU that nobody has timed: from a data sheet, and from assumptions that are named.

They say in which order of magnitude GPU-hours lie, and no more; ``aiq estimate --save`` on a GPU gives measured ones.
"""

from __future__ import annotations

from aiq.config.jobs import BUILT_IN, Calibration

NAME = "NVIDIA A100, 40 GB"
PEAK = 19.5e12
"""Floating-point operations a second in single precision without tensor cores, by the maker's data sheet."""
MEMORY = 1.555e12
"""Bytes a second of its memory, by the same data sheet."""
SHARE = 0.1
"""Share of the peak that small networks are assumed to reach."""
KERNEL = 2.5e-6
"""Seconds that a small operation of a recorded CUDA graph is assumed to take, however little it computes."""
KERNELS = 40
"""Operations of a step of a population, see ``training.launching``."""
UPDATED = 28
"""Bytes that a step of Adam reads and writes for every parameter: weight, gradient and two moments, three written."""
CHUNK = 16
"""Convolutional networks that share the operations of a step, of two depths."""


def modelled(share: float = SHARE) -> Calibration:
    """Return the constants of the modelled GPU.

    Args:
        share: of the peak, in (0, 1].

    Raises:
        ValueError: the share lies elsewhere.
    """
    if not 0 < share <= 1:
        raise ValueError(f"share {share} must lie in (0, 1]")
    return BUILT_IN.model_copy(
        update={
            "machine": f"{NAME}, modelled at {share:.0%} of its peak",
            "step": KERNELS * KERNEL,
            "layer": 0.0,
            "parameter": 2 * UPDATED / MEMORY,  # half of the memory's speed
            "operation": 1 / (share * PEAK),
            "convolution_step": 2 * KERNELS * KERNEL / CHUNK,
            "convolution_operation": 1 / (share * PEAK),
        }
    )
