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
from typing import Self

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
"""An optimiser's flat buffers, as long as the values, and its scalars."""

Parts = Callable[[torch.Tensor], Weights]
"""Cuts a buffer into the parts whose gradients are given one by one."""

Update = Callable[[Weights], None]
"""Changes values in place, given the gradients of each part."""


def _fresh(settings: Optimizer, values: torch.Tensor) -> States:
    match settings:
        case Adam() | AdamW():
            step = torch.zeros((), device=values.device, dtype=torch.float32)
            return {"mean": torch.zeros_like(values), "square": torch.zeros_like(values), "step": step}
        case Sgd():
            return {"momentum": torch.zeros_like(values)} if settings.momentum else {}
        case Adadelta():
            return {"square": torch.zeros_like(values), "change": torch.zeros_like(values)}


def _update_of(settings: Optimizer, values: torch.Tensor, parts: Parts, states: States) -> Update:
    own, moments = parts(values), [parts(state) for state in states.values() if state.ndim]
    common = {"lr": settings.learning_rate, "maximize": False}
    match settings:
        case Adam() | AdamW():
            kernel = torch._fused_adam_ if isinstance(settings, Adam) else torch._fused_adamw_
            decay = settings.weight_decay if isinstance(settings, AdamW) else 0.0
            first, second = settings.betas
            rates = {**common, "beta1": first, "beta2": second, "weight_decay": decay, "eps": settings.epsilon}
            step = states["step"]

            def update(gradients: Weights) -> None:
                step.add_(1)
                kernel(own, gradients, *moments, [], [step] * len(own), amsgrad=False, **rates)

        case Sgd():
            momenta = moments[0] if moments else []
            rates = {**common, "momentum": settings.momentum, "weight_decay": 0.0, "dampening": 0.0, "nesterov": False}

            def update(gradients: Weights) -> None:
                # a momentum of zeros and no dampening make the first step torch's own: the first gradient
                torch._fused_sgd_(own, gradients, momenta, is_first_step=False, **rates)

        case Adadelta():
            rate, rho, epsilon = settings.learning_rate, settings.rho, settings.epsilon
            size = BLOCK if values.device.type == "cpu" else max(1, len(values))

            def update(gradients: Weights) -> None:
                for part in zip(own, gradients, *moments, strict=True):
                    for value, gradient, square, change in zip(*(b.split(size) for b in part), strict=True):
                        square.mul_(rho).addcmul_(gradient, gradient, value=1 - rho)
                        delta = change.add(epsilon).sqrt_().div_(square.add(epsilon).sqrt_()).mul_(gradient)
                        change.mul_(rho).addcmul_(delta, delta, value=1 - rho)
                        value.add_(delta, alpha=-rate)

    return update


class Flat:
    """Shapes laid out in flat buffers: ``values``, ``gradients`` and the optimiser's ``states``.

    Elementwise optimisers do not see where one tensor ends, so one call updates everything. ``apart`` is the number of
    the one tensor whose gradient may be given from outside the buffer.
    """

    def __init__(self, shapes: Sequence[Shape], device: torch.device, dtype: torch.dtype, *, apart: int = 0) -> None:
        sizes = [-(-prod(shape) // ALIGNMENT) * ALIGNMENT for shape in shapes]
        self._shapes, self._apart = tuple(shapes), apart
        self._starts = (0, *accumulate(sizes))
        self.values = torch.zeros(self._starts[-1], device=device, dtype=dtype)
        self.states: States = {}

    @cached_property
    def gradients(self) -> torch.Tensor:
        """The gradients; networks that are only evaluated have none."""
        return torch.zeros_like(self.values)

    @cached_property
    def _given(self) -> Weights:
        return self._parts(self.gradients)

    def views(self, buffer: torch.Tensor) -> Weights:
        """Return the tensors of the layout as views into a buffer of its length."""
        return [
            buffer[start : start + prod(shape)].view(shape)
            for start, shape in zip(self._starts[:-1], self._shapes, strict=True)
        ]

    def optimize(self, settings: Optimizer, states: States | None = None) -> None:
        """Set the optimiser, with the state of another population's members if given."""
        self.states = states or _fresh(settings, self.values)
        self._update = _update_of(settings, self.values, self._parts, self.states)

    def _parts(self, buffer: torch.Tensor) -> Weights:
        """Return the numbers of the tensor apart, of those behind it and of those before it."""
        start, end = self._starts[self._apart : self._apart + 2]
        parts = [buffer[start : start + prod(self._shapes[self._apart])], buffer[end:], buffer[:start]]
        return [parts[0], *(part for part in parts[1:] if len(part))]

    def update(self, apart: torch.Tensor | None = None) -> None:
        """Take one step along the gradients; that of the tensor apart may lie outside the buffer."""
        gradients = list(self._given)
        if apart is not None:
            gradients[0] = apart.view(-1)
        self._update(gradients)


class Nets(ABC):
    """Networks computed together, whose tensors are views into one ``Flat``; all kinds look alike to who trains them.

    With ``shared`` all networks see the same samples, else each its own; the latter asks for one architecture.
    """

    flat: Flat
    numeric = False
    """Whether the networks learn numbers."""

    def __init__(self, architectures: Sequence[Architecture], *, shared: bool) -> None:
        self.architectures, self._shared = tuple(architectures), shared

    @abstractmethod
    def _member(self, views: Sequence[torch.Tensor], index: int) -> Weights:
        """Return one network's tensors as views into those of the layout, in the order of initial weights."""

    def put(self, buffer: torch.Tensor, weights: Sequence[Weights]) -> None:
        """Write every network's tensors into a buffer of the layout."""
        views = self.flat.views(buffer)
        for index, tensors in enumerate(weights):
            for view, tensor in zip(self._member(views, index), tensors, strict=True):
                view.copy_(tensor.detach())

    def take(self, buffer: torch.Tensor, index: int) -> Weights:
        """Return a copy of one network's tensors in a buffer of the layout."""
        return [
            view.clone(memory_format=torch.contiguous_format) for view in self._member(self.flat.views(buffer), index)
        ]

    def weights(self, index: int) -> Weights:
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

    def keep(self, members: Sequence[int], settings: Optimizer) -> Self:
        """Return the networks of some positions alone, with their optimiser's state."""
        architectures = [self.architectures[index] for index in members]
        kept = type(self)(architectures, [self.weights(index) for index in members], shared=self._shared)
        states = {}
        for name, state in self.flat.states.items():
            if state.ndim:
                values = [self.take(state, index) for index in members]
                state = torch.zeros_like(kept.flat.values)
                kept.put(state, values)
            states[name] = state
        kept.flat.optimize(settings, states)
        return kept


class Classifiers(Nets):
    """Networks that are trained on labelled samples."""

    @abstractmethod
    def step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Take one step of the mean cross-entropy of a batch, for every network."""

    @abstractmethod
    def losses(self) -> torch.Tensor:
        """Return each network's loss summed over the samples of the steps since the last call, (networks,), float64."""

    @abstractmethod
    def right(self, x: torch.Tensor, y: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
        """Return for each network how many samples have their largest logit at the label, (networks,).

        With ``own`` outputs: (2, networks), among all outputs and among those. Networks that learn numbers return the
        sum of squared errors, and know no outputs of their own.
        """
