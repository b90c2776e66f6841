"""Labelled data as training wants it: one domain's, two domains' on common ground (2.5.3), or on that of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

from aiq import seeding
from aiq.domains.base import LabelledDomain, Target
from aiq.domains.control import ControlDomain
from aiq.domains.control.mixed_worlds import earnings
from aiq.errors import TrainingError
from aiq.records.domains import ControlInterface, Interface

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

    @classmethod
    def of(cls, domain: LabelledDomain) -> LabelledData:
        """Return a domain's data with one output for each class that occurs."""
        labels = _outputs_of(domain)
        return _tensors(domain, domain.train_x, domain.test_x, labels, len(labels))

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


def mixed(first: LabelledDomain, second: LabelledDomain, *, sharing: Sharing = "apart") -> MixedData:
    """Bring two domains to one input shape and one set of outputs.

    Inputs are zero-padded to the larger: pictures keep their channels in front and are centred in the larger
    height and width, missing channels are zero; a picture with a vector is flattened, and the shorter of the two
    is filled up behind. Domains of one label space share their labels (the union of those that
    occur); otherwise the labels are disjoint, those of the first domain come first, or with ``shared`` they begin
    with the same output. Two domains in which numbers are learned share the one output that each has.
    """
    same = first is second or first.name == second.name
    _check_label_space(first, second)
    if first.numeric or first.label_space == second.label_space:
        labels = _outputs_of(first, second)
        maps, total = (labels, labels), len(labels)
    else:
        own = (_outputs_of(first), _outputs_of(second))
        offset = len(own[0]) if sharing == "apart" else 0
        total = max(len(own[0]), offset + len(own[1]))
        maps = (own[0], {label: place + offset for label, place in own[1].items()})
    shape = common_shape(first.shape, second.shape)
    first_data, second_data = (
        _tensors(domain, pad(domain.train_x, shape), pad(domain.test_x, shape), map_, total)
        for domain, map_ in zip((first, second), maps, strict=True)
    )
    return MixedData(first_data, first_data if same else second_data, same)


