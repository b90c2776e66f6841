"""One step of an optimiser over flat buffers, the same numbers as ``torch.optim`` gives for each tensor alone.

Adam, AdamW and SGD call the kernels that ``torch.optim`` calls with ``fused=True``, without the bookkeeping around
them (which costs as much as a small network's update, and a second and 150 MB at first use). Adadelta (Zeiler 2012),
for which torch has no such kernel, goes over the buffers in blocks so that its temporaries stay in the cache.
"""

from __future__ import annotations

from typing import Protocol

import torch

from aiq.config.training import Adadelta, Adam, AdamW, Optimizer, Sgd

BLOCK = 1 << 15
"""Numbers that Adadelta updates at a time."""

States = dict[str, torch.Tensor]


class Update(Protocol):
    """A step along the gradients; ``states`` are flat buffers as long as the values, and scalars."""

    states: States

    def __call__(self, values: torch.Tensor, gradients: torch.Tensor) -> None:
        """Change the values in place."""


class AdamUpdate:
    """Adam, and AdamW where the settings have a weight decay."""

    def __init__(self, settings: Adam | AdamW, states: States) -> None:
        self.states = states
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

    def __call__(self, values: torch.Tensor, gradients: torch.Tensor) -> None:
        """Change the values in place."""
        s = self.states
        s["step"] += 1
        self._kernel([values], [gradients], [s["mean"]], [s["square"]], [], [s["step"]], **self._constants)


class SgdUpdate:
    """Stochastic gradient descent; the momentum starts as the first gradient, as torch has it."""

    def __init__(self, settings: Sgd, states: States) -> None:
        self.states = states
        self._constants = {
            "lr": settings.learning_rate,
            "momentum": settings.momentum,
            "weight_decay": 0.0,
            "dampening": 0.0,
            "nesterov": False,
            "maximize": False,
        }

    def __call__(self, values: torch.Tensor, gradients: torch.Tensor) -> None:
        """Change the values in place; a momentum of zeros and no dampening make the first step torch's own."""
        buffers = list(self.states.values())
        torch._fused_sgd_([values], [gradients], buffers, is_first_step=False, **self._constants)


class AdadeltaUpdate:
    """Adadelta in blocks."""

    def __init__(self, settings: Adadelta, states: States) -> None:
        self.states = states
        self._rate, self._rho, self._epsilon = settings.learning_rate, settings.rho, settings.epsilon

    def __call__(self, values: torch.Tensor, gradients: torch.Tensor) -> None:
        """Change the values in place."""
        buffers = (values, gradients, self.states["square"], self.states["change"])
        size = BLOCK if values.device.type == "cpu" else max(1, len(values))
        for value, gradient, square, change in zip(*(buffer.split(size) for buffer in buffers), strict=True):
            square.mul_(self._rho).addcmul_(gradient, gradient, value=1 - self._rho)
            delta = change.add(self._epsilon).sqrt_().div_(square.add(self._epsilon).sqrt_()).mul_(gradient)
            change.mul_(self._rho).addcmul_(delta, delta, value=1 - self._rho)
            value.add_(delta, alpha=-self._rate)


def build(settings: Optimizer, values: torch.Tensor, states: States | None) -> Update:
    """Return the named optimiser's update with given states, or fresh ones for these values."""
    match settings:
        case Adam() | AdamW():
            step = torch.zeros((), device=values.device, dtype=torch.float32)
            return AdamUpdate(settings, states or {**_zeros(values, "mean", "square"), "step": step})
        case Sgd():
            return SgdUpdate(settings, states or (_zeros(values, "momentum") if settings.momentum else {}))
        case Adadelta():
            return AdadeltaUpdate(settings, states or _zeros(values, "square", "change"))


def _zeros(values: torch.Tensor, *names: str) -> States:
    """Return named buffers of zeros."""
    return {name: torch.zeros_like(values) for name in names}
