"""Batches for a population: samples that all its members share, or streams of their own, of one length or of many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from math import prod
from weakref import WeakKeyDictionary

import numpy as np
import torch

from aiq.training.device import accelerated
from aiq.training.orders import CPU, Order, shuffles

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
        drop: bool = True,
        flatten: bool = True,
    ) -> None:
        self.columns: torch.Tensor | None = None
        if flatten:
            x = x.reshape(len(x), -1)
            columns = occupied(x) if drop else torch.arange(x.shape[1])
            if len(columns) < x.shape[1]:
                self.columns = columns.to(device)
                x = torch.from_numpy(np.take(x.cpu().numpy(), columns.numpy(), axis=1))
        self._x = x.to(device)
        self.y = y.to(device)
        self._scale, self._dtype = scale, dtype

    def gather(self, rows: torch.Tensor) -> Batch:
        """Return samples as networks see them, (*rows, *shape), and labels, (*rows)."""
        flat = rows.flatten()
        x = self._x.index_select(0, flat).to(self._dtype)
        if self._scale != 1:
            x.mul_(self._scale)
        return x.view(*rows.shape, *self._x.shape[1:]), self.y.index_select(0, flat).view(rows.shape)

    @property
    def device(self) -> torch.device:
        """Where the samples are kept."""
        return self._x.device

    @property
    def features(self) -> int:
        """Numbers a sample has, of those kept."""
        return prod(self._x.shape[1:])


def occupied(x: torch.Tensor) -> torch.Tensor:
    """Return the columns of (n, features) that are not zero in every row (at least one column)."""
    columns = torch.from_numpy(x.cpu().numpy().any(0)).nonzero().flatten()
    return columns if len(columns) else torch.zeros(1, dtype=torch.int64)


_KEPT: WeakKeyDictionary[object, dict[tuple[object, ...], Table]] = WeakKeyDictionary()


def kept(owner: object, key: tuple[object, ...], device: torch.device, make: Callable[[], Table]) -> Table:
    """Return a table of data; on a GPU it is made once and kept as long as the data, for all who train."""
    if not accelerated(device):
        return make()
    tables = _KEPT.setdefault(owner, {})
    if (device, *key) not in tables:
        tables[device, *key] = make()
        if device.type == "cuda":  # others will read it on streams of their own
            torch.cuda.current_stream(device).synchronize()
    return tables[device, *key]


class Feed(ABC):
    """Source of batches; ``active`` are the positions of the members that still train.

    The steps of an epoch come in windows: rows of the samples of some steps, the last step's possibly fewer. ``fit``
    samples are learned from in an epoch, ``held_out`` are not.
    """

    shared: bool
    fit: int
    held_out: int

    @abstractmethod
    def windows(self, number: int, batch: int, active: Sequence[int]) -> Iterator[torch.Tensor]:
        """Yield the rows of some steps of one epoch after another, (samples,) or (members, samples)."""

    @abstractmethod
    def batches(self, rows: torch.Tensor, batch: int) -> Iterator[Batch]:
        """Yield the batches of a window."""

    @abstractmethod
    def validation(self, active: Sequence[int], slab: int) -> Iterator[Batch]:
        """Yield the samples held out."""


class SharedFeed(Feed):
    """One batch order for all members: x (batch, *shape), y (batch,)."""

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
        for part in self._order.held_out.to(self._table.y.device).split(slab):
            yield self._table.gather(part)


class OwnFeed(Feed):
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
        rows = torch.stack([self._orders[member].held_out for member in active]).to(self._table.y.device)
        for part in rows.split(max(1, slab // len(active)), dim=1):
            yield self._table.gather(part.contiguous())


class RaggedFeed(Feed):
    """Streams of unequal length; ``lengths`` are the samples of an epoch of each member, none is held out."""

    shared = False

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

    def windows(self, number: int, batch: int, active: Sequence[int]) -> Iterator[torch.Tensor]:
        """Refuse: members are in epochs of their own."""
        raise TypeError("streams of unequal length have no common epoch")

    def validation(self, active: Sequence[int], slab: int) -> Iterator[Batch]:
        """Yield nothing: no sample is held out."""
        return iter(())

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
