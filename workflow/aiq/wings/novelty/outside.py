"""The kinds with a model as agents that play control domains of a suite (``agents.outside`` of a configuration).

The factories are called anew for every episode, so what adapts over episodes stays as it is in level 0: these are the
controllers alone. For a domain of source ``cartpole3d`` in the preset ``paper``, view ``cart`` or ``full``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.wings.novelty.physics import Physics
from aiq.wings.novelty.repairing import Repairing
from aiq.wings.novelty.steering import Steerer

Act = Callable[[npt.NDArray[Any]], int]


class Told(Protocol):
    """What a factory is told of the domain."""

    name: str
    observations: int
    actions: int


def steering(domain: Told) -> Act:
    """Return the controller of the kind of UMass: one tick ahead, the simulator's own constants.

    Raises:
        InputError: the domain is not CartPole3D with its pole in angles.
    """
    return _playing(Steerer(Physics(), Physics().slopes()), domain)


def planning(domain: Told) -> Act:
    """Return the controller of the kind of HYDRA: plans of ten ticks, made anew at every fifth.

    Raises:
        InputError: the domain is not CartPole3D with its pole in angles.
    """
    return _playing(Repairing(), domain)


def _playing(agent: Steerer, domain: Told) -> Act:
    """Return what acts by the agent: it is shown what came of its last action before it chooses the next one."""
    if domain.actions != 5 or (domain.observations != 10 and (domain.observations - 10) % 7):
        raise InputError(
            f"domain {domain.name} has {domain.observations} observations and {domain.actions} actions; this agent "
            "plays source cartpole3d in the preset paper, view cart (10) or full (10 and 7 a ball)"
        )
    agent.begin(0)
    last: list[int] = []

    def act(observation: npt.NDArray[Any]) -> int:
        seen = np.asarray(observation, np.float32)
        if last:
            agent.observe(last.pop(), seen, False)
        else:
            agent.start(seen)
        last.append(agent.act(seen))
        return last[0]

    return act
