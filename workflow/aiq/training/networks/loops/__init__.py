"""Loops compiled by numba for what torch does in several passes over memory: a processor, one thread, float32.

The modules of the loops are imported where they are used: numba takes half a second to start.
"""

from __future__ import annotations

import torch


def usable(like: torch.Tensor) -> bool:
    """Whether the loops compute for such a tensor: on a processor, in float32, by one thread."""
    return like.device.type == "cpu" and like.dtype == torch.float32 and torch.get_num_threads() == 1
