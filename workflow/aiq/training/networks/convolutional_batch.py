"""Many convolutional networks in each step, for devices where one alone leaves most of the hardware idle.

Convolutions of all networks of one depth are one grouped convolution over filters padded with zeros, dense layers
are batched products. Padded filters have weights and bias 0, are 0 after ReLU and pass no gradient. Gradients come
from autograd. On a CPU grouped convolutions are slower than one network at a time (``convolutional``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from aiq.records.trial import Architecture
from aiq.training.networks.flat import Classifiers, Flat, Shape, Weights
from aiq.training.networks.kernels import counts


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

    def losses(self) -> torch.Tensor:
        """Return each network's loss summed over samples; see ``Classifiers``."""
        losses = self._losses.clone()
        self._losses.zero_()
        return losses

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
        found: list[torch.Tensor | None] = [None] * len(self.architectures)
        for group in self._groups:
            logits = self._group_logits(x, group, tensors[group.tensors])
            for place, index in enumerate(group.members):
                found[index] = logits[place]
        return torch.stack([logits for logits in found if logits is not None])

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
