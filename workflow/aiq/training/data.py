"""Labelled data as training wants it: one domain's, or two domains' on common ground (spec of mixtures: 2.5.3)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

from aiq.domains.base import LabelledDomain, Target
from aiq.errors import TrainingError

Outputs = Literal["classes", "label_space"]
Sharing = Literal["apart", "shared"]
"""Whether domains of different data sets have outputs of their own, or the same ones."""


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Samples and labels of one domain, as tensors.

    ``train_x`` and ``test_x`` have shape (n, *shape), uint8 or float32; a network sees them times ``scale``
    (1/255 for uint8, 1 for float32). Labels are int64 in 0 ... outputs - 1. ``own`` are the outputs of the classes
    that occur in the domain, in rising order; None: all outputs. With the target ``number`` labels are float32
    numbers, standardised by the training split, and there is one output.
    """

    name: str
    train_x: torch.Tensor
    train_y: torch.Tensor
    test_x: torch.Tensor
    test_y: torch.Tensor
    outputs: int
    scale: float
    own: tuple[int, ...] | None = None
    target: Target = "classes"

    def __post_init__(self) -> None:
        """Refuse labels that no output stands for."""
        if self.numeric:
            return
        for labels in (self.train_y, self.test_y):
            if len(labels) and not 0 <= int(labels.min()) <= int(labels.max()) < self.outputs:
                raise TrainingError(f"domain {self.name}: labels lie outside the {self.outputs} outputs of the network")

    @classmethod
    def of(cls, domain: LabelledDomain, outputs: Outputs = "classes") -> LabelledData:
        """Return a domain's data with one output for each class that occurs, or for each label of its space."""
        labels = outputs_of((domain,), outputs)
        return tensors(domain, domain.train_x, domain.test_x, labels, len(labels))

    @property
    def parts(self) -> tuple[LabelledData, ...]:
        """The one domain."""
        return (self,)

    @property
    def numeric(self) -> bool:
        """Whether a number is learned (regression)."""
        return self.target == "number"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one sample, (features,) or (channels, height, width)."""
        return tuple(self.train_x.shape[1:])


@dataclass(frozen=True, eq=False)
class MixedData:
    """Two domains with samples of one shape and one set of outputs; ``same`` where both are one domain."""

    first: LabelledData
    second: LabelledData
    same: bool

    @property
    def parts(self) -> tuple[LabelledData, ...]:
        """The two domains, or the one."""
        return (self.first,) if self.same else (self.first, self.second)

    @property
    def numeric(self) -> bool:
        """Whether a number is learned (regression)."""
        return self.first.numeric

    @property
    def shape(self) -> tuple[int, ...]:
        """Common shape of the samples."""
        return self.first.shape

    @property
    def outputs(self) -> int:
        """Common number of outputs."""
        return self.first.outputs


def training_split(data: LabelledData | MixedData, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Return samples, labels and scale of the training splits, one after the other; as uint8 where all are."""
    parts = data.parts
    if len(parts) == 1:
        return parts[0].train_x, parts[0].train_y, parts[0].scale
    y = torch.cat([part.train_y for part in parts])
    if len({(part.train_x.dtype, part.scale) for part in parts}) == 1:
        return torch.cat([part.train_x for part in parts]), y, parts[0].scale
    return torch.cat([part.train_x.to(dtype) * part.scale for part in parts]), y, 1.0


def mixed(
    first: LabelledDomain,
    second: LabelledDomain,
    outputs: Outputs = "classes",
    *,
    sharing: Sharing = "apart",
) -> MixedData:
    """Bring two domains to one input shape and one set of outputs.

    Inputs are zero-padded to the larger: pictures keep their channels in front and are centred in the larger
    height and width, missing channels are zero; a picture with a vector is flattened, and the shorter of the two
    is filled up behind. Domains of one label space share their labels (with ``classes``, the union of those that
    occur); otherwise the labels are disjoint, those of the first domain come first, or with ``shared`` they begin
    with the same output. Two domains in which numbers are learned share the one output that each has.
    """
    same = first is second or first.name == second.name
    check_label_space(first, second)
    if first.numeric or first.label_space == second.label_space:
        labels = outputs_of((first, second), outputs)
        maps, total = (labels, labels), len(labels)
    else:
        own = (outputs_of((first,), outputs), outputs_of((second,), outputs))
        offset = len(own[0]) if sharing == "apart" else 0
        total = max(len(own[0]), offset + len(own[1]))
        maps = (own[0], {label: place + offset for label, place in own[1].items()})
    shape = common_shape(first.shape, second.shape)
    first_data, second_data = (
        tensors(domain, pad(domain.train_x, shape), pad(domain.test_x, shape), map_, total)
        for domain, map_ in zip((first, second), maps, strict=True)
    )
    return MixedData(first_data, first_data if same else second_data, same)


