"""Loops compiled by numba for what torch does in several passes over memory: a processor, one thread, float32.

Arrays of bfloat16 come as the 16 bits of each number (uint16), for NumPy has no such type. The modules of the loops are
imported where they are used: numba takes half a second to start.
"""

from __future__ import annotations

import torch


def usable(like: torch.Tensor) -> bool:
    """Whether the loops compute for such a tensor: on a processor, in float32, by one thread."""
    return like.device.type == "cpu" and like.dtype == torch.float32 and torch.get_num_threads() == 1


def bits(tensor: torch.Tensor) -> object:
    """Return the 16 bits of each number of a tensor of bfloat16, as a flat array that shares its memory."""
    return tensor.view(-1).view(torch.uint16).numpy()
