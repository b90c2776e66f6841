"""Parameters of a whole population in one buffer, their gradients in another, and one update for all.

One step of an optimiser over flat buffers gives the same numbers as ``torch.optim`` gives for each tensor alone. Adam,
AdamW and SGD call the kernels that ``torch.optim`` calls with ``fused=True``, without the bookkeeping around them
(which costs as much as a small network's update, and a second and 150 MB at first use). Adadelta (Zeiler 2012), for
which torch has no such kernel, goes over the buffers in blocks so that its temporaries stay in the cache.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import Protocol, Self

import torch

from aiq.config.training import Adadelta, Adam, AdamW, Optimizer, Sgd
from aiq.records.trial import Architecture

ALIGNMENT = 16
"""Every tensor of the buffer starts at a multiple of so many numbers (one cache line of float32)."""

Shape = tuple[int, ...]
Weights = list[torch.Tensor]
"""One network's tensors in the order of ``policies.networks.initial_weights``."""

BLOCK = 1 << 15
"""Numbers that Adadelta updates at a time."""

States = dict[str, torch.Tensor]

Parts = Callable[[torch.Tensor], list[torch.Tensor]]
"""Cuts a buffer into the parts whose gradients are given one by one."""


class Update(Protocol):
    """A step along the gradients; ``states`` are flat buffers as long as the values, and scalars."""

    states: States

    def __call__(self, gradients: list[torch.Tensor]) -> None:
        """Change the values in place, given the gradients of each part."""


class AdamUpdate:
    """Adam, and AdamW where the settings have a weight decay."""

    def __init__(self, settings: Adam | AdamW, values: torch.Tensor, parts: Parts, states: States) -> None:
        self.states = states
        self._parts = [parts(buffer) for buffer in (values, states["mean"], states["square"])]
        self._kernel = torch._fused_adam_ if isinstance(settings, Adam) else torch._fused_adamw_
        self._constants = {
            "lr": settings.learning_rate,
            "beta1": settings.betas[0],
            "beta2": settings.betas[1],
            "weight_decay": settings.weight_decay if isinstance(settings, AdamW) else 0.0,
            "eps": settings.epsilon,
            "amsgrad": False,
            "maximize": False,
        }

    def __call__(self, gradients: list[torch.Tensor]) -> None:
        """Change the values in place."""
        step = self.states["step"]
        step += 1
        values, means, squares = self._parts
        self._kernel(values, gradients, means, squares, [], [step] * len(values), **self._constants)


class SgdUpdate:
    """Stochastic gradient descent; the momentum starts as the first gradient, as torch has it."""

    def __init__(self, settings: Sgd, values: torch.Tensor, parts: Parts, states: States) -> None:
        self.states = states
        self._values = parts(values)
        self._momenta = parts(states["momentum"]) if states else []
        self._constants = {
            "lr": settings.learning_rate,
            "momentum": settings.momentum,
            "weight_decay": 0.0,
            "dampening": 0.0,
            "nesterov": False,
            "maximize": False,
        }

    def __call__(self, gradients: list[torch.Tensor]) -> None:
        """Change the values in place; a momentum of zeros and no dampening make the first step torch's own."""
        torch._fused_sgd_(self._values, gradients, self._momenta, is_first_step=False, **self._constants)


class AdadeltaUpdate:
    """Adadelta in blocks."""

    def __init__(self, settings: Adadelta, values: torch.Tensor, parts: Parts, states: States) -> None:
        self.states = states
        self._parts = [parts(buffer) for buffer in (values, states["square"], states["change"])]
        self._rate, self._rho, self._epsilon = settings.learning_rate, settings.rho, settings.epsilon
        self._size = BLOCK if values.device.type == "cpu" else max(1, len(values))

    def __call__(self, gradients: list[torch.Tensor]) -> None:
        """Change the values in place."""
        for part in zip(gradients, *self._parts, strict=True):
            for block in zip(*(buffer.split(self._size) for buffer in part), strict=True):
                self._block(*block)

    def _block(self, gradient: torch.Tensor, value: torch.Tensor, square: torch.Tensor, change: torch.Tensor) -> None:
        square.mul_(self._rho).addcmul_(gradient, gradient, value=1 - self._rho)
        delta = change.add(self._epsilon).sqrt_().div_(square.add(self._epsilon).sqrt_()).mul_(gradient)
        change.mul_(self._rho).addcmul_(delta, delta, value=1 - self._rho)
        value.add_(delta, alpha=-self._rate)


