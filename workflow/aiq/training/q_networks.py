"""Value networks of many agents computed together, what they remember, and how they learn from it.

Agents are sorted by depth, the deepest first, so that each layer works on a prefix of them. Widths are padded with
zeros, which get no gradient and stay zero. Everything is laid out (agents, features, samples): the samples of one
agent are its own. Values and gradients are computed by hand, all numbers lie in one buffer.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from aiq.config.training import HardUpdate, Reinforcement, SoftUpdate
from aiq.records.trial import Architecture
from aiq.training.checkpoints import State, pack_nets, unpack_nets
from aiq.training.flat import Flat, Nets, Shape, Weights

REST = 3
"""Numbers kept beside an observation: action, reward, and 1 unless the episode ended (terminated)."""


@dataclass(frozen=True, slots=True)
class Head:
    """The output layer of the agents of one depth: their places, and its number among the layers."""

    depth: int
    agents: slice
    layer: int


class QNets(Nets):
    """Dense networks of any depths and widths, sorted by depth, the deepest first, each on samples of its own."""

    def __init__(
        self, architectures: Sequence[Architecture], weights: Sequence[Weights], *, shared: bool = True
    ) -> None:
        super().__init__(architectures, shared=shared)
        depths = [len(a.widths) for a in architectures]
        sample = weights[0][0]
        self.inputs, self.outputs = sample.shape[1], len(weights[0][-1])
        self.counts = [sum(d > layer for d in depths) for layer in range(depths[0])]
        self.widths = [
            max(a.widths[layer] for a in architectures if len(a.widths) > layer) for layer in range(depths[0])
        ]
        self.flat = Flat(self._shapes(depths), sample.device, sample.dtype)
        self.put(self.flat.values, weights)
        self._gradients = self.flat.views(self.flat.gradients)

    def _shapes(self, depths: Sequence[int]) -> list[Shape]:
        shapes: list[Shape] = []
        for before, after, count in zip((self.inputs, *self.widths), self.widths, self.counts, strict=False):
            shapes.append((count, after, before))
        self.heads: list[Head] = []
        for depth in sorted(set(depths), reverse=True):
            first, count = depths.index(depth), depths.count(depth)
            self.heads.append(Head(depth, slice(first, first + count), len(shapes)))
            shapes.append((count, self.outputs, self.widths[depth - 1] if depth else self.inputs))
        self.layers = len(shapes)
        return shapes + [(*shape[:2], 1) for shape in shapes]

    def _member(self, views: Sequence[torch.Tensor], index: int) -> Weights:
        widths = self.architectures[index].widths
        tensors: Weights = []
        for layer, (before, after) in enumerate(itertools.pairwise((self.inputs, *widths))):
            tensors += [views[layer][index, :after, :before], views[self.layers + layer][index, :after, 0]]
        head = next(h for h in self.heads if h.agents.start <= index < h.agents.stop)
        weight, bias = (views[layer][index - head.agents.start] for layer in (head.layer, self.layers + head.layer))
        return [*tensors, weight[:, : (widths[-1] if widths else self.inputs)], bias[:, 0]]


class Pass:
    """A forward pass of some samples an agent, with buffers of its own, and the gradients of its first samples.

    Attributes:
        values: (agents, actions, samples), what ``forward`` computed last.
        slopes: (agents, actions, graded), the derivatives by the first values, to be filled before ``backward``.

    Args of the constructor: the networks; x (agents, inputs, samples), a buffer that is read at every call; how many
    samples, the first ones, have gradients (0 if none); another buffer of the networks' layout instead of their own.
    """

    def __init__(self, nets: QNets, x: torch.Tensor, graded: int = 0, buffer: torch.Tensor | None = None) -> None:
        like, samples = nets.flat.values, x.shape[2]
        tensors = nets.flat.views(like if buffer is None else buffer)
        self._weights, self._biases = tensors[: nets.layers], tensors[nets.layers :]
        self._active = [like.new_zeros(*sizes, samples) for sizes in zip(nets.counts, nets.widths, strict=True)]
        self.values = like.new_zeros(len(nets.architectures), nets.outputs, samples)
        below = [x, *self._active]
        # bias, weight, input and result of every hidden layer, then of every output layer
        self._hidden = [
            (self._biases[layer], self._weights[layer], below[layer][: len(active)], active)
            for layer, active in enumerate(self._active)
        ]
        self._heads = [
            (self._biases[h.layer], self._weights[h.layer], below[h.depth][h.agents], self.values[h.agents])
            for h in nets.heads
        ]
        if graded:
            self._lay_slopes(nets, x, graded)

    def _lay_slopes(self, nets: QNets, x: torch.Tensor, graded: int) -> None:
        """List what the gradients need: the derivatives by all nodes lie in one buffer in the order of the biases."""
        flat = nets.flat
        layout = flat.views(torch.arange(len(flat.values)))[nets.layers :]
        first, last = int(layout[0].min()), len(flat.values)
        rows = flat.values.new_zeros(last - first, graded)
        nodes = [
            rows[int(places.min()) - first :][: places.numel()].view(*places.shape[:2], graded) for places in layout
        ]
        self._bias_slopes, self._bias_gradients = rows, flat.gradients[first:]
        self.slopes = flat.values.new_zeros((*self.values.shape[:2], graded))
        gradients = flat.views(flat.gradients)
        below = [x[:, :, :graded], *(active[:, :, :graded] for active in self._active)]
        self._head_steps, self._steps = [], []
        for head in nets.heads:
            own, source = nodes[head.layer], below[head.depth][head.agents].transpose(1, 2)
            into = nodes[head.depth - 1][head.agents] if head.depth else None
            buffers = (self.slopes[head.agents], own, source, gradients[head.layer])
            self._head_steps.append((*buffers, self._weights[head.layer].transpose(1, 2), into))
        for layer in reversed(range(len(self._active))):
            own, source = nodes[layer], below[layer][: len(self._active[layer])].transpose(1, 2)
            into = nodes[layer - 1][: len(own)] if layer else None
            buffers = (own, below[layer + 1], source, gradients[layer])
            self._steps.append((*buffers, self._weights[layer].transpose(1, 2), into))

    def forward(self) -> torch.Tensor:
        """Compute and return the values of all actions (agents, actions, samples)."""
        for bias, weight, below, active in self._hidden:
            torch.baddbmm(bias, weight, below, out=active)
            active.relu_()
        for bias, weight, below, values in self._heads:
            torch.baddbmm(bias, weight, below, out=values)
        return self.values

    def backward(self) -> None:
        """Fill the networks' gradients from ``slopes``."""
        for given, own, source, gradient, weight, into in self._head_steps:
            own.copy_(given)
            torch.bmm(own, source, out=gradient)
            if into is not None:
                torch.bmm(weight, own, out=into)
        for own, active, source, gradient, weight, into in self._steps:
            torch.ops.aten.threshold_backward(own, active, 0, grad_input=own)
            torch.bmm(own, source, out=gradient)
            if into is not None:
                torch.bmm(weight, own, out=into)
        torch.sum(self._bias_slopes, 1, out=self._bias_gradients)


