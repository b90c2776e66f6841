"""How far a state is from standing still upright in the middle, as a model of the accelerations counts it."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, solve_discrete_are

from aiq.wings.novelty.physics import TICK
from aiq.wings.novelty.state import Floats

_WEIGHTS = np.diag([0.05, 0.05, 10.0, 0.3])
"""Of place, speed, lean and turn: of seven sets tried, one of three that did best in level 0."""
_EFFORT = 0.3
_MOST_LEAN = 0.1


class Stability:
    """The cost to go of a linear-quadratic regulator, the same along x and y (squared distance to the stable state).

    The stable state is the middle, at rest, with the lean at which a constant push holds what always acts in balance
    (``settle``), at most 0.1.

    Args:
        slopes: accelerations of cart and lean (rows) by push and lean (columns) near the upright, (2, 2).
    """

    def __init__(self, slopes: Floats) -> None:
        (b, c), (e, d) = slopes
        self._slopes = slopes
        turn = np.array(
            [[1, TICK, c * TICK**2, 0], [0, 1, c * TICK, 0], [0, 0, 1 + d * TICK**2, TICK], [0, 0, d * TICK, 1]]
        )
        push = np.array([[b * TICK**2], [b * TICK], [e * TICK**2], [e * TICK]])
        self._cost = solve_discrete_are(turn, push, _WEIGHTS, np.array([[_EFFORT]]))
        self._rest = np.zeros((2, 4))

    def settle(self, drift: Floats) -> None:
        """Let what always acts on cart and lean (rows) along x and y (columns) be held in balance."""
        (b, c), (e, d) = self._slopes
        lean = (e * drift[0] - b * drift[1]) / (b * d - c * e)
        self._rest[:, 2] = np.clip(lean, -_MOST_LEAN, _MOST_LEAN)

    def distance(self, states: Floats) -> Floats:
        """Return the squared distance of states (n, 8) to the stable state, (n,)."""
        total = np.zeros(len(states))
        for axis in (0, 1):
            off = states[:, axis::2] - self._rest[axis]
            total += np.einsum("ni,ij,nj->n", off, self._cost, off)
        return total


def stability(slopes: Floats, before: Stability) -> Stability:
    """Return the distance that slopes give, or the one before where the cart-pole they describe cannot be steered."""
    try:
        return Stability(slopes)
    except (LinAlgError, ValueError):
        return before
