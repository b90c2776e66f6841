"""What populations in one flat layout have in common: writing members into it, and going on with some of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

import torch

from aiq.config.training import Optimizer
from aiq.records.trial import Architecture
from aiq.training.networks.flat import Flat


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
