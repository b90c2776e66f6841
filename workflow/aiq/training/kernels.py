"""What torch computes, faster on a processor: matrix products, max pooling, and which samples are told apart.

Torch's ``mm`` is MKL's on x86. On processors of other makers than MKL's it leaves their widest vectors unused, and
oneDNN, which torch carries for its convolutions, is twice as fast (``docs/methods/training.md``). Which one computes
follows from the processor and the sizes alone, so a result is the same on every repetition.

For pooling, which torch does in several passes over memory, a loop is compiled by numba. Channels are taken in blocks,
so that the compiler makes vectors of them; the last block overlaps the one before it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from aiq.training.device import accelerated

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

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Shape = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


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


def _pool(raw: Floats, out: Floats, places: Integers, shape: Shape, side: tuple[np.uint64, np.uint64]) -> None:
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
