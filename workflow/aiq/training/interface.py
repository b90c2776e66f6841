"""The interface that all mixtures of a suite share, from the domains themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.base import LabelledDomain
from aiq.domains.control import ControlDomain
from aiq.domains.control.mixed_worlds import earnings
from aiq.errors import TrainingError
from aiq.records.domains import ControlInterface, Interface
from aiq.training.data import (
    LabelledData,
    MixedData,
    Outputs,
    Sharing,
    check_label_space,
    common_shape,
    outputs_of,
    pad,
    tensors,
)


def suite_interface(
    domains: Iterable[LabelledDomain],
    outputs: Outputs = "classes",
    *,
    sharing: Sharing = "apart",
    samples: int | None = None,
) -> Interface:
    """Return the interface of a suite of labelled domains, which are read one after the other and not kept.

    Pictures meet in the largest number of channels, height and width; where the suite also holds vectors, pictures are
    flattened from there, and samples are as long as the longest. There are as many outputs as any pair needs: those of
    the two data sets with most labels, each counted once (with ``classes``, labels that occur in any of its domains);
    with ``shared``, those of the one with most. A network of a mixture sees labels of two data sets at most, so outputs
    of all others would only cost. Where numbers are learned there is one output, which all domains share. The order of
    the domains does not matter. ``samples`` are those that every mixture draws; None takes the smallest training split.

    Raises:
        TrainingError: no domain, or domains that count different labels in one label space.
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
        if domain.numeric:
            spaces["number"] = {0}
            continue
        occur = (
            range(domain.labels) if outputs == "label_space" else {*domain.train_y.tolist(), *domain.test_y.tolist()}
        )
        spaces.setdefault(domain.label_space, set()).update(occur)
    if not shapes:
        raise TrainingError("a suite of no domains has no interface")
    labels = sorted((len(occurring) for occurring in spaces.values()), reverse=True)
    total = sum(labels[:2]) if sharing == "apart" else labels[0]
    return Interface(*_shape(shapes), total, min(sizes) if samples is None else samples)


def _shape(shapes: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Return the common shape of samples, and the shape of pictures where they are flattened."""
    pictures = [shape for shape in shapes if len(shape) == 3]
    vectors = [shape[0] for shape in shapes if len(shape) == 1]
    picture = tuple(max(sides) for sides in zip(*pictures, strict=True)) if pictures else None
    if picture is not None and not vectors:
        return picture, None
    return (max([*vectors, prod(picture or (0,))]),), picture


def alone(domain: LabelledDomain, outputs: Outputs, interface: Interface) -> LabelledData:
    """Return a domain's data under a suite's interface, as the first domain of a mixture has it."""
    return _placed(domain, outputs_of((domain,), outputs), interface)


def mixed_on(
    interface: Interface,
    first: LabelledDomain,
    second: LabelledDomain,
    outputs: Outputs = "classes",
    sharing: Sharing = "apart",
) -> MixedData:
    """Bring two domains to their suite's interface; ``data.mixed`` brings them to one of their own.

    The outputs of the first domain come first, as those of a domain alone do, those of the second behind them (or on
    the same ones, with a common label space or ``shared``), and those that no class of either has last: no number
    depends on which other domains the suite has, only on how many outputs they need.

    Raises:
        TrainingError: a domain is larger than the interface.
    """
    same = first is second or first.name == second.name
    check_label_space(first, second)
    own = outputs_of((first,), outputs)
    first_data = _placed(first, own, interface)
    if same:
        return MixedData(first_data, first_data, True)
    others = outputs_of((second,), outputs)
    if first.numeric or first.label_space == second.label_space:
        fresh = [label for label in others if label not in own]
        places = own | {label: place for place, label in enumerate(fresh, start=len(own))}
        others = {label: places[label] for label in others}
    elif sharing == "apart":
        others = {label: place + len(own) for label, place in others.items()}
    return MixedData(first_data, _placed(second, others, interface), False)


def _placed(domain: LabelledDomain, labels: dict[int, int], interface: Interface) -> LabelledData:
    """Return a domain's tensors under a suite's interface, with given outputs of its labels."""
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
    return tensors(domain, splits[0], splits[1], labels, interface.outputs)


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
    if not sizes:
        raise TrainingError("a suite of no domains has no interface")
    observations, actions, spreads = zip(*sizes, strict=True)
    return ControlInterface(max(observations), max(actions), max(spreads))
