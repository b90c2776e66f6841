"""Networks in torch: initial weights from an explicit key, and the module that computes with them."""

from __future__ import annotations

from math import prod, sqrt

import torch
from torch import nn

from aiq import seeding
from aiq.policies.size import weight_shapes
from aiq.records.trial import Architecture


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
