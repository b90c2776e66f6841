"""Convolutional networks, one at a time, as fast as a processor allows, and many in each step for a GPU.

One has gradients by hand and one flat update. What makes it fast on a CPU: everything is kept channels-last (torch
pools such pictures many times faster), also pictures of one channel, whose layout torch cannot tell and has to be told
by explicit strides; pooling comes before ReLU, which commutes with it and then works on a quarter of the numbers; the
gradient of the input is not computed; no graph is recorded.

Of many, convolutions of all networks of one depth are one grouped convolution over filters padded with zeros, dense
layers are batched products. Padded filters have weights and bias 0, are 0 after ReLU and pass no gradient. Gradients
come from autograd. On a CPU grouped convolutions are slower than one network at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch.nn import functional

from aiq.config.training import Optimizer
from aiq.records.trial import Architecture
from aiq.training.flat import POOL, Classifiers, Flat, Shape, Weights, counts, largest, preferred, times_transposed

PADDING = (1, 1)
LOOK = 128
"""Pictures whose convolutions are evaluated at once: their results stay in the cache, and the numbers are the same."""


class ConvolutionalNet(Classifiers):
    """One network; where it is not ``shared``, samples come with a leading axis of one network.

    Weights of convolutions are stored as (filters, height, width, channels) and the columns of the first dense layer in
    the order (height, width, channels); ``weights`` gives torch's usual order back. ``side`` is height and width of a
    picture after the last convolution's reduction.
    """

    def __init__(self, architecture: Architecture, weights: Weights, *, side: tuple[int, int], shared: bool) -> None:
        super().__init__([architecture], shared=shared)
        sample = weights[0]
        self._convolutions = len(architecture.widths)
        self._pooling = architecture.reduction == "pooling"
        self._stride = (1, 1) if self._pooling else (3, 3)
        self._side = side
        stored = [tuple(w.permute(0, 2, 3, 1).shape if w.ndim == 4 else w.shape) for w in weights]
        self._large = 2 * self._convolutions
        self.flat = Flat(stored, sample.device, sample.dtype, apart=self._large)
        self._stored = [self.flat.views(buffer) for buffer in (self.flat.values, self.flat.gradients)]
        self._values, self._gradients = (self._member(views, 0) for views in self._stored)
        for view, tensor in zip(self._values, weights, strict=True):
            view.copy_(self._columns(tensor, view))
        self._losses = torch.zeros(1, device=sample.device, dtype=torch.float64)

    def _columns(self, weight: torch.Tensor, view: torch.Tensor, back: bool = False) -> torch.Tensor:
        """Return the first dense weight with its columns from (channels, height, width) to channels-last, or back."""
        if view is not self._values[self._large]:
            return weight.detach()
        height, width = self._side
        nodes, features = weight.shape
        channels = features // (height * width)
        if back:
            return weight.view(nodes, height, width, channels).permute(0, 3, 1, 2).reshape(nodes, features)
        split = weight.detach().reshape(nodes, channels, height, width)
        return split.permute(0, 2, 3, 1).reshape(nodes, features)

    def _member(self, views: Sequence[torch.Tensor], index: int) -> Weights:
        return [view.permute(0, 3, 1, 2) if view.ndim == 4 else view for view in views]

    def weights(self, index: int) -> Weights:
        """Return a copy of the tensors in torch's order; the only network has index 0."""
        return [self._columns(v, v, back=True).contiguous().clone() for v in self._values]

    def keep(self, members: Sequence[int], settings: Optimizer) -> Self:
        """Return this network: there is no other to leave behind."""
        return self

    def right(self, x: torch.Tensor, y: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
        """Return how many samples have their largest logit at the label; see ``Classifiers``."""
        x, y = (x, y) if self._shared else (x[0], y[0])
        slabs = [self._rows(self._layers(channels_last(part))[-1].out) for part in x.split(LOOK)]
        return counts(self._dense(torch.cat(slabs))[-1].t()[None], y[None], own)

    def step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Take one step of the mean cross-entropy of a batch."""
        self.differentiate(x, y)
        self.flat.update(self._gradients[self._large])

    def differentiate(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Compute the gradients of the mean cross-entropy of a batch and add the loss to the sum."""
        x, y = (x, y) if self._shared else (x[0], y[0])
        layers = self._layers(channels_last(x))
        flat = self._rows(layers[-1].out)
        hidden, logits = self._dense(flat)
        logarithms = torch.log_softmax(logits, dim=1)
        self._losses += functional.nll_loss(logarithms, y, reduction="sum")
        slope = logarithms.exp_()
        slope.scatter_add_(1, y[:, None], slope.new_full((len(y), 1), -1.0))
        self._backward(layers, flat, hidden, slope.mul_(1 / len(y)))

    def _layers(self, x: torch.Tensor) -> list[Layer]:
        layers: list[Layer] = []
        for number in range(self._convolutions):
            layers.append(self._layer(x, number))
            x = layers[-1].out
        return layers

    def _rows(self, pictures: torch.Tensor) -> torch.Tensor:
        """Return what comes from the convolutions as rows, in the order of the first dense layer's columns."""
        return pictures.permute(0, 2, 3, 1).reshape(len(pictures), -1)

    def _dense(self, flat: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        v = self._values
        if preferred(flat, len(v[-3])):
            hidden = times_transposed(flat, v[-4]).add_(v[-3]).relu_()
        else:
            hidden = torch.addmm(v[-3], flat, v[-4].t()).relu_()
        return hidden, torch.addmm(v[-1], hidden, v[-2].t())

    def _layer(self, x: torch.Tensor, number: int) -> Layer:
        weight, bias = self._values[2 * number : 2 * number + 2]
        raw = functional.conv2d(x, weight, bias, stride=self._stride, padding=PADDING)
        out, where = largest(raw) if self._pooling else (raw, None)
        return Layer(x, weight, out.relu_(), raw, where)

    def _backward(self, layers: Sequence[Layer], flat: torch.Tensor, hidden: torch.Tensor, slope: torch.Tensor) -> None:
        v, g = self._values, self._gradients
        torch.mm(slope.t(), hidden, out=g[-2])
        torch.sum(slope, 0, out=g[-1])
        slope = torch.ops.aten.threshold_backward(slope @ v[-2], hidden, 0)
        torch.sum(slope, 0, out=g[-3])
        if preferred(flat, len(v[-3])):
            g[-4] = times_transposed(slope.t(), flat.t())
            slope = times_transposed(slope, v[-4].t())
        else:
            g[-4] = self._stored[1][self._large]
            torch.mm(slope.t(), flat, out=g[-4])
            slope = slope @ v[-4]
        count, filters, *side = layers[-1].out.shape
        slope = slope.view(count, *side, filters).permute(0, 3, 1, 2)
        for number in reversed(range(self._convolutions)):
            slope = self._through(layers[number], number, slope)

    def _through(self, layer: Layer, number: int, slope: torch.Tensor) -> torch.Tensor:
        """Fill the gradients of a layer from those of its results, and return those of its input."""
        of_weight, of_bias = self._gradients[2 * number : 2 * number + 2]
        slope = torch.ops.aten.threshold_backward(slope, layer.out, 0)
        if layer.where is not None:
            pool = torch.ops.aten.max_pool2d_with_indices_backward
            slope = pool(slope, layer.raw, POOL, POOL, (0, 0), (1, 1), False, layer.where)
        slope, weight, bias = torch.ops.aten.convolution_backward(
            *(slope, layer.x, layer.weight, [len(of_bias)], self._stride, PADDING, (1, 1), False, (0, 0), 1),
            (number > 0, True, True),
        )
        of_weight.copy_(weight)
        of_bias.copy_(bias)
        return slope


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """What the backward pass needs of a convolution: its input, its weight, and its results.

    ``raw`` are those before pooling and ReLU, ``out`` those after; ``where`` the largest are by ``flat.largest``,
    None without pooling.
    """

    x: torch.Tensor
    weight: torch.Tensor
    out: torch.Tensor
    raw: torch.Tensor
    where: torch.Tensor | None


def channels_last(x: torch.Tensor) -> torch.Tensor:
    """Return pictures (n, channels, height, width) in channels-last layout, with strides that say so.

    For one channel both layouts are the same numbers and torch takes the strides of the usual one for the usual
    layout; a channel stride of 1 tells it otherwise.
    """
    if x.shape[1] > 1:
        return x.contiguous(memory_format=torch.channels_last)
    count, _, height, width = x.shape
    return x.contiguous().as_strided((count, 1, height, width), (height * width, 1, width, 1))


# ---- Many at once ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Group:
    """Members of one depth and reduction, their filters after padding, and their tensors in the layout."""

    members: tuple[int, ...]
    filters: tuple[int, ...]
    stride: bool
    tensors: slice


class ConvolutionalNets(Classifiers):
    """Convolutional networks with one number of dense nodes, on one batch of samples or each on a batch of its own.

    Shared samples are x (batch, channels, height, width); others have a leading axis of networks.
    """

    def __init__(self, architectures: Sequence[Architecture], weights: Sequence[Weights], *, shared: bool) -> None:
        super().__init__(architectures, shared=shared)
        sample = weights[0][0]
        self._channels, self._outputs = sample.shape[1], len(weights[0][-1])
        self._groups: list[_Group] = []
        shapes: list[Shape] = []
        kinds = sorted({(len(a.widths), a.reduction, a.dense_nodes) for a in architectures})
        for depth, reduction, nodes in kinds:
            alike = (depth, reduction, nodes)
            members = [i for i, a in enumerate(architectures) if (len(a.widths), a.reduction, a.dense_nodes) == alike]
            self._add_group(members, weights, shapes, reduction == "stride")
        self.flat = Flat(shapes, sample.device, sample.dtype)
        self._values, self._gradients = self.flat.views(self.flat.values), self.flat.views(self.flat.gradients)
        self.put(self.flat.values, weights)
        self._losses = torch.zeros(len(self.architectures), device=sample.device, dtype=torch.float64)

    def _add_group(self, members: list[int], weights: Sequence[Weights], shapes: list[Shape], stride: bool) -> None:
        """Append a group and the shapes of its tensors: (networks, ...) with filters padded to the widest."""
        count = len(members)
        filters = tuple(max(layer) for layer in zip(*(self.architectures[i].widths for i in members), strict=True))
        start, before = len(shapes), self._channels
        for width in filters:
            shapes += [(count, width, before, 3, 3), (count, width)]
            before = width
        first = weights[members[0]]
        pixels = first[-4].shape[1] // self.architectures[members[0]].widths[-1]
        nodes = len(first[-3])
        shapes += [(count, nodes, before * pixels), (count, nodes), (count, self._outputs, nodes)]
        shapes.append((count, self._outputs))
        self._groups.append(_Group(tuple(members), filters, stride, slice(start, len(shapes))))

    def _member(self, views: Sequence[torch.Tensor], index: int) -> Weights:
        group = next(group for group in self._groups if index in group.members)
        place, widths = group.members.index(index), self.architectures[index].widths
        own = [view[place] for view in views[group.tensors]]
        tensors, before = [], self._channels
        for layer, width in enumerate(widths):
            tensors += [own[2 * layer][:width, :before], own[2 * layer + 1][:width]]
            before = width
        pixels = own[-4].shape[1] // group.filters[-1]
        return [*tensors, own[-4][:, : before * pixels], *own[-3:]]

    def right(self, x: torch.Tensor, y: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
        """Return for each network how many samples have their largest logit at the label; see ``Classifiers``."""
        with torch.no_grad():
            return counts(self._logits(x, self._values).transpose(1, 2), y if y.ndim == 2 else y[None], own)

    def step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Take one step of the mean cross-entropy of a batch, for every network."""
        leaves = [view.detach().requires_grad_(True) for view in self._values]
        logits = self._logits(x, leaves)
        count, batch = logits.shape[:2]
        labels = y.expand(count, batch).reshape(-1)
        losses = functional.cross_entropy(logits.flatten(0, 1), labels, reduction="none").view(count, batch).sum(1)
        gradients = torch.autograd.grad(losses.sum() / batch, leaves)
        for place, gradient in zip(self._gradients, gradients, strict=True):
            place.copy_(gradient)
        self._losses += losses.detach()
        self.flat.update()

    def _logits(self, x: torch.Tensor, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
        outputs: list[torch.Tensor | None] = [None] * len(self.architectures)
        for group in self._groups:
            logits = self._group_logits(x, group, tensors[group.tensors])
            for place, index in enumerate(group.members):
                outputs[index] = logits[place]
        return torch.stack([logits for logits in outputs if logits is not None])

    def _group_logits(self, x: torch.Tensor, group: _Group, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
        count = len(group.members)
        groups = 1 if self._shared else count
        if not self._shared:
            x = x.transpose(0, 1).flatten(1, 2)
        for layer in range(len(group.filters)):
            weight, bias = tensors[2 * layer].flatten(0, 1), tensors[2 * layer + 1].flatten()
            x = functional.conv2d(x, weight, bias, stride=3 if group.stride else 1, padding=1, groups=groups)
            x = (x if group.stride else functional.max_pool2d(x, 2)).relu()
            groups = count
        flat = x.view(len(x), count, -1).transpose(0, 1)
        hidden = torch.baddbmm(tensors[-3][:, None], flat, tensors[-4].transpose(1, 2)).relu()
        return torch.baddbmm(tensors[-1][:, None], hidden, tensors[-2].transpose(1, 2))
