"""Which training samples a policy sees, and in which order: a function of a key alone.

On a CPU the order of an epoch is NumPy's permutation. On a GPU it is made there (``shuffles``): drawing it on the
host and moving it would take longer than the epoch's steps of a small population.

There every place of a permutation gets 64 random bits, a function of the seed and of the place; the order of these
numbers is the permutation. The bits are those of SplitMix64 (Steele, Lea and Flood 2014), whose n-th number can be had
without those before it. They are computed with whole numbers alone, so a CPU and a GPU give the same permutation. Equal
numbers (one in 10^9 permutations of 100,000) keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from aiq import seeding
from aiq.config.training import Convergence
from aiq.errors import TrainingError
from aiq.training.data import MixedData
from aiq.training.device import accelerated

STEP = 0x9E3779B97F4A7C15
MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
LAST = 31
"""Constants of SplitMix64: the step between states, shifts and factors."""


def shuffles(seeds: Sequence[int], count: int, device: torch.device) -> torch.Tensor:
    """Return a permutation of 0 ... count - 1 for each seed (in [0, 2**63)), made on the device, (seeds, count)."""
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


CPU = torch.device("cpu")


@dataclass(frozen=True, eq=False)
class Order:
    """Samples to learn from, samples held out, and the order of each epoch.

    ``fit`` and ``held_out`` are rows of the training split (int64 tensors); ``key`` (a root seed and words)
    names the generator of every epoch, so an epoch's order does not depend on the epochs before.
    """

    key: tuple[str | int, ...]
    root: int
    fit: torch.Tensor
    held_out: torch.Tensor

    def epoch(self, number: int, device: torch.device = CPU) -> torch.Tensor:
        """Return the rows of one epoch (from 0) in the order in which they are learned from, on the device."""
        if accelerated(device):
            return self.fit.to(device)[shuffles([self.seed(number)], len(self.fit), device)[0]]
        permutation = seeding.generator(self.root, *self.key, "epoch", number).permutation(len(self.fit))
        return self.fit[torch.from_numpy(permutation)].to(device)

    def seed(self, number: int) -> int:
        """Return what names the order of an epoch on a GPU."""
        return seeding.integer(self.root, *self.key, "epoch", number)


def held_out(rows: int, convergence: Convergence | None) -> int:
    """Return how many of the training rows are held out to see convergence (at least 1, and 1 left to learn)."""
    if convergence is None:
        return 0
    if rows < 2:
        raise TrainingError(f"a training split of {rows} sample leaves none to hold out; give at least 2 samples")
    return min(max(1, round(convergence.validation * rows)), rows - 1)


def shared_order(order_seed: int, rows: int, convergence: Convergence | None) -> Order:
    """Return the order that all policies of a chunk share: held-out part and epochs keyed by ``order_seed``."""
    count = held_out(rows, convergence)
    permutation = torch.from_numpy(seeding.generator(order_seed, "held out").permutation(rows))
    return Order(("order",), order_seed, permutation[count:], permutation[:count])


def mixture_order(
    data: MixedData, proportion: float, repetition: int, samples: int, seed: int, convergence: Convergence | None
) -> Order:
    """Return the sample stream of one mixture; rows of the second domain count on from those of the first.

    Each of the ``samples`` draws comes from the first domain with probability ``proportion``, else from the
    second, and takes the next sample of that domain's own random permutation: without replacement until a split
    is exhausted, then from a further permutation. A domain mixed with itself is one domain: its draws come from
    one permutation, whatever the proportion. Keyed by both names, the repetition and the proportion.
    """
    key = ("mixture", data.first.name, data.second.name, repetition, f"{proportion:.12g}")
    generator = seeding.generator(seed, *key, "draws")
    from_first = generator.random(samples) < proportion
    sizes = (len(data.first.train_y), len(data.second.train_y))
    if data.same:
        drawn = _without_replacement(generator, sizes[0], samples)
    else:
        count = int(from_first.sum())
        drawn = np.empty(samples, dtype=np.int64)
        drawn[from_first] = _without_replacement(generator, sizes[0], count)
        drawn[~from_first] = sizes[0] + _without_replacement(generator, sizes[1], samples - count)
    rows = torch.from_numpy(drawn)
    count = held_out(samples, convergence)
    return Order(key, seed, rows[count:], rows[:count])


def alone_order(
    key: tuple[str | int, ...], rows: int, proportion: float, samples: int, seed: int, convergence: Convergence | None
) -> Order:
    """Return the sample stream of a domain alone with the samples that it has in a mixture at a proportion in (0, 1].

    Of ``samples`` draws each counts with probability ``proportion``, as in a mixture; so many samples are taken from
    the domain's own random permutations of ``rows``, without replacement until the split is exhausted. At least one is
    (two where some are held out). At proportion 1 these are the samples of a mixture with the same key.
    """
    generator = seeding.generator(seed, *key, "draws")
    drawn = int((generator.random(samples) < proportion).sum())
    taken = max(drawn, 1 if convergence is None else 2)
    chosen = torch.from_numpy(_without_replacement(generator, rows, taken))
    count = held_out(taken, convergence)
    return Order(key, seed, chosen[count:], chosen[:count])


def _without_replacement(generator: np.random.Generator, size: int, count: int) -> np.ndarray:
    """Return ``count`` indices below ``size``: permutations one after the other, the last one cut."""
    turns = -(-count // size)
    parts = [generator.permutation(size) for _ in range(turns)] or [np.empty(0, dtype=np.int64)]
    return np.concatenate(parts)[:count].astype(np.int64)
