"""Matrix products whose factors are rounded to bfloat16 (8 significant bits, the exponents of single precision).

Sums are of single precision. On a GPU the result is, too; on a CPU torch gives it in bfloat16, so that it is rounded
once more. Which products are rounded follows from a network's layers alone and not from those trained beside it: those
of first layers, of convolutions over more than one channel, and of the dense layer above them. They are nearly all of
the work. All else of a training (weights, the optimiser, losses, accuracies) is of the precision that it has otherwise.
"""

from __future__ import annotations

import torch

LOW = torch.bfloat16


def multiply(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write a product (``product``) into ``out``, (n, m) or (count, n, m) of any precision, and return it."""
    return out.copy_(product(a, b))


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the product of two matrices, or of two lists of matrices: in bfloat16 on a CPU, in float32 on a GPU.

    Args:
        a: (n, k), or (count, n, k); rounded to bfloat16 if it is not.
        b: (k, m), or (count, k, m); likewise.
    """
    multiplied = torch.mm if a.ndim == 2 else torch.bmm
    if a.is_cuda:
        return multiplied(a.to(LOW), b.to(LOW), out_dtype=torch.float32)
    return multiplied(a.to(LOW), b.to(LOW))
