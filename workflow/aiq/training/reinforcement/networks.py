"""Value networks of many agents computed together: values, gradients by hand, one buffer for all numbers.

Agents are sorted by depth, the deepest first, so that each layer works on a prefix of them. Widths are padded with
zeros, which get no gradient and stay zero. Everything is laid out (agents, features, samples): the samples of one
agent are its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from aiq.config.training import Optimizer
from aiq.records.trial import Architecture
from aiq.training.flat import Flat, Shape

Weights = list[torch.Tensor]
"""One agent's tensors in the order of ``policies.networks.initial_weights``."""


@dataclass(frozen=True, slots=True)
class _Head:
    """The output layer of the agents of one depth: their places, and its tensors' position in the layout."""

    depth: int
    agents: slice
    tensors: int


class QNets:
    """Dense networks of any depths and widths, each on samples of its own.

    Args:
        architectures: of the dense family, sorted by depth, the deepest first.
        weights: of each network, in the order of ``networks.initial_weights``.
    """

    def __init__(self, architectures: Sequence[Architecture], weights: Sequence[Weights]) -> None:
        depths = [len(a.widths) for a in architectures]
        if depths != sorted(depths, reverse=True):
            raise ValueError("networks must be sorted by depth, the deepest first")
        self.architectures = tuple(architectures)
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
        """Return the layout's tensors: weight and bias of each hidden layer, then of each depth's output layer."""
        shapes: list[Shape] = []
        for before, after, count in zip((self.inputs, *self.widths), self.widths, self.counts, strict=False):
            shapes += [(count, after, before), (count, after, 1)]
        self.heads: list[_Head] = []
        for depth in sorted(set(depths), reverse=True):
            first, count = depths.index(depth), depths.count(depth)
            self.heads.append(_Head(depth, slice(first, first + count), len(shapes)))
            before = self.widths[depth - 1] if depth else self.inputs
            shapes += [(count, self.outputs, before), (count, self.outputs, 1)]
        return shapes

    def _member(self, views: Sequence[torch.Tensor], index: int) -> Weights:
        """Return one agent's tensors as views into those of the layout."""
        widths = self.architectures[index].widths
        tensors: Weights = []
        for layer, (before, after) in enumerate(itertools.pairwise((self.inputs, *widths))):
            tensors += [views[2 * layer][index, :after, :before], views[2 * layer + 1][index, :after, 0]]
        head = next(h for h in self.heads if h.agents.start <= index < h.agents.stop)
        weight, bias = (views[head.tensors + part][index - head.agents.start] for part in (0, 1))
        return [*tensors, weight[:, : (widths[-1] if widths else self.inputs)], bias[:, 0]]

    def put(self, buffer: torch.Tensor, weights: Sequence[Weights]) -> None:
        """Write every agent's tensors into a buffer of the layout."""
        views = self.flat.views(buffer)
        for index, tensors in enumerate(weights):
            for view, tensor in zip(self._member(views, index), tensors, strict=True):
                view.copy_(tensor.detach())

    def take(self, buffer: torch.Tensor, index: int) -> Weights:
        """Return a copy of one agent's tensors in a buffer of the layout."""
        return [view.clone() for view in self._member(self.flat.views(buffer), index)]

    def weights(self, index: int) -> Weights:
        """Return a copy of one agent's tensors."""
        return self.take(self.flat.values, index)

    def gradients(self, index: int) -> Weights:
        """Return a copy of one agent's last gradients."""
        return self.take(self.flat.gradients, index)

    def finite(self) -> list[bool]:
        """Return for each agent whether all its numbers are finite."""
        members = range(len(self.architectures))
        if bool(self.flat.values.isfinite().all()):
            return [True for _ in members]
        return [all(bool(t.isfinite().all()) for t in self.weights(index)) for index in members]

    def keep(self, members: Sequence[int], optimizer: Optimizer) -> QNets:
        """Return the networks of some positions (rising) alone, with their optimiser's state."""
        kept = QNets([self.architectures[index] for index in members], [self.weights(index) for index in members])
        states = {}
        for name, state in self.flat.states().items():
            if state.ndim:
                values = [self.take(state, index) for index in members]
                state = torch.zeros_like(kept.flat.values)
                kept.put(state, values)
            states[name] = state
        kept.flat.optimize(optimizer, states)
        return kept


