"""One convolutional network at a time, as fast as a processor allows: gradients by hand, one flat update.

What makes it fast on a CPU: everything is kept channels-last (torch pools such pictures many times faster), also
pictures of one channel, whose layout torch cannot tell and has to be told by explicit strides; pooling comes before
ReLU, which commutes with it and then works on a quarter of the numbers; the gradient of the input is not computed;
no graph is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from aiq.config.training import Optimizer
from aiq.records.trial import Architecture
from aiq.training.networks import loops, matrix_products
from aiq.training.networks.first_convolution import FirstConvolution
from aiq.training.networks.flat import Flat
from aiq.training.networks.hits import counts
from aiq.training.networks.pooling import POOL, largest
from aiq.training.networks.rounded_products import LOW, product

PADDING = (1, 1)
LOOK = 128
"""Pictures whose convolutions are evaluated at once: their results stay in the cache, and the numbers are the same."""


class ConvolutionalNet:
    """One network behind the interface of populations (``population.Nets``).

    Weights of convolutions are stored as (filters, height, width, channels) and the columns of the first dense
    layer in the order (height, width, channels); ``weights`` gives torch's usual order back. In rounded steps the
    first layer, where it has one channel and pooling, is computed in one pass (``FirstConvolution``); if it is the
    only convolution, pictures stay as they come from it and the dense layer's columns are in torch's order.

    Args:
        architecture: of the convolutional family.
        weights: in the order of ``networks.initial_weights``.
        side: height and width of a picture after the last convolution's reduction.
        shared: False if samples come with a leading axis of one network.
        rounded: whether the large products of a step take factors of bfloat16 (``rounded_products``).
    """

    def __init__(
        self,
        architecture: Architecture,
        weights: Sequence[torch.Tensor],
        *,
        side: tuple[int, int],
        shared: bool,
        rounded: bool = False,
    ) -> None:
        sample = weights[0]
        self._convolutions = len(architecture.widths)
        self._pooling = architecture.reduction == "pooling"
        self._stride = (1, 1) if self._pooling else (3, 3)
        self._side, self._shared, self._rounded = side, shared, rounded
        stored = [tuple(w.permute(0, 2, 3, 1).shape if w.ndim == 4 else w.shape) for w in weights]
        self._large = 2 * self._convolutions
        fused = rounded and self._pooling and weights[0].shape[1] == 1 and loops.usable(sample)
        self._first: dict[tuple[int, ...], FirstConvolution] | None = {} if fused else None
        self.flat = Flat(stored, sample.device, sample.dtype, apart=self._large)
        self._stored = [self.flat.views(buffer) for buffer in (self.flat.values, self.flat.gradients)]
        self._values, self._gradients = (_usual(views) for views in self._stored)
        for view, tensor in zip(self._values, weights, strict=True):
            view.copy_(self._columns(tensor, view))
        self._loss = torch.zeros((), device=sample.device, dtype=torch.float64)

    def _columns(self, weight: torch.Tensor, view: torch.Tensor, back: bool = False) -> torch.Tensor:
        """Return the first dense weight with its columns from (channels, height, width) to channels-last, or back."""
        if view is not self._values[self._large] or self._planar:
            return weight.detach()
        height, width = self._side
        nodes, features = weight.shape
        channels = features // (height * width)
        if back:
            return weight.view(nodes, height, width, channels).permute(0, 3, 1, 2).reshape(nodes, features)
        split = weight.detach().reshape(nodes, channels, height, width)
        return split.permute(0, 2, 3, 1).reshape(nodes, features)

    @property
    def _planar(self) -> bool:
        """Whether the columns of the first dense layer are in the order (channels, height, width)."""
        return self._first is not None and self._convolutions == 1

    def weights(self, index: int) -> list[torch.Tensor]:
        """Return a copy of the tensors in torch's order; the only network has index 0."""
        return [self._columns(v, v, back=True).contiguous().clone() for v in self._values]

    def gradients(self, index: int) -> list[torch.Tensor]:
        """Return a copy of the gradients of the last step, in torch's order."""
        pairs = zip(self._gradients, self._values, strict=True)
        return [self._columns(g.to(v.dtype), v, back=True).contiguous().clone() for g, v in pairs]

    def optimize(self, settings: Optimizer) -> None:
        """Set the optimiser."""
        self.flat.optimize(settings)

    def keep(self, members: Sequence[int], settings: Optimizer) -> ConvolutionalNet:
        """Return this network: there is no other to leave behind."""
        return self

    def sound(self) -> torch.Tensor:
        """Return whether all weights are finite, ()."""
        return self.flat.values.isfinite().all()

    def finite(self) -> list[bool]:
        """Return whether all weights are finite."""
        return [bool(self.sound())]

    def losses(self) -> torch.Tensor:
        """Return the loss summed over the samples of the steps since the last call, (1,), float64."""
        loss = self._loss.clone()[None]
        self._loss.zero_()
        return loss

    def right(self, x: torch.Tensor, y: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
        """Return how many samples have their largest logit at the label (``population.Nets``)."""
        x, y = (x, y) if self._shared else (x[0], y[0])
        slabs = [self._rows(self._layers(channels_last(part), False)[-1].out) for part in x.split(LOOK)]
        return counts(self._dense(torch.cat(slabs), False)[-1].t()[None], y[None], own)

    def step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Take one step of the mean cross-entropy of a batch."""
        self.differentiate(x, y)
        self.flat.update(self._gradients[self._large])

    def differentiate(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Compute the gradients of the mean cross-entropy of a batch and add the loss to the sum."""
        x, y = (x, y) if self._shared else (x[0], y[0])
        layers = self._layers(channels_last(x), self._rounded)
        flat = self._rows(layers[-1].out)
        flat = flat.to(LOW) if self._rounded else flat
        hidden, logits = self._dense(flat, self._rounded)
        logarithms = torch.log_softmax(logits, dim=1)
        self._loss += functional.nll_loss(logarithms, y, reduction="sum")
        slope = logarithms.exp_()
        slope.scatter_add_(1, y[:, None], slope.new_full((len(y), 1), -1.0))
        self._backward(layers, flat, hidden, slope.mul_(1 / len(y)))

    def _layers(self, x: torch.Tensor, rounded: bool) -> list[Layer]:
        layers: list[Layer] = []
        for number in range(self._convolutions):
            one_pass = rounded and number == 0 and self._first is not None
            layers.append(self._one_pass(x) if one_pass else self._layer(x, number, rounded))
            x = layers[-1].out
        return layers

    def _rows(self, pictures: torch.Tensor) -> torch.Tensor:
        """Return what comes from the convolutions as rows, in the order of the first dense layer's columns."""
        return (pictures if self._planar else pictures.permute(0, 2, 3, 1)).reshape(len(pictures), -1)

    def _dense(self, flat: torch.Tensor, rounded: bool) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the results of the first dense layer, and the logits."""
        v = self._values
        if rounded:
            hidden = product(flat, self.flat.low().t()).to(v[-3].dtype).add_(v[-3]).relu_()
        elif matrix_products.preferred(flat, len(v[-3])):
            hidden = matrix_products.times_transposed(flat, v[-4]).add_(v[-3]).relu_()
        else:
            hidden = torch.addmm(v[-3], flat, v[-4].t()).relu_()
        return hidden, torch.addmm(v[-1], hidden, v[-2].t())

    def _one_pass(self, x: torch.Tensor) -> Layer:
        if self._first is None:
            raise ValueError("the first layer is not computed in one pass")
        known = self._first.get(x.shape)
        if known is None:
            known = self._first[x.shape] = FirstConvolution(len(self._values[1]), x.shape)
        out = known.forward(x, self._stored[0][0], self._values[1])
        return Layer(x, self._values[0], out if self._planar else channels_last(out), None, None, known)

    def _layer(self, x: torch.Tensor, number: int, rounded: bool) -> Layer:
        """Return a layer; a convolution over a single channel is never rounded."""
        weight, bias = self._values[2 * number : 2 * number + 2]
        if rounded and number:
            x, weight = x.to(LOW), weight.to(LOW)
            raw = functional.conv2d(x, weight, stride=self._stride, padding=PADDING)
            raw = raw.to(bias.dtype).add_(bias[:, None, None])
        else:
            raw = functional.conv2d(x, weight, bias, stride=self._stride, padding=PADDING)
        out, where = largest(raw) if self._pooling else (raw, None)
        return Layer(x, weight, out.relu_(), raw, where, None)

    def _backward(self, layers: Sequence[Layer], flat: torch.Tensor, hidden: torch.Tensor, slope: torch.Tensor) -> None:
        """Fill the gradients from those of the logits."""
        v, g = self._values, self._gradients
        torch.mm(slope.t(), hidden, out=g[-2])
        torch.sum(slope, 0, out=g[-1])
        slope = torch.ops.aten.threshold_backward(slope @ v[-2], hidden, 0)
        torch.sum(slope, 0, out=g[-3])
        if self._rounded:
            slope = slope.to(LOW)
            g[-4] = product(slope.t(), flat)
            slope = product(slope, self.flat.low())
        elif matrix_products.preferred(flat, len(v[-3])):
            g[-4] = matrix_products.times_transposed(slope.t(), flat.t())
            slope = matrix_products.times_transposed(slope, v[-4].t())
        else:
            g[-4] = self._stored[1][self._large]
            torch.mm(slope.t(), flat, out=g[-4])
            slope = slope @ v[-4]
        count, filters, *side = layers[-1].out.shape
        slope = slope.view(count, *((filters, *side) if self._planar else (*side, filters)))
        slope = slope if self._planar else slope.permute(0, 3, 1, 2)
        for number in reversed(range(self._convolutions)):
            slope = self._through(layers[number], number, slope)

    def _through(self, layer: Layer, number: int, slope: torch.Tensor) -> torch.Tensor:
        """Fill the gradients of a layer from those of its results, and return those of its input."""
        of_weight, of_bias = self._gradients[2 * number : 2 * number + 2]
        if layer.one_pass is not None:
            layer.one_pass.slopes.copy_(slope)
            sums = layer.one_pass.backward()
            self._stored[1][0].view(len(sums), -1).copy_(sums[:, :-1])
            of_bias.copy_(sums[:, -1])
            return slope
        slope = torch.ops.aten.threshold_backward(slope.to(of_bias.dtype), layer.out, 0)
        if layer.where is not None:
            pool = torch.ops.aten.max_pool2d_with_indices_backward
            slope = pool(slope, layer.raw, POOL, POOL, (0, 0), (1, 1), False, layer.where)
        low = layer.weight.dtype == LOW
        if low:
            torch.sum(slope, (0, 2, 3), out=of_bias)
            slope = slope.to(LOW)
        slope, weight, bias = torch.ops.aten.convolution_backward(
            *(slope, layer.x, layer.weight, [len(of_bias)], self._stride, PADDING, (1, 1), False, (0, 0), 1),
            (number > 0, True, not low),
        )
        of_weight.copy_(weight)
        if not low:
            of_bias.copy_(bias)
        return slope


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """What the backward pass needs of a convolution: its input and weight as they were multiplied, and its results.

    Attributes:
        x: input.
        weight: weight.
        out: after pooling and ReLU.
        raw: before pooling and ReLU; None where both come with the convolution in one pass.
        where: of the largest, by ``pooling.largest``; None without pooling.
        one_pass: computed the layer in one pass.
    """

    x: torch.Tensor
    weight: torch.Tensor
    out: torch.Tensor
    raw: torch.Tensor | None
    where: torch.Tensor | None
    one_pass: FirstConvolution | None


def _usual(stored: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Return views of stored tensors with the axes of torch."""
    return [view.permute(0, 3, 1, 2) if view.ndim == 4 else view for view in stored]


def channels_last(x: torch.Tensor) -> torch.Tensor:
    """Return pictures (n, channels, height, width) in channels-last layout, with strides that say so.

    For one channel both layouts are the same numbers and torch takes the strides of the usual one for the usual
    layout; a channel stride of 1 tells it otherwise.
    """
    if x.shape[1] > 1:
        return x.contiguous(memory_format=torch.channels_last)
    count, _, height, width = x.shape
    return x.contiguous().as_strided((count, 1, height, width), (height * width, 1, width, 1))