def _check_label_space(first: LabelledDomain, second: LabelledDomain) -> None:
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
    flat = x.reshape(len(x), -1) if len(shape) == 1 else x
    starts = (0, *((new - old) // 2 for new, old in zip(shape[1:], flat.shape[2:], strict=True)))
    wide = np.zeros((len(x), *shape), dtype=x.dtype)
    window = tuple(slice(start, start + size) for start, size in zip(starts, flat.shape[1:], strict=True))
    wide[(slice(None), *window)] = flat
    return wide


def _outputs_of(*domains: LabelledDomain) -> dict[int, int]:
    """Return the output of each label, compact over the labels that occur; 0 of a number."""
    if domains[0].numeric:
        return {0: 0}
    occur = np.unique(np.concatenate([part for d in domains for part in (d.train_y, d.test_y)]))
    return {int(label): place for place, label in enumerate(occur)}


def _tensors(
    domain: LabelledDomain,
    train_x: npt.NDArray[np.generic],
    test_x: npt.NDArray[np.generic],
    labels: dict[int, int],
    outputs: int,
) -> LabelledData:
    """Return tensors over the arrays (not copied where they can be shared) with relabelled classes."""
    scale = 1 / 255 if train_x.dtype == np.uint8 else 1.0
    if domain.numeric:
        given = (train_x, domain.train_y, test_x, domain.test_y)
        return LabelledData(domain.name, *map(_tensor, given), outputs, scale, target="number")
    table = np.full(domain.labels, -1, dtype=np.int64)
    table[list(labels)] = list(labels.values())
    occur = np.union1d(domain.train_y, domain.test_y)
    return LabelledData(
        domain.name,
        _tensor(train_x),
        torch.from_numpy(table[domain.train_y]),
        _tensor(test_x),
        torch.from_numpy(table[domain.test_y]),
        outputs,
        scale,
        tuple(sorted(table[occur].tolist())),
    )


def _tensor(x: npt.NDArray[np.generic]) -> torch.Tensor:
    """Return a tensor over an array; one that is read-only or not contiguous is copied."""
    return torch.from_numpy(np.require(x, requirements=("C", "W")))


def determination(squared_error: float, y: torch.Tensor) -> float:
    """Return R² = 1 - squared error / squared error of the mean of the test numbers ``y`` (n,), clipped to [0, 1]."""
    numbers = y.double()
    return min(1.0, max(0.0, 1 - squared_error / float((numbers - numbers.mean()).square().sum())))


# ---- The interface that all mixtures of a suite share ----------------------------------------------


def suite_interface(
    domains: Iterable[LabelledDomain], *, sharing: Sharing = "apart", samples: int | None = None
) -> Interface:
    """Return the interface of a suite of labelled domains, which are read one after the other and not kept.

    Pictures meet in the largest number of channels, height and width; where the suite also holds vectors, pictures are
    flattened from there, and samples are as long as the longest. There are as many outputs as any pair needs: those of
    the two data sets with most labels, each counted once (labels that occur in any of its domains);
    with ``shared``, those of the one with most. A network of a mixture sees labels of two data sets at most, so outputs
    of all others would only cost. Where numbers are learned there is one output, which all domains share. The order of
    the domains does not matter. ``samples`` are those that every mixture draws; None takes the smallest training split.

    Raises:
        TrainingError: domains that count different labels in one label space.
    """
    shapes: list[tuple[int, ...]] = []
    sizes: list[int] = []
    spaces: dict[str, set[int]] = {}
    counts: dict[str, int] = {}
    for domain in domains:
        if counts.setdefault(domain.label_space, domain.labels) != domain.labels:
            raise TrainingError(
                f"domain {domain.name} counts {domain.labels} labels in the label space {domain.label_space!r}, "
                f"another domain {counts[domain.label_space]}; give them label spaces of their own"
            )
        shapes.append(domain.shape)
        sizes.append(len(domain.train_y))
        space = "number" if domain.numeric else domain.label_space
        spaces.setdefault(space, set()).update(_outputs_of(domain))
    labels = sorted(map(len, spaces.values()), reverse=True)
    total = sum(labels[:2]) if sharing == "apart" else labels[0]
    return Interface(*_shape(shapes), total, min(sizes) if samples is None else samples)


def _shape(shapes: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    pictures = [shape for shape in shapes if len(shape) == 3]
    vectors = [shape[0] for shape in shapes if len(shape) == 1]
    picture = tuple(map(max, zip(*pictures, strict=True))) if pictures else None
    if picture is not None and not vectors:
        return picture, None
    return (max([*vectors, prod(picture or (0,))]),), picture


def alone(domain: LabelledDomain, interface: Interface | None) -> LabelledData:
    """Return a domain's data under a suite's interface, as the first domain of a mixture has it, or under its own."""
    if interface is None:
        return LabelledData.of(domain)
    return _placed(domain, _outputs_of(domain), interface)


def mixed_on(
    interface: Interface, first: LabelledDomain, second: LabelledDomain, sharing: Sharing = "apart"
) -> MixedData:
    """Bring two domains to their suite's interface; ``data.mixed`` brings them to one of their own.

    The outputs of the first domain come first, as those of a domain alone do, those of the second behind them (or on
    the same ones, with a common label space or ``shared``), and those that no class of either has last: no number
    depends on which other domains the suite has, only on how many outputs they need.

    Raises:
        TrainingError: a domain is larger than the interface.
    """
    same = first is second or first.name == second.name
    _check_label_space(first, second)
    own = _outputs_of(first)
    first_data = _placed(first, own, interface)
    if same:
        return MixedData(first_data, first_data, True)
    others = _outputs_of(second)
    if first.numeric or first.label_space == second.label_space:
        fresh = [label for label in others if label not in own]
        places = own | {label: place for place, label in enumerate(fresh, start=len(own))}
        others = {label: places[label] for label in others}
    elif sharing == "apart":
        others = {label: place + len(own) for label, place in others.items()}
    return MixedData(first_data, _placed(second, others, interface), False)


def _placed(domain: LabelledDomain, labels: dict[int, int], interface: Interface) -> LabelledData:
    try:
        splits = [_laid(on_interface(x, interface), domain, interface) for x in (domain.train_x, domain.test_x)]
    except ValueError:
        raise TrainingError(
            f"domain {domain.name} has samples of shape {domain.shape}, the interface of its suite takes "
            f"{interface.picture or interface.shape}"
        ) from None
    if max(labels.values()) >= interface.outputs:
        raise TrainingError(
            f"domain {domain.name} needs {max(labels.values()) + 1} outputs, the interface of its suite has "
            f"{interface.outputs}"
        )
    return _tensors(domain, splits[0], splits[1], labels, interface.outputs)


def on_interface(x: npt.NDArray[np.generic], interface: Interface) -> npt.NDArray[np.generic]:
    """Return samples in a suite's shape: pictures centred, flattened where the suite also holds vectors.

    Raises:
        ValueError: they do not fit.
    """
    steps = [interface.shape] if x.ndim == 2 or interface.picture is None else [interface.picture, interface.shape]
    for shape in steps:
        if common_shape(x.shape[1:], shape) != shape:
            raise ValueError(f"samples of shape {x.shape[1:]} do not fit in {shape}")
        x = pad(x, shape)
    return x


def _laid(x: npt.NDArray[np.generic], domain: LabelledDomain, interface: Interface) -> npt.NDArray[np.generic]:
    """Return samples of an interface in the places of the domain's declared space, if it has some of its own."""
    if interface.places is None:
        return x
    order = seeding.generator(interface.places, "places", *space_of(domain)).permutation(prod(interface.shape))
    return np.asarray(x.reshape(len(x), -1)[:, order].reshape(x.shape))


def space_of(domain: LabelledDomain) -> tuple[str | int, ...]:
    """Return the words of a domain's declared space: pictures of one size, or vectors of one label space and length."""
    space = ("picture",) if domain.is_image else ("vector", domain.label_space)
    return (*space, *domain.shape)


def control_interface(domains: Iterable[ControlDomain]) -> ControlInterface:
    """Return the interface of a suite of control domains: the widest observations, most actions, largest earnings.

    Raises:
        TrainingError: no domain.
    """
    sizes = [(domain.observations, domain.actions, earnings(domain)) for domain in domains]
    observations, actions, spreads = zip(*sizes, strict=True)
    return ControlInterface(max(observations), max(actions), max(spreads))
