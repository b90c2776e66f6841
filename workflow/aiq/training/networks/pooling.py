"""Max pooling of two by two as torch does it, by a faster loop where one is usable: the same numbers and places."""

from __future__ import annotations

import numpy as np
import torch

from aiq.training.networks import loops

POOL = (2, 2)


def largest(raw: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the largest of every two by two, and where it was in its picture, as ``max_pool2d_with_indices`` does.

    Args:
        raw: pictures (n, channels, height, width).
    """
    count, channels, height, width = raw.shape
    flat = raw.permute(0, 2, 3, 1)
    if not (loops.usable(raw) and channels > 1 and min(height, width) > 1 and flat.is_contiguous()):
        found: tuple[torch.Tensor, torch.Tensor] = torch.ops.aten.max_pool2d_with_indices(raw, POOL, POOL)
        return found
    from aiq.training.networks.loops.pooling import pool

    shape = (count, height // 2, width // 2, channels)
    out, places = raw.new_empty(shape), torch.empty(shape, dtype=torch.int64)
    arrays = [tensor.view(-1).numpy() for tensor in (flat, out, places)]
    pool(*arrays, tuple(map(np.uint64, shape)), (np.uint64(height), np.uint64(width)))
    return out.permute(0, 3, 1, 2), places.permute(0, 3, 1, 2)