class Pass:
    """A forward pass of some samples an agent, with buffers of its own, and the gradients of its first samples.

    Args:
        nets: the networks; their buffer of values, or another of its layout (``values``), is read at every call.
        samples: samples an agent.
        graded: how many of them, the first ones, have gradients; 0 if none.
    """

    def __init__(self, nets: QNets, samples: int, graded: int = 0, values: torch.Tensor | None = None) -> None:
        like = nets.flat.values
        self._nets, self._graded = nets, graded
        self._values = nets.flat.views(like if values is None else values)
        self._gradients = nets.flat.views(nets.flat.gradients)
        sizes = list(zip(nets.counts, nets.widths, strict=True))
        self._active = [like.new_zeros(count, width, samples) for count, width in sizes]
        self._inputs = [active[:count] for active, count in zip(self._active, nets.counts[1:], strict=False)]
        self._graded_active = [active[:, :, :graded] for active in self._active]
        self._slopes = [like.new_zeros(count, width, graded) for count, width in sizes]
        self.values = like.new_zeros(len(nets.architectures), nets.outputs, samples)
        self._heads = [self._head(depth) for depth in range(len(nets.heads))]

    def _head(self, number: int) -> tuple[torch.Tensor | None, torch.Tensor, torch.Tensor, torch.Tensor, slice]:
        """Return a head's input (None: the samples), output, weight and bias, and its agents."""
        head = self._nets.heads[number]
        source = self._active[head.depth - 1][head.agents] if head.depth else None
        return source, self.values[head.agents], *self._values[head.tensors : head.tensors + 2], head.agents

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the values of all actions (agents, actions, samples) of x (agents, inputs, samples)."""
        values = self._values
        for layer, active in enumerate(self._active):
            below = self._inputs[layer - 1] if layer else x[: len(active)]
            torch.baddbmm(values[2 * layer + 1], values[2 * layer], below, out=active)
            active.relu_()
        for source, result, weight, bias, agents in self._heads:
            torch.baddbmm(bias, weight, x[agents] if source is None else source, out=result)
        return self.values

    def backward(self, x: torch.Tensor, slope: torch.Tensor) -> None:
        """Fill the networks' gradients.

        Args:
            x: the graded samples (agents, inputs, graded).
            slope: derivatives by the values of all actions (agents, actions, graded).
        """
        for head in self._nets.heads:
            own = slope[head.agents]
            below = self._graded_active[head.depth - 1] if head.depth else x
            self._weigh(head.tensors, own, below[head.agents])
            if head.depth:
                into = self._slopes[head.depth - 1][head.agents]
                torch.bmm(self._values[head.tensors].transpose(1, 2), own, out=into)
        for layer in reversed(range(len(self._slopes))):
            own, active = self._slopes[layer], self._graded_active[layer]
            torch.ops.aten.threshold_backward(own, active, 0, grad_input=own)
            below = self._graded_active[layer - 1] if layer else x
            self._weigh(2 * layer, own, below[: len(own)])
            if layer:
                into = self._slopes[layer - 1][: len(own)]
                torch.bmm(self._values[2 * layer].transpose(1, 2), own, out=into)

    def _weigh(self, tensors: int, slope: torch.Tensor, below: torch.Tensor) -> None:
        """Fill the gradients of a weight and its bias."""
        torch.bmm(slope, below.transpose(1, 2), out=self._gradients[tensors])
        torch.sum(slope, 2, keepdim=True, out=self._gradients[tensors + 1])
