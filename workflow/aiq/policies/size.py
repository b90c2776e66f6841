"""The size of a network: its layers' shapes, trainable parameters, compressed bytes.

How large the networks of a pool's design can be on a domain, told from those that were drawn.

The number of parameters of a network is linear in what the domain gives (inputs, outputs, the areas that convolutions
leave of its pictures), with coefficients that are products of widths. So the networks of a pool fix the size of every
other network of its design, without the domain.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterable, Sequence
from math import prod

import numpy as np
import numpy.typing as npt
import torch

from aiq.config.training import Pool
from aiq.errors import TrainingError
from aiq.policies.pool import architecture_of
from aiq.records.trial import Architecture

# ---- How large the networks of a pool's design can be on a domain, told from those that were -----


Floats = npt.NDArray[np.float64]

_KERNEL_AREA = 9
_ROUNDING = 1e-6


def largest_parameters(pool: Pool, drawn: Sequence[Architecture], parameters: Sequence[int]) -> int:
    """Return the number of parameters of the largest network of a pool's design on some domain.

    Args:
        pool: family and ranges.
        drawn: networks of the pool, at least one.
        parameters: how many each of them has on the domain.

    Returns:
        The largest over all depths at the largest width, of those that the networks drawn determine, and at least
        the largest that was drawn. That one alone where no domain gives the networks drawn their parameters.
    """
    depths = pool.layers[1]
    table = np.array([_terms(architecture, depths)[0] for architecture in drawn])
    rest = np.array(parameters, dtype=np.float64) - [_terms(architecture, depths)[1] for architecture in drawn]
    found = [max(parameters)]
    given = np.linalg.lstsq(table, rest, rcond=None)[0]
    if np.abs(table @ given - rest).max() > _ROUNDING * found[0] or given[:2].min() < 1 - _ROUNDING:
        return found[0]  # every domain has at least one input and one output
    for depth in range(pool.layers[0], depths + 1):
        wanted, known = _terms(architecture_of(pool, (pool.width[1],) * depth), depths)
        mixture = np.linalg.lstsq(table.T, wanted, rcond=None)[0]
        if np.abs(table.T @ mixture - wanted).max() <= _ROUNDING * np.abs(wanted).max():
            found.append(round(float(mixture @ rest) + known))
    return max(found)


def _terms(architecture: Architecture, depths: int) -> tuple[Floats, int]:
    """Return the coefficients of what the domain gives, and the parameters that it has no part in.

    What it gives: inputs (or channels), outputs, and for convolutions the area left by each depth, 1 to ``depths``.
    """
    widths, terms = architecture.widths, np.zeros(2 + depths)
    if architecture.family == "dense":
        if not widths:
            raise ValueError("a network without hidden layer has no coefficients of its own")
        terms[:2] = widths[0], widths[-1] + 1
        return terms, widths[0] + sum((before + 1) * after for before, after in itertools.pairwise(widths))
    dense = architecture.dense_nodes
    terms[:2] = _KERNEL_AREA * widths[0], dense + 1
    terms[1 + len(widths)] = widths[-1] * dense
    inner = sum(_KERNEL_AREA * before * after for before, after in itertools.pairwise(widths))
    return terms, inner + sum(widths) + dense


# ---- The size of a network -----------------------------------------------------------------------


KERNEL = 3
"""Side of every convolution kernel (3.1.5)."""


def reduced(side: int, reduction: str) -> int:
    """Return the side of a picture after one convolution and its reduction.

    ``pooling``: a 3x3 convolution with a border of one zero keeps the side, 2x2 max pooling halves it (rounding
    down). ``stride``: the same kernel and border at a stride of 3.
    """
    return side // 2 if reduction == "pooling" else (side - 1) // 3 + 1


def weight_shapes(
    architecture: Architecture, input_shape: tuple[int, ...], outputs: int
) -> tuple[tuple[int, ...], ...]:
    """Return the shape of each layer's weight, in the order of the layers; each has a bias of its first axis.

    Dense layers have (out, in), convolutions (filters, channels, 3, 3).

    Args:
        architecture: the layers.
        input_shape: shape of one sample, (features,) or (channels, height, width).
        outputs: number of classes.

    Raises:
        TrainingError: if a convolutional network is asked of vectors, or of pictures that its layers reduce to
            nothing.
    """
    if architecture.family == "dense":
        nodes = (prod(input_shape), *architecture.widths, outputs)
        return tuple((after, before) for before, after in itertools.pairwise(nodes))
    channels = _channels(architecture, input_shape)
    height, width = reduced_sides(architecture, input_shape)
    shapes: list[tuple[int, ...]] = []
    for filters in architecture.widths:
        shapes.append((filters, channels, KERNEL, KERNEL))
        channels = filters
    if height < 1 or width < 1:
        raise TrainingError(
            f"a convolutional network of {len(architecture.widths)} layers reduces pictures of "
            f"{input_shape[1]}x{input_shape[2]} to nothing; take fewer layers or larger pictures"
        )
    dense = architecture.dense_nodes
    return (*shapes, (dense, channels * height * width), (outputs, dense))


def reduced_sides(architecture: Architecture, input_shape: tuple[int, ...]) -> tuple[int, int]:
    """Return height and width of a picture after all convolutions and their reductions."""
    height, width = input_shape[1:]
    for _ in architecture.widths:
        height, width = reduced(height, architecture.reduction), reduced(width, architecture.reduction)
    return height, width


def _channels(architecture: Architecture, input_shape: tuple[int, ...]) -> int:
    """Return the channels of a sample, or refuse vectors."""
    if len(input_shape) != 3:
        raise TrainingError(
            f"a convolutional network of filters {list(architecture.widths)} cannot read vectors of shape "
            f"{list(input_shape)}; take the dense family for domains that are not images"
        )
    return input_shape[0]


def parameters(architecture: Architecture, input_shape: tuple[int, ...], outputs: int) -> int:
    """Return the number of trainable parameters in closed form: weights and one bias per output of each layer."""
    return sum(prod(shape) + shape[0] for shape in weight_shapes(architecture, input_shape, outputs))


def compressed(weights: Iterable[torch.Tensor]) -> int:
    """Return the bytes of the float32 weights after zlib at level 9.

    Args:
        weights: tensors in the order weight, bias of the first layer, weight, bias of the second ...; each is
            written in row-major order, little endian.
    """
    packer = zlib.compressobj(9)
    size = 0
    for tensor in weights:
        numbers = tensor.detach().to("cpu", torch.float32).contiguous().numpy()
        size += len(packer.compress(numbers.astype(np.dtype("<f4"), copy=False).tobytes()))
    return size + len(packer.flush())
