"""One convolutional network at a time, as fast as a processor allows: gradients by hand, one flat update.

What makes it fast on a CPU: everything is kept channels-last (torch pools such pictures many times faster), also
pictures of one channel, whose layout torch cannot tell and has to be told by explicit strides; pooling comes before
ReLU, which commutes with it and then works on a quarter of the numbers; the gradient of the input is not computed;
no graph is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional

from aiq.config.training import Optimizer
from aiq.records.trial import Architecture
from aiq.training.networks import matrix_products
from aiq.training.networks.flat import Flat
from aiq.training.networks.rounded_products import LOW, multiply

PADDING = (1, 1)
POOL = (2, 2)


class ConvolutionalNet:
    """One network behind the interface of populations (``population.Nets``).

    Weights of convolutions are stored as (filters, height, width, channels) and the columns of the first dense
    layer in the order (height, width, channels); ``weights`` gives torch's usual order back.

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
        self.flat = Flat(stored, sample.device, sample.dtype, apart=self._large)
        self._values = _usual(self.flat.views(self.flat.values))
        self._gradients = _usual(self.flat.views(self.flat.gradients))
        for view, tensor in zip(self._values, weights, strict=True):
            view.copy_(self._columns(tensor, view))
        self._loss = torch.zeros((), device=sample.device, dtype=torch.float64)

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

    def weights(self, index: int) -> list[torch.Tensor]:
        """Return a copy of the tensors in torch's order; the only network has index 0."""
        return [self._columns(v, v, back=True).contiguous().clone() for v in self._values]

    def gradients(self, index: int) -> list[torch.Tensor]:
        """Return a copy of the gradients of the last step, in torch's order."""
        pairs = zip(self._gradients, self._values, strict=True)
        return [self._columns(g, v, back=True).contiguous().clone() for g, v in pairs]

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

    def right(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return how many samples have their largest logit at the label, of shape (1,)."""
        x, y = (x, y) if self._shared else (x[0], y[0])
        return (self._forward(channels_last(x), False)[-1].argmax(1) == y).sum()[None]

    def step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Take one step of the mean cross-entropy of a batch."""
        self.differentiate(x, y)
        self.flat.update(self._gradients[self._large])

    def differentiate(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Compute the gradients of the mean cross-entropy of a batch and add the loss to the sum."""
        x, y = (x, y) if self._shared else (x[0], y[0])
        x = channels_last(x)
        tape = self._forward(x, self._rounded)
        logarithms = torch.log_softmax(tape[-1], dim=1)
        self._loss += functional.nll_loss(logarithms, y, reduction="sum")
        slope = logarithms.exp_()
        slope[torch.arange(len(y), device=y.device), y] -= 1
        self._backward(x, tape, slope.mul_(1 / len(y)))

    def _forward(self, x: torch.Tensor, rounded: bool) -> list[torch.Tensor]:
        """Return what the backward pass needs: per convolution its result, indices and output; then dense ones.

        With a stride there is no pooling, and the convolution's output stands at all three places.
        """
        tape: list[torch.Tensor] = []
        v = self._values
        for layer in range(self._convolutions):
            raw = self._convolve(x, layer, rounded)
            x, where = torch.ops.aten.max_pool2d_with_indices(raw, POOL, POOL) if self._pooling else (raw, raw)
            x.relu_()
            tape += [raw, where, x]
        flat = x.permute(0, 2, 3, 1).reshape(len(x), -1)
        if rounded:
            hidden = multiply(flat, v[-4].t(), flat.new_empty(len(flat), len(v[-3]))).add_(v[-3]).relu_()
        elif matrix_products.preferred(flat, len(v[-3])):
            hidden = matrix_products.times_transposed(flat, v[-4]).add_(v[-3]).relu_()
        else:
            hidden = torch.addmm(v[-3], flat, v[-4].t()).relu_()
        return [*tape, flat, hidden, torch.addmm(v[-1], hidden, v[-2].t())]

    def _convolve(self, x: torch.Tensor, layer: int, rounded: bool) -> torch.Tensor:
        """Return a layer's convolution, before pooling and ReLU; one over a single channel is never rounded."""
        weight, bias = self._values[2 * layer : 2 * layer + 2]
        if not (rounded and layer):
            return functional.conv2d(x, weight, bias, stride=self._stride, padding=PADDING)
        low = functional.conv2d(x.to(LOW), weight.to(LOW), stride=self._stride, padding=PADDING)
        return low.to(x.dtype).add_(bias[:, None, None])

    def _backward(self, x: torch.Tensor, tape: list[torch.Tensor], slope: torch.Tensor) -> None:
        """Fill the gradients from those of the logits."""
        flat, hidden = tape[-3:-1]
        v, g = self._values, self._gradients
        torch.mm(slope.t(), hidden, out=g[-2])
        torch.sum(slope, 0, out=g[-1])
        slope = torch.ops.aten.threshold_backward(slope @ v[-2], hidden, 0)
        torch.sum(slope, 0, out=g[-3])
        if self._rounded:
            slope = slope.to(LOW)
            g[-4] = multiply(slope.t(), flat, self.flat.views(self.flat.gradients)[self._large])
            slope = multiply(slope, v[-4], torch.empty_like(flat))
        elif matrix_products.preferred(flat, len(v[-3])):
            g[-4] = matrix_products.times_transposed(slope.t(), flat.t())
            slope = matrix_products.times_transposed(slope, v[-4].t())
        else:
            g[-4] = self.flat.views(self.flat.gradients)[self._large]
            torch.mm(slope.t(), flat, out=g[-4])
            slope = slope @ v[-4]
        count, filters, *side = tape[3 * self._convolutions - 1].shape
        slope = slope.view(count, *side, filters).permute(0, 3, 1, 2)
        for layer in reversed(range(self._convolutions)):
            raw, where, out = tape[3 * layer : 3 * layer + 3]
            slope = torch.ops.aten.threshold_backward(slope, out, 0)
            if self._pooling:
                pool = torch.ops.aten.max_pool2d_with_indices_backward
                slope = pool(slope, raw, POOL, POOL, (0, 0), (1, 1), False, where)
            before, weight = (tape[3 * layer - 1] if layer else x), v[2 * layer]
            low = self._rounded and layer > 0
            if low:
                torch.sum(slope, (0, 2, 3), out=g[2 * layer + 1])
                slope, before, weight = slope.to(LOW), before.to(LOW), weight.to(LOW)
            slope, of_weight, of_bias = torch.ops.aten.convolution_backward(
                *(slope, before, weight, [len(weight)], self._stride, PADDING, (1, 1), False, (0, 0), 1),
                (layer > 0, True, not low),
            )
            g[2 * layer].copy_(of_weight)
            if low:
                slope = slope.to(v[0].dtype)
            else:
                g[2 * layer + 1].copy_(of_bias)


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
