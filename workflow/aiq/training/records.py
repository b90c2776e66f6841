"""From a learning curve and measured accuracies to the records of a trial and of a mixture."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from aiq.policies import size
from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.training.data import LabelledData, MixedData
from aiq.training.orders import Order
from aiq.training.stopping import Progress


def trial(
    policy: Policy, data: LabelledData, curve: Progress, performance: float, weights: Sequence[torch.Tensor]
) -> Trial:
    """Return the record of a policy whose training ended with this learning curve and these weights."""
    if curve.status is None:
        raise ValueError("a trial was recorded before its training ended")
    return Trial(
        policy=policy,
        performance=performance,
        parameters=size.parameters(policy.architecture, data.shape, data.outputs),
        compressed=size.compressed(weights),
        epochs=len(curve.losses),
        seconds=curve.seconds,
        status=curve.status,
        losses=tuple(curve.losses),
        validation=tuple(curve.validation),
    )


def mixture_result(
    data: MixedData,
    architecture: Architecture,
    place: tuple[float, int],
    curve: Progress,
    pair: Sequence[float],
    told: Sequence[float | None],
) -> MixtureResult:
    """Return the record of a mixture (proportion, repetition) with its accuracies on both test splits.

    ``told`` are those where the network is told which test a sample belongs to.
    """
    if curve.status is None:
        raise ValueError("a mixture was recorded before its training ended")
    return MixtureResult(
        proportion=place[0],
        repetition=place[1],
        first=pair[0],
        second=pair[1],
        parameters=size.parameters(architecture, data.shape, data.outputs),
        seconds=curve.seconds,
        status=curve.status,
        first_told=told[0],
        second_told=told[1],
    )


def alone_result(
    data: LabelledData,
    architecture: Architecture,
    place: tuple[float, int],
    order: Order,
    curve: Progress,
    score: tuple[float, float | None],
) -> AloneResult:
    """Return the record of a domain alone (proportion, repetition) with its accuracy, and that where it is told."""
    if curve.status is None:
        raise ValueError("a domain alone was recorded before its training ended")
    return AloneResult(
        proportion=place[0],
        repetition=place[1],
        samples=len(order.fit) + len(order.held_out),
        performance=score[0],
        told=score[1],
        parameters=size.parameters(architecture, data.shape, data.outputs),
        seconds=curve.seconds,
        status=curve.status,
    )
