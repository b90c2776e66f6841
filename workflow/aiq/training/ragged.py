"""Networks whose streams of samples differ in length, trained as one population.

Every network takes the steps that it would take alone: all of them are at the same step, each in its own epoch, and
one that has taken its last step leaves. Where an epoch's last batch is smaller than the others, the batch is filled
up with samples labelled -1, which add nothing to loss or gradient (``DenseNets.partial_step``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from aiq.config.training import Training
from aiq.training.checkpoints import State
from aiq.training.device import accelerated
from aiq.training.feeds import WINDOW, Batch, Table
from aiq.training.networks.dense import DenseNets
from aiq.training.orders import CPU, Order
from aiq.training.population import Build, Member, Run


class RaggedFeed:
    """Streams of unequal length.

    Attributes:
        lengths: samples of an epoch of each member.
        fit: the largest of them.
        held_out: none are.
    """

    shared = False

    def __init__(self, table: Table, orders: Sequence[Order]) -> None:
        self._table, self._orders = table, tuple(orders)
        self.lengths = tuple(len(order.fit) for order in orders)
        self.fit, self.held_out = max(self.lengths), 0
        self._epochs: dict[int, tuple[int, torch.Tensor]] = {}

    def steps(self, start: int, stop: int, batch: int, active: Sequence[int]) -> torch.Tensor:
        """Return the rows of some steps (steps, members, batch), in none of which but the last a member ends an epoch.

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


class RaggedRun(Run):
    """A training under way that stops at every end of an epoch of any member; ``_steps`` counts steps."""

    def __init__(self, members: Sequence[Member], feed: RaggedFeed, settings: Training, build: Build) -> None:
        super().__init__(members, feed, settings, build)
        if settings.convergence is not None:
            raise ValueError("streams of unequal length are trained without a rule of convergence")
        self._compact_below = 1.0
        self._ragged, self._size = feed, min(settings.batch_size, feed.fit)
        self._every = [-(-length // self._size) for length in feed.lengths]
        self._lost = np.zeros(len(members))

    def epoch(self) -> Iterator[None]:
        """Take steps until a member ends an epoch, a window in each turn."""
        nets = self._nets
        if not isinstance(nets, DenseNets):
            raise TypeError("only dense networks train on streams of unequal length")
        stop = min((self._steps // self._every[i] + 1) * self._every[i] for i in self.active)
        rows = self._ragged.steps(self._steps, stop, self._size, self.active)
        partial = any(stop % self._every[i] == 0 and self._ragged.lengths[i] % self._size for i in self.active)
        full = rows[:-1] if partial else rows
        for window in full.split(WINDOW if self._accelerated else 1):
            self._launch(window)
            yield
        if partial:
            nets.partial_step(*self._ragged.last(rows[-1]))
        self._steps = stop

    def _count(self, rows: torch.Tensor) -> int:
        return len(rows)

    def _ended(self, losses: Sequence[float]) -> list[tuple[int, int, float]]:
        """Return place, number and loss of the members that have just ended an epoch."""
        for place, loss in enumerate(losses):
            self._lost[self.active[place]] += loss
        ended = [(place, i) for place, i in enumerate(self.active) if self._steps % self._every[i] == 0]
        means = [(place, i, float(self._lost[i]) / self._ragged.lengths[i]) for place, i in ended]
        for _, i in ended:
            self._lost[i] = 0.0
        return means

    def state(self) -> State:
        """Return the state after the end of some member's epoch."""
        return {**super().state(), "lost": self._lost.copy()}

    def restore(self, state: State) -> None:
        """Go on from a state of the same training; see ``Run.restore``."""
        lost = np.array(state["lost"], dtype=np.float64)
        if lost.shape != self._lost.shape:
            raise ValueError(f"it has losses of {len(lost)} members, this training {len(self._lost)}")
        super().restore(state)
        self._lost = lost