def _update_of(settings: Optimizer, values: torch.Tensor, parts: Parts, states: States | None) -> Update:
    """Return the named optimiser's update of these values, with given states or fresh ones."""
    match settings:
        case Adam() | AdamW():
            step = torch.zeros((), device=values.device, dtype=torch.float32)
            fresh = {**_zeros(values, "mean", "square"), "step": step}
            return AdamUpdate(settings, values, parts, states or fresh)
        case Sgd():
            return SgdUpdate(
                settings, values, parts, states or (_zeros(values, "momentum") if settings.momentum else {})
            )
        case Adadelta():
            return AdadeltaUpdate(settings, values, parts, states or _zeros(values, "square", "change"))


def _zeros(values: torch.Tensor, *names: str) -> States:
    return {name: torch.zeros_like(values) for name in names}


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
        self._update: Update | None = None

    @cached_property
    def gradients(self) -> torch.Tensor:
        """The gradients; networks that are only evaluated have none."""
        return torch.zeros_like(self.values)

    @cached_property
    def _given(self) -> list[torch.Tensor]:
        return self._parts(self.gradients)

    def views(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        """Return the tensors of the layout as views into a buffer of its length."""
        return [
            buffer[start : start + prod(shape)].view(shape)
            for start, shape in zip(self._starts[:-1], self._shapes, strict=True)
        ]

    def optimize(self, settings: Optimizer, states: States | None = None) -> None:
        """Set the optimiser, with the state of another population's members if given (see ``states``)."""
        self._update = _update_of(settings, self.values, self._parts, states)

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

    def states(self) -> States:
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

    flat: Flat
    numeric = False
    """Whether the networks learn numbers."""

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

    def put(self, buffer: torch.Tensor, weights: Sequence[Sequence[torch.Tensor]]) -> None:
        """Write every network's tensors into a buffer of the layout."""
        views = self.flat.views(buffer)
        for index, tensors in enumerate(weights):
            for view, tensor in zip(self._member(views, index), tensors, strict=True):
                view.copy_(tensor.detach())

    def take(self, buffer: torch.Tensor, index: int) -> list[torch.Tensor]:
        """Return a copy of one network's tensors in a buffer of the layout."""
        return [
            view.clone(memory_format=torch.contiguous_format) for view in self._member(self.flat.views(buffer), index)
        ]

    def weights(self, index: int) -> list[torch.Tensor]:
        """Return a copy of one network's tensors."""
        return self.take(self.flat.values, index)

    def sound(self) -> torch.Tensor:
        """Return whether the sum of all weights of all networks is finite, (): if it is, all of them are."""
        return self.flat.values.sum().isfinite()

    def finite(self) -> list[bool]:
        """Return for each network whether all its weights are finite, in one look at the device."""
        views, members = self.flat.views(self.flat.values), range(len(self.architectures))
        each = [torch.stack([t.isfinite().all() for t in self._member(views, index)]).all() for index in members]
        finite: list[bool] = torch.stack(each).tolist()
        return finite

    def optimize(self, settings: Optimizer) -> None:
        """Set the optimiser."""
        self.flat.optimize(settings)

    def keep(self, members: Sequence[int], settings: Optimizer) -> Self:
        """Return the networks of some positions alone, with their optimiser's state."""
        architectures = [self.architectures[index] for index in members]
        kept = type(self)(architectures, [self.weights(index) for index in members], shared=self._shared)
        states = {}
        for name, state in self.flat.states().items():
            if state.ndim:
                values = [self.take(state, index) for index in members]
                state = torch.zeros_like(kept.flat.values)
                kept.put(state, values)
            states[name] = state
        kept.flat.optimize(settings, states)
        return kept
