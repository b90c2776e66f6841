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
from aiq.training.checkpoints import Memory, State
from aiq.training.feeds import Batch, Table
from aiq.training.networks.dense import DenseNets
from aiq.training.orders import Order
from aiq.training.population import Build, Member, Outcome, Run, go
from aiq.training.stopping import Report


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

    def steps(self, start: int, stop: int, batch: int, active: Sequence[int]) -> Iterator[tuple[Batch, bool]]:
        """Yield the batches of some steps, in none of which but the last a member ends an epoch.

        A batch is x (members, batch, *shape), y (members, batch), with labels -1 for no sample; with it goes
        whether there are any such.
        """
        rows = torch.stack([self._rows(member, start, stop, batch) for member in active], 1).to(self._table.device)
        for row in rows[:-1]:
            yield self._table.gather(row), False
        missing = rows[-1] < 0
        x, y = self._table.gather(rows[-1].clamp(min=0))
        partial = bool(missing.any())
        yield (x, y.masked_fill(missing, -1) if partial else y), partial

    def epoch(self, number: int, batch: int, active: Sequence[int]) -> Iterator[Batch]:
        """Refuse: members are in epochs of their own."""
        raise TypeError("streams of unequal length have no common epoch")

    def validation(self, active: Sequence[int], slab: int) -> Iterator[Batch]:
        """Yield nothing: no sample is held out."""
        return iter(())

    def _rows(self, member: int, start: int, stop: int, batch: int) -> torch.Tensor:
        """Return the rows that a member sees at some steps of one epoch (steps, batch), filled up with -1."""
        every = -(-self.lengths[member] // batch)
        epoch, place = divmod(start, every)
        known = self._epochs.get(member)
        if known is None or known[0] != epoch:
            filled = torch.full((every * batch,), -1, dtype=torch.int64)
            filled[: self.lengths[member]] = self._orders[member].epoch(epoch)
            known = self._epochs[member] = (epoch, filled.view(every, batch))
        return known[1][place : place + stop - start]


class RaggedRun(Run):
    """A training under way that stops at every end of an epoch of any member; ``_steps`` counts steps."""

    compact_below = 1.0

    def __init__(self, members: Sequence[Member], feed: RaggedFeed, settings: Training, build: Build) -> None:
        super().__init__(members, feed, settings, build)
        self._ragged, self._size = feed, min(settings.batch_size, feed.fit)
        self._every = [-(-length // self._size) for length in feed.lengths]
        self._lost = np.zeros(len(members))

    def epoch(self) -> None:
        """Take steps until a member ends an epoch."""
        nets = self._nets
        if not isinstance(nets, DenseNets):
            raise TypeError("only dense networks train on streams of unequal length")
        stop = min((self._steps // self._every[i] + 1) * self._every[i] for i in self.active)
        for (x, y), partial in self._ragged.steps(self._steps, stop, self._size, self.active):
            if partial:
                nets.partial_step(x, y)
            else:
                self._launch(x, y)
        self._steps = stop

    def _ended(self) -> list[tuple[int, int, float]]:
        """Return place, number and loss of the members that have just ended an epoch."""
        for place, loss in enumerate(self._nets.losses()):
            self._lost[self.active[place]] += loss
        ended = [(place, i) for place, i in enumerate(self.active) if self._steps % self._every[i] == 0]
        found = [(place, i, float(self._lost[i]) / self._ragged.lengths[i]) for place, i in ended]
        for _, i in ended:
            self._lost[i] = 0.0
        return found

    def state(self) -> State:
        """Return the state after the end of some member's epoch."""
        return {**super().state(), "lost": self._lost.copy()}

    def restore(self, state: State, build: Build) -> None:
        """Go on from a state of the same training; see ``Run.restore``."""
        lost = np.array(state["lost"], dtype=np.float64)
        if lost.shape != self._lost.shape:
            raise ValueError(f"it has losses of {len(lost)} members, this training {len(self._lost)}")
        super().restore(state, build)
        self._lost = lost


def train(
    members: Sequence[Member],
    feed: RaggedFeed,
    settings: Training,
    build: Build,
    report: Report | None = None,
    memory: Memory | None = None,
) -> list[Outcome]:
    """Train dense networks of one architecture, each until it has finished or diverged; see ``population.train``.

    Raises:
        ValueError: there is a rule of convergence (members with held-out parts train by length).
    """
    if settings.convergence is not None:
        raise ValueError("streams of unequal length are trained without a rule of convergence")
    return go(lambda: RaggedRun(members, feed, settings, build), build, report, memory)