def check_label_space(first: LabelledDomain, second: LabelledDomain) -> None:
    """Refuse domains that count different labels in one label space, and classes beside numbers."""
    if first.target != second.target:
        raise TrainingError(
            f"domains {first.name} and {second.name} cannot be mixed: in one classes are learned, in the other a number"
        )
    if first.label_space == second.label_space and first.labels != second.labels:
        raise TrainingError(
            f"domains {first.name} and {second.name} share the label space {first.label_space!r} but count "
            f"{first.labels} and {second.labels} labels in it; give them label spaces of their own"
        )


def common_shape(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that holds samples of both shapes; a picture and a vector meet as vectors."""
    if len(first) == len(second):
        return tuple(max(a, b) for a, b in zip(first, second, strict=True))
    return (max(prod(first), prod(second)),)


def pad(x: npt.NDArray[np.generic], shape: tuple[int, ...]) -> npt.NDArray[np.generic]:
    """Return samples (n, *own shape) zero-padded to (n, *shape): pictures centred, vectors filled up behind."""
    if x.shape[1:] == shape:
        return x
    if len(shape) == 1:
        flat = x.reshape(len(x), -1)
        starts: tuple[int, ...] = (0,)
    else:
        flat = x
        starts = (0, *((new - old) // 2 for new, old in zip(shape[1:], x.shape[2:], strict=True)))
    wide = np.zeros((len(x), *shape), dtype=x.dtype)
    window = tuple(slice(start, start + size) for start, size in zip(starts, flat.shape[1:], strict=True))
    wide[(slice(None), *window)] = flat
    return wide


def outputs_of(domains: tuple[LabelledDomain, ...], outputs: Outputs) -> dict[int, int]:
    """Return the output of each label: compact over the labels that occur, or the label itself; 0 of a number."""
    if domains[0].numeric:
        return {0: 0}
    if outputs == "label_space":
        return {label: label for label in range(domains[0].labels)}
    occur = np.unique(np.concatenate([part for d in domains for part in (d.train_y, d.test_y)]))
    return {int(label): place for place, label in enumerate(occur)}


def tensors(
    domain: LabelledDomain,
    train_x: npt.NDArray[np.generic],
    test_x: npt.NDArray[np.generic],
    labels: dict[int, int],
    outputs: int,
) -> LabelledData:
    """Return tensors over the arrays (not copied where they can be shared) with relabelled classes."""
    scale = 1 / 255 if train_x.dtype == np.uint8 else 1.0
    if domain.numeric:
        parts = [torch.from_numpy(_writable(part)) for part in (train_x, domain.train_y, test_x, domain.test_y)]
        return LabelledData(domain.name, *parts, outputs, scale, target="number")
    table = np.full(domain.labels, -1, dtype=np.int64)
    table[list(labels)] = list(labels.values())
    occur = np.union1d(domain.train_y, domain.test_y)
    return LabelledData(
        domain.name,
        torch.from_numpy(_writable(train_x)),
        torch.from_numpy(table[domain.train_y]),
        torch.from_numpy(_writable(test_x)),
        torch.from_numpy(table[domain.test_y]),
        outputs,
        scale,
        tuple(sorted(table[occur].tolist())),
    )


def _writable(x: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Return a contiguous array that torch can share; a read-only one is copied."""
    return np.require(x, requirements=("C", "W"))


def determination(squared_error: float, y: torch.Tensor) -> float:
    """Return R² = 1 - squared error / squared error of the mean of the test numbers ``y`` (n,), clipped to [0, 1]."""
    numbers = y.double()
    total = float((numbers - numbers.mean()).square().sum())
    return min(1.0, max(0.0, 1 - squared_error / total))
