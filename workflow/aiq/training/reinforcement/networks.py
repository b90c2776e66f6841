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

from aiq.records.trial import Architecture
from aiq.training.networks.flat import Flat, Nets, Shape, Weights


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
        if depths != sorted(depths, reverse=True):
            raise ValueError("networks must be sorted by depth, the deepest first")
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
        """Return the layout's tensors: weights of the hidden layers and of each depth's output layer, then biases."""
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

    def finite(self) -> list[bool]:
        """Return for each agent whether all its numbers are finite."""
        if bool(self.flat.values.isfinite().all()):
            return [True] * len(self.architectures)
        return super().finite()


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
