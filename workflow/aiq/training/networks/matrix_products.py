"""Matrix products of single precision by whichever library of torch is faster on this processor.

Torch's ``mm`` is MKL's on x86. On processors of other makers than MKL's it leaves their widest vectors unused, and
oneDNN, which torch carries for its convolutions, is twice as fast (``docs/methods/training.md``).
Which one computes follows from the processor and the sizes alone, so a result is the same on every repetition.
"""

from __future__ import annotations

import functools

import torch

SMALL = 2_000_000
"""Multiplications below which a product goes to ``mm``, whose calls cost less."""


@functools.cache
def available() -> bool:
    """Whether oneDNN's product is there and the processor has the vectors for which it is preferred."""
    built = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return built and torch.backends.cpu.get_cpu_capability() == "AVX512"


def preferred(a: torch.Tensor, columns: int) -> bool:
    """Whether oneDNN computes products of a matrix like ``a`` with so many columns."""
    return a.device.type == "cpu" and a.dtype == torch.float32 and a.numel() * columns >= SMALL and available()


def times_transposed(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a b^T of (n, k) and (m, k) by oneDNN; either may have transposed strides."""
    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise.default(a, b, None, "none", [], "")
    return result
