"""The first layer of a convolutional network on pictures of one channel, in one pass, with results in bfloat16."""

from __future__ import annotations

import numpy as np
import torch

from aiq.training.networks import loops
from aiq.training.networks.rounded_products import LOW


class FirstConvolution:
    """A 3x3 convolution, 2x2 max pooling and ReLU on batches of one size, and the gradients of its weights.

    Attributes:
        slopes: to be filled with the gradients of the results, (n, filters, height // 2, width // 2), bfloat16.

    Args:
        filters: of the layer.
        pictures: shape of a batch (n, 1, height, width).
    """

    def __init__(self, filters: int, pictures: tuple[int, ...]) -> None:
        from aiq.training.networks.loops import first_convolution

        self._loops = first_convolution
        count, _, height, width = pictures
        lanes, results = first_convolution.LANES, (count, filters, height // 2, width // 2)
        half = max(width // 2 + 2, -(-results[-1] // lanes) * lanes + 1)
        self._parted = np.zeros((count, height + 2, 2, half), dtype=np.float32)
        self._rows, self._shape = (np.uint64(height + 2), np.uint64(half)), tuple(map(np.uint64, results))
        self._size, self._results = count * filters * results[2] * results[3], results
        self._out, self._slopes = torch.zeros(2, self._size + lanes, dtype=LOW).unbind()
        self._of = np.zeros(self._size + lanes, dtype=np.uint8)
        self.slopes = self._slopes[: self._size].view(results)

    def forward(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """Return the results (n, filters, height // 2, width // 2), bfloat16, valid until the next call.

        Args:
            x: pictures (n, 1, height, width).
            weight: (filters, 1, 3, 3).
            bias: (filters,).
        """
        self._loops.part(x.detach().reshape(len(x), *x.shape[2:]).numpy(), self._parted)
        flat, told = self._parted.reshape(-1), (weight.reshape(-1, 9).numpy(), bias.numpy())
        self._loops.forward(flat, self._rows, *told, self._shape, loops.bits(self._out), self._of)
        return self._out[: self._size].view(self._results)

    def backward(self) -> torch.Tensor:
        """Return the gradients (filters, 10) that follow from ``slopes``: of nine weights, then of the bias."""
        told = (loops.bits(self._slopes), self._shape, self._of)
        return torch.from_numpy(self._loops.backward(self._parted.reshape(-1), self._rows, *told).sum(2))
