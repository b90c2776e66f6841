"""Which training samples a network sees, in which order (a function of a key alone), and their batches.

On a CPU the order of an epoch is NumPy's permutation. On a GPU it is made there (``shuffles``): drawing it on the
host and moving it would take longer than the epoch's steps of a small population.

There every place of a permutation gets 64 random bits, a function of the seed and of the place; the order of these
numbers is the permutation. The bits are those of SplitMix64 (Steele, Lea and Flood 2014), whose n-th number can be had
without those before it. They are computed with whole numbers alone, so a CPU and a GPU give the same permutation. Equal
numbers (one in 10^9 permutations of 100,000) keep their order.

A population gets batches of samples that all its members share, or of streams of their own, of one length or of many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import torch

from aiq import seeding
from aiq.config.training import Convergence
from aiq.errors import TrainingError
from aiq.training.data import MixedData
from aiq.training.device import accelerated

CPU = torch.device("cpu")

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


# ---- Batches -------------------------------------------------------------------------------------

GATHER = 512
"""Samples gathered and converted at once for the next steps (a population's batches all told, if those are more)."""

WINDOW = 16
"""Steps launched at once on a GPU where each member has samples of its own."""

Batch = tuple[torch.Tensor, torch.Tensor]


class Table:
    """Samples kept once, as they came (uint8 or float32), without the columns that are zero everywhere.

    ``columns`` are those kept of the flattened samples, or None where all are.
    """

    def __init__(
        self,
        x: torch.Tensor,
        y: torch.Tensor,
        scale: float,
        *,
        device: torch.device,
        dtype: torch.dtype,
        flatten: bool = True,
    ) -> None:
        self.columns: torch.Tensor | None = None
        if flatten:
            x = x.reshape(len(x), -1)
            columns = _occupied(x)
            if len(columns) < x.shape[1]:
                self.columns = columns.to(device)
                x = torch.from_numpy(np.take(x.cpu().numpy(), columns.numpy(), axis=1))
        self._x, self.y = x.to(device), y.to(device)
        self.device, self._scale, self._dtype = device, scale, dtype

    def gather(self, rows: torch.Tensor) -> Batch:
        """Return samples as networks see them, (*rows, *shape), and labels, (*rows)."""
        flat = rows.flatten()
        x = self._x.index_select(0, flat).to(self._dtype)
        if self._scale != 1:
            x.mul_(self._scale)
        return x.view(*rows.shape, *self._x.shape[1:]), self.y.index_select(0, flat).view(rows.shape)

    @property
    def features(self) -> int:
        """Numbers a sample has, of those kept."""
        return prod(self._x.shape[1:])


def _occupied(x: torch.Tensor) -> torch.Tensor:
    columns = torch.from_numpy(x.cpu().numpy().any(0)).nonzero().flatten()
    return columns if len(columns) else torch.zeros(1, dtype=torch.int64)


class SharedFeed:
    """One batch order for all members of a population: x (batch, *shape), y (batch,).

    The steps of an epoch come in windows: rows of the samples of some steps, the last step's possibly fewer. ``fit``
    samples are learned from in an epoch, ``held_out`` are not; ``active`` are the positions of members that train.
    """

    shared = True

    def __init__(self, table: Table, order: Order) -> None:
        self._table, self._order = table, order
        self.fit, self.held_out = len(order.fit), len(order.held_out)

    def windows(self, number: int, batch: int, active: Sequence[int]) -> Iterator[torch.Tensor]:
        """Yield the rows of some steps of one epoch after another, (samples,)."""
        yield from self._order.epoch(number, self._table.device).split(max(1, GATHER // batch) * batch)

    def batches(self, rows: torch.Tensor, batch: int) -> Iterator[Batch]:
        """Yield the batches of a window, gathered at once."""
        x, y = self._table.gather(rows)
        yield from zip(x.split(batch), y.split(batch), strict=True)

    def validation(self, active: Sequence[int], slab: int) -> Iterator[Batch]:
        """Yield the samples held out."""
        for part in self._order.held_out.to(self._table.device).split(slab):
            yield self._table.gather(part)


class OwnFeed:
    """A stream for each member: x (members, batch, *shape), y (members, batch)."""

    shared = False

    def __init__(self, table: Table, orders: Sequence[Order]) -> None:
        self._table, self._orders = table, tuple(orders)
        self.fit, self.held_out = len(orders[0].fit), len(orders[0].held_out)
        self._own: torch.Tensor | None = None
        if accelerated(table.device):
            self._own = torch.stack([order.fit for order in orders]).to(table.device)

    def windows(self, number: int, batch: int, active: Sequence[int]) -> Iterator[torch.Tensor]:
        """Yield the rows of some steps of one epoch after another, (members, samples)."""
        if self._own is None:
            rows, steps = torch.stack([self._orders[member].epoch(number) for member in active]), 1
        else:
            seeds, steps = [self._orders[member].seed(number) for member in active], WINDOW
            own = self._own if len(active) == len(self._own) else self._own[list(active)]
            rows = own.gather(1, shuffles(seeds, self.fit, self._table.device))
        yield from rows.split(steps * batch, dim=1)

    def batches(self, rows: torch.Tensor, batch: int) -> Iterator[Batch]:
        """Yield the batches of a window."""
        for part in rows.split(batch, dim=1):
            yield self._table.gather(part.contiguous())

    def validation(self, active: Sequence[int], slab: int) -> Iterator[Batch]:
        """Yield the samples held out, each member's own."""
        rows = torch.stack([self._orders[member].held_out for member in active]).to(self._table.device)
        for part in rows.split(max(1, slab // len(active)), dim=1):
            yield self._table.gather(part.contiguous())


class RaggedFeed(OwnFeed):
    """Streams of unequal length; ``lengths`` are the samples of an epoch of each member, none is held out."""

    def __init__(self, table: Table, orders: Sequence[Order]) -> None:
        self._table, self._orders = table, tuple(orders)
        self.lengths = tuple(len(order.fit) for order in orders)
        self.fit, self.held_out = max(self.lengths), 0
        self._epochs: dict[int, tuple[int, torch.Tensor]] = {}

    def steps(self, start: int, stop: int, batch: int, active: Sequence[int]) -> torch.Tensor:
        """Return rows of some steps (steps, members, batch), at the last of which alone a member ends an epoch.

        Row -1 stands for no sample.
        """
        return torch.stack([self._rows(member, start, stop, batch) for member in active], 1).to(self._table.device)

    def batches(self, rows: torch.Tensor, batch: int) -> Iterator[Batch]:
        """Yield the batches of a window without missing samples: x (members, batch, *shape), y (members, batch)."""
        for row in rows:
            yield self._table.gather(row)

    def last(self, rows: torch.Tensor) -> Batch:
        """Return the batch of a step with missing samples, whose labels are -1."""
        x, y = self._table.gather(rows.clamp(min=0))
        return x, y.masked_fill(rows < 0, -1)

    def _rows(self, member: int, start: int, stop: int, batch: int) -> torch.Tensor:
        """Return the rows that a member sees at some steps of one epoch (steps, batch), filled up with -1."""
        every = -(-self.lengths[member] // batch)
        epoch, place = divmod(start, every)
        kept = self._epochs.get(member)
        if kept is None or kept[0] != epoch:
            where = self._table.device if accelerated(self._table.device) else CPU
            filled = torch.full((every * batch,), -1, dtype=torch.int64, device=where)
            filled[: self.lengths[member]] = self._orders[member].epoch(epoch, where)
            kept = self._epochs[member] = (epoch, filled.view(every, batch))
        return kept[1][place : place + stop - start]


Feed = SharedFeed | OwnFeed