class Greedy:
    """Agents that take the action of the largest value, each in so many worlds side by side."""

    def __init__(self, nets: QNets, episodes: int) -> None:
        self._x = nets.flat.values.new_zeros(len(nets.architectures), nets.inputs, episodes)
        self._pass = Pass(nets, self._x)

    def __call__(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the actions (agents * episodes,) for observations (agents * episodes, observations)."""
        agents, inputs, episodes = self._x.shape
        self._x.copy_(observations.reshape(agents, episodes, inputs).transpose(1, 2))
        return self._pass.forward().max(1).indices.flatten()


class Replay:
    """Rings of the last transitions of agents that act in lockstep, and the observation that each acts on now.

    A transition is one row of two halves, (observation, action, reward, going on) and (next observation, unused),
    padded to multiples of four numbers: a random read touches one place in memory, and an episode's end needs no care,
    at the price of keeping most observations twice. The memory is touched, and so used, as it fills. ``rewards`` is
    what every step is paid, or None if it is told at each.
    """

    def __init__(
        self, agents: int, capacity: int, observations: int, *, rewards: float | None, device: torch.device
    ) -> None:
        self.observations, self.half = observations, -(-(observations + REST) // 4) * 4
        self._slots, self._paid = capacity + 1, rewards is not None
        self._rows = torch.empty(agents, self._slots, 2, self.half, dtype=torch.float32, device=device)
        self._stage = torch.zeros(agents, 2, self.half, dtype=torch.float32, device=device)
        if rewards is not None:
            self._stage[:, 0, observations + 1] = rewards
        self._look()

    def _look(self) -> None:
        observations = self.observations
        self.now, self._next = self._stage[:, 0, :observations], self._stage[:, 1, :observations]
        self._action, self._reward, self._going = (self._stage[:, 0, observations + place] for place in range(REST))
        self._flat = self._rows.view(-1, self.half)

    def begin(self, step: int, observation: torch.Tensor) -> None:
        """Take in the observations (agents, observations) on which the agents act at a step (counted from 0)."""
        self.now.copy_(observation)
        self._rows[:, step % self._slots, 0, : self.observations] = observation

    def end(
        self, step: int, action: torch.Tensor, reward: torch.Tensor, terminated: torch.Tensor, after: torch.Tensor
    ) -> None:
        """Complete the transition of a step; ``after`` are the observations before any restart."""
        self._action.copy_(action)
        if not self._paid:
            self._reward.copy_(reward)
        torch.logical_not(terminated, out=self._going)
        self._next.copy_(after)
        self._rows[:, step % self._slots] = self._stage

    def places(self, steps: Sequence[int], ages: np.ndarray) -> torch.Tensor:
        """Return where the transitions of some ages lie, and the observation under way: rows for ``read``, int64.

        Steps (steps,) are those at which they are learnt from, ages are (steps, agents, batch), 0 the newest kept
        before the step; the rows are (steps, agents * (2 batch + 1)).
        """
        count, agents, batch = ages.shape
        now = (np.asarray(steps, np.int64) % self._slots)[:, None, None]
        slots = now - 1 - ages
        np.add(slots, self._slots, out=slots, where=slots < 0)
        first = self._slots * np.arange(agents)[None, :, None]
        rows = np.empty((count, agents, 2 * batch + 1), np.int64)
        np.add(slots, first, out=slots)
        np.multiply(slots, 2, out=rows[:, :, :batch])
        np.add(rows[:, :, :batch], 1, out=rows[:, :, batch : 2 * batch])
        rows[:, :, -1:] = 2 * (now + first)
        return torch.from_numpy(rows.reshape(count, agents * (2 * batch + 1))).to(self._rows.device)

    def read(self, places: torch.Tensor, out: torch.Tensor) -> None:
        """Read rows into ``out`` (agents * (2 batch + 1), half): first halves, second halves, the one under way."""
        torch.index_select(self._flat, 0, places, out=out)

    def state(self, step: int) -> State:
        """Return the rows filled before a step, agent by agent, and the row under way; arrays of a CPU share memory."""
        filled = min(step + 1, self._slots)
        rows = {f"{agent:06d}": own[:filled].cpu().numpy() for agent, own in enumerate(self._rows)}
        return {"rows": rows, "stage": self._stage.cpu().numpy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on with the rows of a state of as many agents."""
        if len(state["rows"]) != len(self._rows):
            raise ValueError(f"it holds the memory of {len(state['rows'])} agents, not of {len(self._rows)}")
        for agent, own in enumerate(self._rows):
            kept = torch.from_numpy(state["rows"][f"{agent:06d}"])
            own[: len(kept)].copy_(kept)
        self._stage.copy_(torch.from_numpy(state["stage"]))

    def keep(self, agents: Sequence[int]) -> None:
        """Go on with these agents (rising) alone; the memory of the others is given back where that is possible."""
        for place, agent in enumerate(agents):
            if place != agent:
                self._rows[place].copy_(self._rows[agent])
        self._rows = self._rows[: len(agents)]
        self._stage = self._stage[list(agents)]
        self._look()


class Learning:
    """Networks with their targets, on batches of transitions of their own (Mnih et al. 2015).

    The target of a transition is r + discount * V(s'), without the second part where the episode terminated (not
    where it was cut off). V is the target network's value of the action that the online network prefers (double,
    van Hasselt et al. 2016), or its largest value.
    """

    def __init__(self, nets: QNets, settings: Reinforcement, replay: Replay, targets: torch.Tensor | None = None):
        self.nets, self._settings = nets, settings
        self.targets = nets.flat.values.clone() if targets is None else targets
        batch, agents, observations = settings.batch_size, len(nets.architectures), replay.observations
        like = nets.flat.values
        self._batch, self._replay, self._updates = batch, replay, 0
        self._read = torch.zeros(agents * (2 * batch + 1), replay.half, dtype=torch.float32, device=like.device)
        rows = self._read.view(agents, 2 * batch + 1, replay.half)
        self._seen = rows[:, :, :observations].transpose(1, 2)
        self._action, self._reward, self._going = (rows[:, None, :batch, observations + place] for place in range(3))
        self._same = like.dtype == torch.float32
        x = self._seen if self._same else like.new_zeros(self._seen.shape)
        self._x, self._one = x, like.new_zeros(agents, observations, 1)
        self._all, self._live = Pass(nets, x, batch), Pass(nets, self._one)
        self._target = Pass(nets, x[:, :, batch : 2 * batch], buffer=self.targets)
        self._taken, self._after = self._all.values[:, :, :batch], self._all.values[:, :, batch : 2 * batch]
        self._now = self._all.values[:, :, -1]
        self._losses = like.new_zeros(agents, 1, batch)

    def values(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the online values (agents, actions) of one observation an agent."""
        self._one[:, :, 0] = observation
        return self._live.forward()[:, :, 0]

    def read(self, places: torch.Tensor) -> torch.Tensor:
        """Read batches, compute the online values of all they hold, and return those of the observation under way."""
        self._replay.read(places, self._read)
        if not self._same:
            self._x.copy_(self._seen)
        self._all.forward()
        return self._now

    def update(self) -> None:
        """Take one step along the loss of the batches read last, and let soft targets follow."""
        settings = self._settings
        later = self._target.forward()
        best = (self._after if settings.double else later).max(1, keepdim=True).indices
        action = self._action.to(torch.int64)
        goal = torch.addcmul(self._reward, self._going, later.gather(1, best), value=settings.discount)
        difference = self._taken.gather(1, action).sub_(goal)
        self._all.slopes.zero_().scatter_(1, action, self._lose(difference))
        self._all.backward()
        self.nets.flat.update()
        self._updates += 1
        if isinstance(settings.target, SoftUpdate):
            self.targets.lerp_(self.nets.flat.values, settings.target.rate)

    def _lose(self, difference: torch.Tensor) -> torch.Tensor:
        """Add the losses to the sums and return their derivatives by the values taken."""
        if self._settings.loss == "mse":
            self._losses.addcmul_(difference, difference)
            return difference.mul_(2 / self._batch)
        inside = difference.clamp(-1, 1)
        self._losses.addcmul_(inside, difference).addcmul_(inside, inside, value=-0.5)
        return inside.mul_(1 / self._batch)

    def tick(self, step: int) -> None:
        """Copy hard targets where they are due after a step (counted from 0)."""
        target = self._settings.target
        if isinstance(target, HardUpdate) and (step + 1) % target.every == 0:
            self.targets.copy_(self.nets.flat.values)

    def losses(self) -> list[float]:
        """Return each agent's mean loss since the last call, 0 if there was no update."""
        means = self._losses.double().sum((1, 2)) / (self._batch * max(1, self._updates))
        self._losses.zero_()
        self._updates = 0
        return list(means.tolist())

    def state(self) -> State:
        """Return networks, optimiser, targets, and the losses since the last call of ``losses``."""
        return {
            "nets": pack_nets(self.nets),
            "targets": self.targets.cpu().numpy().copy(),
            "losses": self._losses.cpu().numpy().copy(),
            "updates": self._updates,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of networks of the same layout; see ``unpack_nets``."""
        unpack_nets(self.nets, state["nets"])
        self.targets.copy_(torch.from_numpy(np.array(state["targets"])))
        self._losses.copy_(torch.from_numpy(np.array(state["losses"])))
        self._updates = int(state["updates"])

    def keep(self, agents: Sequence[int]) -> Learning:
        """Return the learning of some agents (rising) alone; called after their replay has been cut likewise."""
        nets = self.nets.keep(agents, self._settings.optimizer)
        targets = torch.zeros_like(nets.flat.values)
        nets.put(targets, [self.nets.take(self.targets, agent) for agent in agents])
        return Learning(nets, self._settings, self._replay, targets)
