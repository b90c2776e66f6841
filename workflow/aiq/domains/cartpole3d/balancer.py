"""A hand-made proportional-derivative balancer: how well the cart can be steered without learning."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt


@dataclass(frozen=True)
class Weights:
    """What counts beside the tilt of the pole in rad.

    Attributes:
        turn: of the pole's angular velocity, s.
        place: of the cart's position, rad/m, so that the cart drifts back to the middle.
        speed: of the cart's velocity, rad s/m.
        calm: need in rad below which nothing is done.
    """

    turn: float = 0.35
    place: float = 0.01
    speed: float = 0.03
    calm: float = 0.003


STEADY = Weights()
BY_SIGHT = Weights(turn=0.06, place=0.003, speed=0.006)
"""What a picture from above does not show counts little; the balancer does about as well with these weights."""


def balance(observation: npt.NDArray[Any], weights: Weights = STEADY) -> int:
    """Return the action 0 ... 4 that drives the cart under the pole, along the axis that needs it more.

    The need along an axis is the tilt of the pole plus the weighted angular velocity, position and velocity.

    Args:
        observation: of the preset ``paper`` in the view ``full`` or ``cart``; the first ten numbers are used.
        weights: of what counts beside the tilt.
    """
    x, y, v_x, v_y, yaw, pitch, roll, _, turn_y, turn_x = (float(value) for value in observation[:10])
    lean_x = math.cos(yaw) * math.sin(pitch) * math.cos(roll) + math.sin(yaw) * math.sin(roll)
    lean_y = math.sin(yaw) * math.sin(pitch) * math.cos(roll) - math.cos(yaw) * math.sin(roll)
    need_x = lean_x + weights.turn * turn_y + weights.place * x + weights.speed * v_x
    need_y = lean_y - weights.turn * turn_x + weights.place * y + weights.speed * v_y
    if max(abs(need_x), abs(need_y)) < weights.calm:
        return 0
    if abs(need_x) > abs(need_y):
        return 1 if need_x > 0 else 2
    return 3 if need_y > 0 else 4
