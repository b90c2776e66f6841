"""What an agent sees of CartPole3D, as a state that physics can go on from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MOST_BALLS = 20
WIDTH = 10 + 7 * MOST_BALLS
NAMES = ("x", "y", "v_x", "v_y", "lean x", "lean y", "turn x", "turn y")
FALL = math.radians(12)


def cart_pole(observation: npt.NDArray[Any]) -> Floats:
    """Return the state of cart and pole, shape (8,).

    Cart position (m) and velocity (m/s) in the plane; ``lean``: the horizontal part of the unit vector along the pole;
    ``turn``: its change a second.

    Args:
        observation: of the view ``full`` or ``cart`` in the preset ``paper``; the first ten numbers are used.
    """
    x, y, v_x, v_y, yaw, pitch, roll, w_z, w_y, w_x = (float(value) for value in observation[:10])
    lean_x = math.cos(yaw) * math.sin(pitch) * math.cos(roll) + math.sin(yaw) * math.sin(roll)
    lean_y = math.sin(yaw) * math.sin(pitch) * math.cos(roll) - math.cos(yaw) * math.sin(roll)
    up = math.cos(pitch) * math.cos(roll)
    return np.array([x, y, v_x, v_y, lean_x, lean_y, w_y * up - w_z * lean_y, w_z * lean_x - w_x * up])


def balls(observation: npt.NDArray[Any]) -> Floats:
    """Return position (m) and velocity (m/s) of every ball that is there, shape (n, 6), from the view ``full``."""
    slots = observation[10 : 10 + 6 * MOST_BALLS].reshape(MOST_BALLS, 6)
    there = observation[10 + 6 * MOST_BALLS : WIDTH] > 0.5
    return np.asarray(slots[there], np.float64)
