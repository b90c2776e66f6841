"""The equations of motion of the cart-pole in two dimensions, for many at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

STEP = 0.02
TRACK = 2.4
FALL = 12 * 2 * math.pi / 360
START = 0.05


@dataclass(frozen=True, eq=False)
class Constants:
    """Constants of every lane, each an array of shape (lanes,) or a number, in SI units.

    Attributes:
        force: size of a push, N.
        gravity: m/s².
        half_length: half the length of the pole, m.
        cart_mass: kg.
        pole_mass: kg.
    """

    force: Any
    gravity: Any
    half_length: Any
    cart_mass: Any
    pole_mass: Any


class Equations:
    """Motion without friction (Barto, Sutton and Anderson 1983), one Euler step of 0.02 s.

    The order of operations is that of Gymnasium's CartPole, so that results in float64 equal it bit for bit.

    Args of the constructor: ``library``, numpy or torch; the constants, each an array of that library of shape
    (lanes,).
    """

    def __init__(self, library: Any, constants: Constants) -> None:
        self._library = library
        self._force, self._gravity = constants.force, constants.gravity
        self._length, self._pole = constants.half_length, constants.pole_mass
        self._total = constants.pole_mass + constants.cart_mass
        self._lever = constants.pole_mass * constants.half_length
        self._four_thirds = 4.0 / 3.0 + 0 * self._total
        self._tau = STEP + 0 * self._total
        self._other_force = -self._force

    def advance(self, state: Any, actions: Any) -> Any:
        """Return the state one step later.

        Args:
            state: rows position m, velocity m/s, angle rad, angular velocity rad/s, shape (4, lanes).
            actions: shape (lanes,); 1 pushes to the right, 0 to the left.
        """
        library, total, lever = self._library, self._total, self._lever
        _, speed, angle, turn = state
        cosine, sine = library.cos(angle), library.sin(angle)
        force = library.where(actions > 0, self._force, self._other_force)
        pushed = (force + lever * library.square(turn) * sine) / total
        angular = (self._gravity * sine - cosine * pushed) / (
            self._length * (self._four_thirds - self._pole * library.square(cosine) / total)
        )
        linear = pushed - lever * angular * cosine / total
        rates = library.stack([speed, linear, turn, angular])
        return state + self._tau * rates

    def pick(self, lanes: Any) -> Equations:
        """Return the equations of some lanes, in this order."""
        picked = Constants(
            self._force[lanes],
            self._gravity[lanes],
            self._length[lanes],
            (self._total - self._pole)[lanes],
            self._pole[lanes],
        )
        chosen = Equations(self._library, picked)
        chosen._total = self._total[lanes]
        return chosen


def fallen(state: Any) -> Any:
    """Return whether the cart is off its track of ±2.4 m or the pole beyond 12°, shape (lanes,)."""
    return (abs(state[0]) > TRACK) | (abs(state[2]) > FALL)
