"""What networks computed together share: parameters in one buffer, one update for all, products, pooling, hits.

Parameters of a whole population lie in one buffer, their gradients in another. One step of an optimiser over flat
buffers gives the same numbers as ``torch.optim`` gives for each tensor alone. Adam, AdamW and SGD call the kernels that
``torch.optim`` calls with ``fused=True``, without the bookkeeping around them (which costs as much as a small network's
update, and a second and 150 MB at first use). Adadelta (Zeiler 2012), for which torch has no such kernel, goes over the
buffers in blocks so that its temporaries stay in the cache.

Torch's ``mm`` is MKL's on x86. On processors of other makers than MKL's it leaves their widest vectors unused, and
oneDNN, which torch carries for its convolutions, is twice as fast (``docs/methods/training.md``). Which one computes
follows from the processor and the sizes alone, so a result is the same on every repetition.

For pooling, which torch does in several passes over memory, a loop is compiled by numba. Channels are taken in blocks,
so that the compiler makes vectors of them; the last block overlaps the one before it.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from math import inf, prod
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
import torch

from aiq.config.training import Adadelta, Adam, AdamW, Optimizer, Sgd
from aiq.records.trial import Architecture
from aiq.training.device import accelerated

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
            return {}
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
            rates = {**common, "momentum": 0.0, "weight_decay": 0.0, "dampening": 0.0, "nesterov": False}

            def update(gradients: Weights) -> None:
                torch._fused_sgd_(own, gradients, [], is_first_step=False, **rates)

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

    _losses: torch.Tensor
    """Each network's loss summed over the samples of the steps since it was last read, (networks,), float64."""

    def losses(self) -> torch.Tensor:
        """Return the losses summed since the last call, and begin the sums anew."""
        losses = self._losses.clone()
        self._losses.zero_()
        return losses

    @abstractmethod
    def right(self, x: torch.Tensor, y: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
        """Return for each network how many samples have their largest logit at the label, (networks,).

        With ``own`` outputs: (2, networks), among all outputs and among those. Networks that learn numbers return the
        sum of squared errors, and know no outputs of their own.
        """


# ---- Matrix products of single precision, by whichever library is faster -------------------------

SMALL = 2_000_000
"""Multiplications below which a product goes to ``mm``, whose calls cost less."""


@functools.cache
def available() -> bool:
    """Whether oneDNN's product is there and the processor has the vectors for which it is preferred."""
    built = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return built and torch.backends.cpu.get_cpu_capability() == "AVX512"


def preferred(a: torch.Tensor, columns: int) -> bool:
    """Whether oneDNN computes products of a matrix like ``a`` with so many columns."""
    return a.device.type == "cpu" and a.dtype == torch.float32 and a.numel() * columns >= SMALL and available()


def times_transposed(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a b^T of (n, k) and (m, k) by oneDNN; either may have transposed strides."""
    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise.default(a, b, None, "none", [], "")
    return result


# ---- Max pooling of two by two -------------------------------------------------------------------

POOL = (2, 2)
ZERO, TWO = np.uint64(0), np.uint64(2)  # unsigned, so that no index is read as one from the end


def largest(raw: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the largest of two by two of (n, channels, height, width), and where (``max_pool2d_with_indices``)."""
    count, channels, height, width = raw.shape
    flat = raw.permute(0, 2, 3, 1)
    usable = raw.device.type == "cpu" and raw.dtype == torch.float32 and torch.get_num_threads() == 1
    if not (usable and channels > 1 and min(height, width) > 1 and flat.is_contiguous()):
        pooled: tuple[torch.Tensor, torch.Tensor] = torch.ops.aten.max_pool2d_with_indices(raw, POOL, POOL)
        return pooled
    shape = (count, height // 2, width // 2, channels)
    out, places = raw.new_empty(shape), torch.empty(shape, dtype=torch.int64)
    arrays = [tensor.view(-1).numpy() for tensor in (flat, out, places)]
    pool()(*arrays, tuple(map(np.uint64, shape)), (np.uint64(height), np.uint64(width)))
    return out.permute(0, 3, 1, 2), places.permute(0, 3, 1, 2)


@functools.cache
def pool() -> Callable[..., None]:
    """Return the compiled loop (see ``_pool``)."""
    from aiq.compilation import Compiler  # numba takes half a second to start

    return Compiler(Path(__file__).parent)(_pool)


def _pool(
    raw: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
    places: npt.NDArray[np.int64],
    shape: tuple[np.uint64, np.uint64, np.uint64, np.uint64],
    side: tuple[np.uint64, np.uint64],
) -> None:
    """Fill out and places from raw; NaN counts as the largest, and of equal numbers the first, row by row.

    ``raw`` are flat pictures (n, *side, channels), ``out`` flat ones of ``shape`` (n, side[0] // 2, side[1] // 2,
    channels), ``places`` as long: row times width plus column in the picture of ``raw``. Sizes are unsigned.
    """
    count, height, width, channels = shape
    lanes = min(channels, np.uint64(16))
    for n in range(count):
        for h in range(height):
            for w in range(width):
                to = ((n * height + h) * width + w) * channels
                place = TWO * h * side[1] + TWO * w
                top_left = (n * side[0] * side[1] + place) * channels
                top_right, bottom_left = top_left + channels, top_left + side[1] * channels
                bottom_right = bottom_left + channels
                first, below = np.int64(place), np.int64(place + side[1])
                for block in range(ZERO, channels, lanes):
                    start = min(block, channels - lanes)
                    for lane in range(lanes):
                        c = start + lane
                        most, where = raw[top_left + c], first
                        other = raw[top_right + c]
                        more = (other > most) | (other != other)
                        most, where = other if more else most, first + 1 if more else where
                        other = raw[bottom_left + c]
                        more = (other > most) | (other != other)
                        most, where = other if more else most, below if more else where
                        other = raw[bottom_right + c]
                        more = (other > most) | (other != other)
                        most, where = other if more else most, below + 1 if more else where
                        out[to + c] = most
                        places[to + c] = where


# ---- For which samples the largest of some numbers is the label's --------------------------------


def counts(logits: torch.Tensor, labels: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
    """Return how many samples are hits, (networks,), int64; with ``own`` (2, networks), among all and among those."""
    every = hits(logits, labels).sum(1)
    return every if own is None else torch.stack([every, hits(logits, labels, own).sum(1)])


def hits(logits: torch.Tensor, labels: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
    """Return whether the first of the largest outputs is the label, (networks, samples), bool.

    Logits are (networks, outputs, samples), labels (networks or 1, samples); with ``own`` only these outputs count,
    which hold all labels.
    """
    if own is not None:
        chosen = torch.tensor(own, device=logits.device)
        places = torch.zeros(logits.shape[1], dtype=torch.int64, device=logits.device)
        places[chosen] = torch.arange(len(own), device=logits.device)
        return hits(logits.index_select(1, chosen), places[labels])
    if logits.device.type != "cpu" or accelerated(logits.device):
        return logits.argmax(1) == labels
    at = labels.expand(len(logits), -1)[:, None]
    label = logits.gather(1, at)
    others = logits.scatter(1, at, -inf).amax(1, keepdim=True)
    above = label > others
    decided = above | (label < others)
    return above[:, 0] if bool(decided.all()) else logits.argmax(1) == labels  # neither: equal numbers, or NaN
