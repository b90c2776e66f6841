"""Parameters of a whole population in one buffer, their gradients in another, and one update for all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod

import torch

from aiq.config.training import Adadelta, Optimizer
from aiq.training import optimizers

ALIGNMENT = 16
"""Every tensor of the buffer starts at a multiple of so many numbers (one cache line of float32)."""

BLOCK = 1 << 15
"""Numbers that an optimiser without fused kernel updates at a time, so that its temporaries stay in the cache."""

Shape = tuple[int, ...]


class Flat:
    """Named shapes laid out in flat buffers: ``values``, ``gradients`` and the optimiser's moments.

    Elementwise optimisers do not see where one tensor ends, so one call updates everything. Adam, AdamW and SGD
    run as one fused kernel; Adadelta, for which torch has none, in blocks that fit the cache.
    """

    def __init__(self, shapes: Sequence[Shape], device: torch.device, dtype: torch.dtype) -> None:
        sizes = [-(-prod(shape) // ALIGNMENT) * ALIGNMENT for shape in shapes]
        self._shapes = tuple(shapes)
        self._starts = (0, *accumulate(sizes))
        self.values = torch.zeros(self._starts[-1], device=device, dtype=dtype)
        self.gradients = torch.zeros_like(self.values)
        self._optimizer: torch.optim.Optimizer | None = None

    def views(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        """Return the tensors of the layout as views into a buffer of its length."""
        return [
            buffer[start : start + prod(shape)].view(shape)
            for start, shape in zip(self._starts[:-1], self._shapes, strict=True)
        ]

    def optimize(self, settings: Optimizer, states: dict[str, torch.Tensor] | None = None) -> None:
        """Set the optimiser, with the state of another population's members if given (see ``states``)."""
        fused = not isinstance(settings, Adadelta)
        size = len(self.values) if fused else BLOCK
        blocks = list(self.values.split(size))
        for block, gradients in zip(blocks, self.gradients.split(size), strict=True):
            block.grad = gradients
        self._optimizer = optimizers.build(settings, blocks, fused=fused)
        if not states:
            return
        for start, block in zip(range(0, len(self.values), size), blocks, strict=True):
            for name, state in states.items():
                piece = state if state.ndim == 0 else state[start : start + len(block)]
                self._optimizer.state[block][name] = piece.clone()

    def update(self) -> None:
        """Take one step along the gradients."""
        if self._optimizer is None:
            raise ValueError("a population without optimiser was to be updated")
        self._optimizer.step()

    def states(self) -> dict[str, torch.Tensor]:
        """Return the optimiser's state: flat buffers of the layout, and scalars that all numbers share."""
        if self._optimizer is None:
            return {}
        blocks = [self._optimizer.state[block] for block in self._optimizer.param_groups[0]["params"]]
        return {
            name: first.clone() if first.ndim == 0 else torch.cat([block[name] for block in blocks])
            for name, first in blocks[0].items()
            if isinstance(first, torch.Tensor)
        }
