"""Permutations made where the samples lie: from seeds alone, the same on every device.

Every place of a permutation gets 64 random bits, a function of the seed and of the place; the order of these numbers is
the permutation. The bits are those of SplitMix64 (Steele, Lea and Flood 2014), whose n-th number can be had without
those before it. They are computed with whole numbers alone, so a CPU and a GPU give the same permutation. Equal numbers
(one in 10^9 permutations of 100,000) keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

STEP = 0x9E3779B97F4A7C15
MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
LAST = 31
"""Constants of SplitMix64: the step between states, shifts and factors."""


def shuffles(seeds: Sequence[int], count: int, device: torch.device) -> torch.Tensor:
    """Return a permutation of 0 ... count - 1 for each seed, (seeds, count), int64.

    Args:
        seeds: whole numbers in [0, 2**63).
        count: length of each permutation.
        device: where they are made.
    """
    start = torch.tensor(seeds, dtype=torch.int64).to(device)[:, None]
    places = torch.arange(1, count + 1, dtype=torch.int64, device=device)
    return torch.sort(bits(start + places * _signed(STEP)), dim=1, stable=True).indices


def bits(states: torch.Tensor) -> torch.Tensor:
    """Return SplitMix64's output of states, int64 of any shape (the 64 bits, read as signed numbers)."""
    for shift, factor in MIX:
        states = (states ^ _right(states, shift)) * _signed(factor)
    return states ^ _right(states, LAST)


def _right(numbers: torch.Tensor, places: int) -> torch.Tensor:
    """Return numbers shifted right, filled up with zeros (torch fills up with the sign)."""
    return (numbers >> places) & ((1 << (64 - places)) - 1)


def _signed(number: int) -> int:
    """Return 64 bits read as a signed number; products of such numbers keep their last 64 bits."""
    return number - (1 << 64) if number >> 63 else number
