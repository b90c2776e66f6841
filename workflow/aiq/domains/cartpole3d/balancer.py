"""A hand-made proportional-derivative balancer: how well the cart can be steered without learning."""

from __future__ import annotations

import math
from typing import Any

import numpy.typing as npt

_TURN, _PLACE, _SPEED, _CALM = 0.35, 0.01, 0.03, 0.003


def balance(observation: npt.NDArray[Any]) -> int:
    """Return the action 0 ... 4 that drives the cart under the pole, along the axis that needs it more.

    The need along an axis is the tilt of the pole, plus 0.35 s of its angular velocity, plus 0.01 of the cart's
    position and 0.03 of its velocity so that the cart drifts back to the middle; nothing is done below 0.003.

    Args:
        observation: of the preset ``paper`` in the view ``full`` or ``cart``; the first ten numbers are used.
    """
    x, y, v_x, v_y, yaw, pitch, roll, _, turn_y, turn_x = (float(value) for value in observation[:10])
    lean_x = math.cos(yaw) * math.sin(pitch) * math.cos(roll) + math.sin(yaw) * math.sin(roll)
    lean_y = math.sin(yaw) * math.sin(pitch) * math.cos(roll) - math.cos(yaw) * math.sin(roll)
    need_x = lean_x + _TURN * turn_y + _PLACE * x + _SPEED * v_x
    need_y = lean_y - _TURN * turn_x + _PLACE * y + _SPEED * v_y
    if max(abs(need_x), abs(need_y)) < _CALM:
        return 0
    if abs(need_x) > abs(need_y):
        return 1 if need_x > 0 else 2
    return 3 if need_y > 0 else 4
