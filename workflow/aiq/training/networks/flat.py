"""Parameters of a whole population in one buffer, their gradients in another, and one update for all.

What populations in one flat layout have in common: writing members into it, and going on with some of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import Self

import torch

from aiq.config.training import Optimizer
from aiq.records.trial import Architecture
from aiq.training.networks import updates

ALIGNMENT = 16
"""Every tensor of the buffer starts at a multiple of so many numbers (one cache line of float32)."""

Shape = tuple[int, ...]


class Flat:
    """Named shapes laid out in flat buffers: ``values``, ``gradients`` and the optimiser's moments.

    Elementwise optimisers do not see where one tensor ends, so one call updates everything.

    Args:
        shapes: of the tensors.
        device: where the buffers lie.
        dtype: of the buffers.
        apart: number of the one tensor whose gradient may be given from outside the buffer.
    """

    def __init__(self, shapes: Sequence[Shape], device: torch.device, dtype: torch.dtype, *, apart: int = 0) -> None:
        sizes = [-(-prod(shape) // ALIGNMENT) * ALIGNMENT for shape in shapes]
        self._shapes, self._apart = tuple(shapes), apart
        self._starts = (0, *accumulate(sizes))
        self.values = torch.zeros(self._starts[-1], device=device, dtype=dtype)
        self._update: updates.Update | None = None

    @cached_property
    def gradients(self) -> torch.Tensor:
        """The gradients; networks that are only evaluated have none."""
        return torch.zeros_like(self.values)

    @cached_property
    def _given(self) -> list[torch.Tensor]:
        """The gradients of the parts."""
        return self._parts(self.gradients)

    def views(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        """Return the tensors of the layout as views into a buffer of its length."""
        return [
            buffer[start : start + prod(shape)].view(shape)
            for start, shape in zip(self._starts[:-1], self._shapes, strict=True)
        ]

    def optimize(self, settings: Optimizer, states: updates.States | None = None) -> None:
        """Set the optimiser, with the state of another population's members if given (see ``states``)."""
        self._update = updates.build(settings, self.values, self._parts, states)

    def _parts(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        """Return the numbers of the tensor apart, of those behind it and of those before it."""
        start, end = self._starts[self._apart : self._apart + 2]
        parts = [buffer[start : start + prod(self._shapes[self._apart])], buffer[end:], buffer[:start]]
        return [parts[0], *(part for part in parts[1:] if len(part))]

    def update(self, apart: torch.Tensor | None = None) -> None:
        """Take one step along the gradients.

        Args:
            apart: the gradient of the tensor apart, if it is not in its place in the buffer.
        """
        if self._update is None:
            raise ValueError("a population without optimiser was to be updated")
        gradients = list(self._given)
        if apart is not None:
            gradients[0] = apart.view(-1)
        self._update(gradients)

    def states(self) -> updates.States:
        """Return the optimiser's state: flat buffers of the layout, and scalars that all numbers share."""
        return self._update.states if self._update is not None else {}


# ---- What populations in one flat layout have in common ------------------------------------------


class Packed(ABC):
    """Networks whose tensors are views into one ``Flat`` (``population.Nets``).

    Args:
        architectures: of the networks.
        weights: of each network, in the order of ``networks.initial_weights``.
        shared: whether all networks see the same samples or each its own; the latter asks for one architecture.
    """

    architectures: tuple[Architecture, ...]
    flat: Flat

    def __init__(
        self,
        architectures: Sequence[Architecture],
        weights: Sequence[Sequence[torch.Tensor]],
        *,
        shared: bool,
    ) -> None:
        if not shared and len(set(architectures)) > 1:
            raise ValueError("networks with samples of their own must have one architecture")
        self.architectures = tuple(architectures)
        self._shared = shared

    @abstractmethod
    def _member(self, views: Sequence[torch.Tensor], index: int) -> list[torch.Tensor]:
        """Return one network's tensors as views into those of the layout, in the order of initial weights."""

    @abstractmethod
    def weights(self, index: int) -> list[torch.Tensor]:
        """Return a copy of one network's tensors."""

    def _put(self, buffer: torch.Tensor, weights: Sequence[Sequence[torch.Tensor]]) -> None:
        """Write every network's tensors into a buffer of the layout."""
        views = self.flat.views(buffer)
        for index, tensors in enumerate(weights):
            for view, tensor in zip(self._member(views, index), tensors, strict=True):
                view.copy_(tensor.detach())

    def sound(self) -> torch.Tensor:
        """Return whether the sum of all weights of all networks is finite, (): if it is, all of them are."""
        return self.flat.values.sum().isfinite()

    def finite_of(self, values: Sequence[torch.Tensor]) -> list[bool]:
        """Return for each network whether all its numbers in the layout's tensors are finite, in one look."""
        members = range(len(self.architectures))
        told = [torch.stack([t.isfinite().all() for t in self._member(values, index)]).all() for index in members]
        finite: list[bool] = torch.stack(told).tolist()
        return finite

    def optimize(self, settings: Optimizer) -> None:
        """Set the optimiser."""
        self.flat.optimize(settings)

    def keep(self, members: Sequence[int], settings: Optimizer) -> Self:
        """Return the networks of some positions alone, with their optimiser's state."""
        architectures = [self.architectures[index] for index in members]
        weights = [self.weights(index) for index in members]
        kept = type(self)(architectures, weights, shared=self._shared)
        states = {}
        for name, state in self.flat.states().items():
            if state.ndim:
                views = self.flat.views(state)
                state = torch.zeros_like(kept.flat.values)
                kept._put(state, [self._member(views, index) for index in members])
            states[name] = state
        kept.flat.optimize(settings, states)
        return kept
