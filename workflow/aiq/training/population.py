"""Train a population of networks at once; every member comes out as if it were trained alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from aiq.config.training import Training
from aiq.records.trial import Architecture
from aiq.training import checkpoints
from aiq.training.checkpoints import Memory, Progress, State, going_on
from aiq.training.dense import DenseNets
from aiq.training.device import Launcher, Turns, accelerated
from aiq.training.feeds import WINDOW, Feed, RaggedFeed
from aiq.training.flat import Classifiers, Weights
from aiq.training.reference import SLAB

COMPACT = 0.85
"""The population is laid out anew when no more than this share of its layout still trains."""

COMPACT_ON_GPU = 0.5
"""The same on a GPU, where stopped members cost little and steps have to be recorded anew."""

Build = Callable[[Sequence[Architecture], Sequence[Weights]], Classifiers]
"""Makes networks of architectures and weights."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """How the training of one member went, the steps it took and its final weights."""

    curve: Progress
    steps: int
    weights: Weights


def by_turns(make: Callable[[], Run], memory: Memory | None = None) -> Turns[list[Outcome]]:
    """Train until each member has finished, converged or diverged, a window of steps in each turn.

    A member that stops is recorded at once and no longer matters to anything; the others are laid out anew as soon as
    enough have stopped, so that stopped ones no longer cost. With a memory the training goes on where an interrupted
    one was kept, and is offered to be kept after every epoch.
    """
    memory = memory or Memory()
    name = memory.population()

    def resumed(state: State) -> Run:
        run = make()
        run.restore(state)
        return run

    run = going_on(memory.interrupted.get(name), resumed) or make()
    while run.active:
        began = time.perf_counter()
        for _ in run.epoch():
            stopped = time.perf_counter()
            yield 0
            began += time.perf_counter() - stopped  # the time of others is theirs
        run.record(began)
        run.compact()
        memory.keep(name, run.state, not run.active)
    return [outcome for outcome in run.outcomes if outcome is not None]


class Run:
    """A training under way: ``active`` are the members in the layout, some of which may have stopped."""

    def __init__(
        self,
        architectures: Sequence[Architecture],
        weights: Sequence[Weights],
        feed: Feed,
        settings: Training,
        build: Build,
    ) -> None:
        self._architectures, self._initial = architectures, weights
        self._settings, self._feed, self._build = settings, feed, build
        self._cost = [sum(tensor.numel() for tensor in tensors) for tensors in weights]
        self._curves = [Progress(settings.epochs, settings.convergence) for _ in weights]
        self._accelerated = accelerated(weights[0][0].device)
        self._compact_below = COMPACT_ON_GPU if self._accelerated else COMPACT
        self.active = list(range(len(weights)))
        self._lay_out()
        self._epoch = self._steps = 0
        self.outcomes: list[Outcome | None] = [None] * len(weights)

    def _lay_out(self) -> None:
        members = self.active
        self._nets = self._build([self._architectures[i] for i in members], [self._initial[i] for i in members])
        self._nets.flat.optimize(self._settings.optimizer)
        self._launch = self._launcher()

    def _launcher(self) -> Launcher:
        nets, feed, batch = self._nets, self._feed, self._settings.batch_size

        def steps(rows: torch.Tensor) -> None:
            for x, y in feed.batches(rows, batch):
                nets.step(x, y)

        return Launcher(steps, self._count)

    def epoch(self) -> Iterator[None]:
        """Take the steps of one epoch, a window in each turn."""
        batch = self._settings.batch_size
        for rows in self._feed.windows(self._epoch, batch, self.active):
            self._launch(rows)
            self._steps += self._count(rows)
            yield
        self._epoch += 1

    def _count(self, rows: torch.Tensor) -> int:
        return -(-rows.shape[-1] // self._settings.batch_size)

    def record(self, began: float) -> None:
        """Give each member that has ended an epoch its numbers and keep the weights of those that stop."""
        on = [i for i in self.active if self._curves[i].status is None]
        losses, finite, accuracies = self._read()
        for place, i, loss in self._ended(losses):
            if self._curves[i].epoch(loss, finite[place], accuracies[place]) is not None:
                self.outcomes[i] = Outcome(self._curves[i], self._steps, self._nets.weights(place))
        seconds = time.perf_counter() - began
        total = sum(self._cost[i] for i in on)
        for i in on:
            self._curves[i].seconds += seconds * self._cost[i] / total

    def _read(self) -> tuple[list[float], list[bool], list[float] | list[None]]:
        """Return each active member's loss, whether its weights are finite, and its held-out accuracy or None.

        One look at the device gives all: each look waits until everything has been computed. Another one tells the
        members apart if some weights are not finite.
        """
        parts = [self._nets.losses(), self._nets.sound().reshape(1)]
        if self._feed.held_out:
            right = [self._nets.right(x, y) for x, y in self._feed.validation(self.active, SLAB)]
            parts.append(torch.stack(right).sum(0))
        numbers = torch.cat([part.to(torch.float64) for part in parts]).tolist()
        count = len(self.active)
        finite = [True] * count if numbers[count] else self._nets.finite()
        if not self._feed.held_out:
            return numbers[:count], finite, [None] * count
        validation = numbers[count + 1 :]
        if self._nets.numeric:  # standardised numbers: 1 less the mean squared error
            return numbers[:count], finite, [1 - error / self._feed.held_out for error in validation]
        return numbers[:count], finite, [int(right) / self._feed.held_out for right in validation]

    def _ended(self, losses: Sequence[float]) -> list[tuple[int, int, float]]:
        """Return place, number and mean loss of the members that have just ended an epoch: all that still train."""
        on = [(place, i) for place, i in enumerate(self.active) if self._curves[i].status is None]
        return [(place, i, losses[place] / self._feed.fit) for place, i in on]

    def compact(self) -> None:
        """Lay the population out anew without those that have stopped, if they are many."""
        going = [place for place, i in enumerate(self.active) if self._curves[i].status is None]
        if len(going) == len(self.active) or len(going) > self._compact_below * len(self.active):
            return
        self.active = [self.active[place] for place in going]
        if going:
            self._nets = self._nets.keep(going, self._settings.optimizer)
            self._launch = self._launcher()

    def state(self) -> State:
        """Return the state after an epoch."""
        outcomes = {
            f"{i:06d}": {"steps": outcome.steps, "weights": checkpoints.pack_tensors(outcome.weights)}
            for i, outcome in enumerate(self.outcomes)
            if outcome is not None
        }
        return {
            "epoch": self._epoch,
            "steps": self._steps,
            "active": np.array(self.active, dtype=np.int64),
            "curves": {f"{i:06d}": curve.state() for i, curve in enumerate(self._curves)},
            "outcomes": outcomes,
            "nets": checkpoints.pack_nets(self._nets) if self.active else {},
        }

    def restore(self, state: State) -> None:
        """Go on from a state of the same training.

        Raises:
            LookupError, TypeError, ValueError, RuntimeError: the state is of another training.
        """
        if len(state["curves"]) != len(self._curves):
            raise ValueError(f"it has {len(state['curves'])} members, this training {len(self._curves)}")
        for i, curve in enumerate(self._curves):
            curve.restore(state["curves"][f"{i:06d}"])
        for name, kept in state["outcomes"].items():
            weights = checkpoints.unpack_tensors(kept["weights"], self._initial[int(name)])
            self.outcomes[int(name)] = Outcome(self._curves[int(name)], int(kept["steps"]), weights)
        self._epoch, self._steps = int(state["epoch"]), int(state["steps"])
        self.active = [int(i) for i in state["active"]]
        if self.active:
            self._lay_out()
            checkpoints.unpack_nets(self._nets, state["nets"])


class RaggedRun(Run):
    """A training on streams of unequal length; it stops at every end of an epoch of any member.

    Every network takes the steps that it would take alone: all of them are at the same step, each in its own epoch, and
    one that has taken its last step leaves. Where an epoch's last batch is smaller than the others, the batch is filled
    up with samples labelled -1, which add nothing to loss or gradient (``DenseNets.partial_step``).
    """

    def __init__(
        self,
        architectures: Sequence[Architecture],
        weights: Sequence[Weights],
        feed: RaggedFeed,
        settings: Training,
        build: Build,
    ) -> None:
        super().__init__(architectures, weights, feed, settings, build)
        self._compact_below = 1.0
        self._ragged, self._size = feed, min(settings.batch_size, feed.fit)
        self._every = [-(-length // self._size) for length in feed.lengths]
        self._lost = np.zeros(len(weights))

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
