"""A trained network as something that acts."""

from __future__ import annotations

import torch
from torch.nn.functional import linear

from aiq.training.reinforcement.evaluation import Act
from aiq.training.reinforcement.networks import Weights


def greedy(weights: Weights) -> Act:
    """Return the function that chooses the action of the largest value, for observations (n, observations).

    Args:
        weights: of a dense network, in the order of ``policies.networks.initial_weights``.
    """
    layers = list(zip(weights[::2], weights[1::2], strict=True))

    def act(observations: torch.Tensor) -> torch.Tensor:
        values = observations.to(weights[0].dtype)
        for weight, bias in layers[:-1]:
            values = linear(values, weight, bias).relu_()
        return linear(values, *layers[-1]).argmax(1)

    return act
