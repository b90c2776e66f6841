"""Pools of networks (2.4.3, 3.1.4, 3.1.5): architectures drawn at random, initial weights, modules in torch, sizes."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterable
from math import prod, sqrt

import numpy as np
import torch
from torch import nn

from aiq import seeding
from aiq.config.training import Network, Pool
from aiq.errors import TrainingError
from aiq.records.trial import Architecture, Policy

KERNEL = 3
"""Side of every convolution kernel (3.1.5)."""


def sample(pool: Pool, root_seed: int, index: int) -> Architecture:
    """Return member ``index`` of the pool: depth and the width of every layer uniform over the pool's ranges.

    The draw is keyed by the family, the ranges and the index alone, so the first members of a larger pool are the
    members of the smaller one, and nothing depends on how the pool is cut into chunks; the index may lie beyond
    ``pool.size``, which then is a larger pool's member.

    Raises:
        InputError: if the index is negative.
    """
    generator = seeding.generator(root_seed, "pool", pool.family, *pool.layers, *pool.width, index)
    depth = int(generator.integers(pool.layers[0], pool.layers[1], endpoint=True))
    widths = generator.integers(pool.width[0], pool.width[1], size=depth, endpoint=True)
    return architecture_of(pool, tuple(int(width) for width in widths))


def architecture_of(kind: Pool | Network, widths: tuple[int, ...]) -> Architecture:
    """Return the network of a family that has these widths; what belongs to convolutions is a default in dense ones."""
    if kind.family == "dense":
        return Architecture("dense", widths)
    return Architecture("convolutional", widths, kind.dense_nodes, kind.reduction)


def chunk(pool: Pool, root_seed: int, domain: str, chunk: int) -> list[Policy]:
    """Return the policies of one chunk on one domain, each with the seed of its initial weights.

    The architectures are the same for every domain (2.4.3 asks for one pool); the initial weights are not: they
    are keyed by ("trial", domain, index).

    Raises:
        InputError: if the pool has no such chunk.
    """
    first = chunk * pool.policies_per_chunk
    return [
        Policy(sample(pool, root_seed, index), seeding.integer(root_seed, "trial", domain, index))
        for index in range(first, first + pool.policies_per_chunk)
    ]


def from_network(network: Network) -> Architecture:
    """Return the architecture of a network given by depth and width (agents, mixtures)."""
    return architecture_of(network, (network.width,) * network.layers)


# ---- What a network consists of ------------------------------------------------------------------


def initial_weights(
    architecture: Architecture,
    input_shape: tuple[int, ...],
    outputs: int,
    seed: int,
    dtype: torch.dtype = torch.float32,
) -> list[torch.Tensor]:
    """Return weight, bias of the first layer, weight, bias of the second ..., drawn anew from the seed.

    PyTorch's default rule written out: Kaiming-uniform with a = sqrt(5) (He et al. 2015), which makes weights and
    biases uniform in +-1/sqrt(fan_in). Layer k draws from the key ("weights", k) under ``seed``, in double
    precision, then rounded to ``dtype``: single- and double-precision trainings start from the same numbers.
    """
    tensors: list[torch.Tensor] = []
    for layer, shape in enumerate(weight_shapes(architecture, input_shape, outputs)):
        generator = seeding.generator(seed, "weights", layer)
        bound = 1 / sqrt(prod(shape[1:]))
        for part in (shape, shape[:1]):
            numbers = torch.from_numpy(generator.uniform(-bound, bound, size=part))
            tensors.append(numbers.to(torch.float32).to(dtype))
    return tensors


def network(
    architecture: Architecture,
    input_shape: tuple[int, ...],
    outputs: int,
    seed: int,
    dtype: torch.dtype = torch.float32,
) -> nn.Sequential:
    """Return the network as a module that maps samples (n, *input_shape) to logits (n, outputs).

    Dense: samples are flattened, ReLU after each hidden layer. Convolutional: 3x3 convolutions with a border of
    one zero, each followed by ReLU and 2x2 max pooling (or made at a stride of 3), then one dense layer with ReLU
    and the output layer. ``list(module.parameters())`` is in the order of ``initial_weights``.
    """
    shapes = weight_shapes(architecture, input_shape, outputs)
    layers: list[nn.Module] = []
    for shape in shapes:
        if len(shape) == 4:
            stride = 3 if architecture.reduction == "stride" else 1
            layers += [nn.utils.skip_init(nn.Conv2d, shape[1], shape[0], 3, stride=stride, padding=1), nn.ReLU()]
            if architecture.reduction == "pooling":
                layers.append(nn.MaxPool2d(2))
        else:
            if not any(isinstance(layer, nn.Flatten) for layer in layers):
                layers.append(nn.Flatten())
            layers += [nn.utils.skip_init(nn.Linear, shape[1], shape[0]), nn.ReLU()]
    module = nn.Sequential(*layers[:-1]).to(dtype)
    load(module, initial_weights(architecture, input_shape, outputs, seed, dtype))
    return module


def load(module: nn.Module, weights: list[torch.Tensor]) -> None:
    """Copy weights, in the order of ``initial_weights``, into a module."""
    with torch.no_grad():
        for parameter, values in zip(module.parameters(), weights, strict=True):
            parameter.copy_(values)


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

    Dense layers have (out, in), convolutions (filters, channels, 3, 3). A sample has the shape (features,) or
    (channels, height, width).

    Raises:
        TrainingError: if a convolutional network is asked of vectors, or of pictures that its layers reduce to
            nothing.
    """
    if architecture.family == "dense":
        nodes = (prod(input_shape), *architecture.widths, outputs)
        return tuple((after, before) for before, after in itertools.pairwise(nodes))
    if len(input_shape) != 3:
        raise TrainingError(
            f"a convolutional network of filters {list(architecture.widths)} cannot read vectors of shape "
            f"{list(input_shape)}; take the dense family for domains that are not images"
        )
    channels = input_shape[0]
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


def parameters(architecture: Architecture, input_shape: tuple[int, ...], outputs: int) -> int:
    """Return the number of trainable parameters in closed form: weights and one bias per output of each layer."""
    return sum(prod(shape) + shape[0] for shape in weight_shapes(architecture, input_shape, outputs))


def compressed(weights: Iterable[torch.Tensor]) -> int:
    """Return the bytes of the float32 weights after zlib at level 9.

    Tensors come in the order weight, bias of the first layer, weight, bias of the second ...; each is written in
    row-major order, little endian.
    """
    packer = zlib.compressobj(9)
    size = 0
    for tensor in weights:
        numbers = tensor.detach().to("cpu", torch.float32).contiguous().numpy()
        size += len(packer.compress(numbers.astype(np.dtype("<f4"), copy=False).tobytes()))
    return size + len(packer.flush())
