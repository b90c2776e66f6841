"""Dense networks of one architecture, each on samples of its own, in rounded products with compiled loops between them.

A step of many small networks is dear by its calls and its passes over memory. Here five calls of loops
(``loops.cross_entropy``) stand for thirty of torch; the products are torch's.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch

from aiq.records.trial import Architecture
from aiq.training.networks import loops
from aiq.training.networks.dense import DenseNets
from aiq.training.networks.rounded_products import LOW


def suits(architecture: Architecture, like: torch.Tensor, *, shared: bool, rounded: bool) -> bool:
    """Return whether ``DenseStreams`` computes networks of an architecture, with weights like some."""
    return rounded and not shared and bool(architecture.widths) and loops.usable(like)


class DenseStreams(DenseNets):
    """Dense networks of one architecture with a hidden layer at least, not shared, rounded; see ``DenseNets``."""

    def __init__(
        self,
        architectures: Sequence[Architecture],
        weights: Sequence[Sequence[torch.Tensor]],
        *,
        shared: bool = False,
        rounded: bool = True,
    ) -> None:
        super().__init__(architectures, weights, shared=shared, rounded=rounded)
        self._lost = np.zeros(len(self.architectures))
        self._buffers: dict[int, Buffers] = {}

    def losses(self) -> torch.Tensor:
        """Return each network's loss summed over the samples of the steps since the last call, (networks,), float64."""
        lost, self._lost = self._lost, np.zeros_like(self._lost)
        return torch.from_numpy(lost)[self._slots]

    def differentiate(self, x: torch.Tensor, y: torch.Tensor, scale: torch.Tensor | None = None) -> None:
        """Compute the gradients of the mean cross-entropy of a batch and add the losses; see ``DenseNets``."""
        from aiq.training.networks.loops import cross_entropy

        x, held = x.to(LOW), self._held(x.shape[1])
        top, first = held.layers[0], held.layers[-1]
        held.shares.fill(1 / x.shape[1])
        if scale is not None:
            held.shares *= scale.numpy().ravel()
        torch.bmm(self.flat.low().view(self._first_shape), x.transpose(1, 2), out=held.low)
        cross_entropy.enter(held.bits, first.biases, first.numbers)
        for below, layer in pairwise(reversed(held.layers)):
            torch.bmm(layer.weights, below.results, out=layer.results)
            if layer is not top:
                cross_entropy.rectify(layer.numbers, layer.biases)
        cross_entropy.lose(top.numbers, top.biases, y.numpy(), held.shares, self._lost, top.of_biases)
        for layer, below in pairwise(held.layers):
            torch.bmm(layer.slopes, below.results.transpose(1, 2), out=layer.of_weights)
            torch.bmm(layer.weights.transpose(1, 2), layer.slopes, out=below.slopes)
            if below is not first:
                cross_entropy.back(below.slope_numbers, below.numbers, below.of_biases)
        cross_entropy.leave(first.slope_numbers, first.numbers, first.of_biases, held.bits)
        self._gradients[0] = torch.bmm(held.low, x, out=held.of_first).view_as(self._values[0])

    def _held(self, batch: int) -> Buffers:
        """Return what a step of a batch size writes into."""
        if batch not in self._buffers:
            self._buffers[batch] = Buffers(self._values, self._gradients, len(self.architectures), batch)
        return self._buffers[batch]


class Layer:
    """One layer of all networks at one batch size; arrays share the memory of torch's tensors.

    Attributes:
        weights, of_weights: with their gradients, (networks, nodes, nodes below).
        biases, of_biases: with their gradients, (networks, nodes), arrays.
        results: (networks, nodes, batch), of hidden nodes after ReLU; ``numbers`` is their array.
        slopes: gradients of the results, for hidden nodes before ReLU; those of outputs take the results' place.
            ``slope_numbers`` is their array.
    """

    def __init__(
        self, values: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor], networks: int, batch: int, *, top: bool
    ) -> None:
        (weights, biases), (of_weights, of_biases) = values, gradients
        self.weights, self.of_weights = (t.view(networks, -1, weights.shape[-1]) for t in (weights, of_weights))
        self.results = torch.empty(*self.weights.shape[:2], batch)
        self.slopes = self.results if top else torch.empty_like(self.results)
        self.biases, self.of_biases = (t.view(self.weights.shape[:2]).numpy() for t in (biases, of_biases))
        self.numbers, self.slope_numbers = self.results.numpy(), self.slopes.numpy()


class Buffers:
    """What a step writes into at one batch size.

    Attributes:
        layers: from the outputs backwards.
        low: products of the first layers, then the gradients of their results, (networks, nodes, batch), bfloat16;
            ``bits`` is their array.
        of_first: gradients of the first weights, bfloat16.
        shares: one over the number of samples of each network, (networks,), array.
    """

    def __init__(
        self, values: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor], networks: int, batch: int
    ) -> None:
        self.layers = [
            Layer(values[i : i + 2], gradients[i : i + 2], networks, batch, top=i == 2)
            for i in (*range(2, len(values), 2), 0)
        ]
        self.low = torch.empty(self.layers[-1].results.shape, dtype=LOW)
        self.bits = self.low.view(torch.uint16).numpy()
        self.of_first = torch.empty_like(self.layers[-1].weights, dtype=LOW)
        self.shares = np.empty(networks, np.float32)
