"""One step of an optimiser over flat buffers, the same numbers as ``torch.optim`` gives for each tensor alone.

Adam, AdamW and SGD call the kernels that ``torch.optim`` calls with ``fused=True``, without the bookkeeping around
them (which costs as much as a small network's update, and a second and 150 MB at first use). Adadelta (Zeiler 2012),
for which torch has no such kernel, goes over the buffers in blocks so that its temporaries stay in the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch

from aiq.config.training import Adadelta, Adam, AdamW, Optimizer, Sgd

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


def build(settings: Optimizer, values: torch.Tensor, parts: Parts, states: States | None) -> Update:
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
    """Return named buffers of zeros."""
    return {name: torch.zeros_like(values) for name in names}
