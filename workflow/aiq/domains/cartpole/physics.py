"""The equations of motion of the cart-pole in two dimensions, for many at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

# ---- A linear-quadratic regulator that balances the cart-pole ------------------------------------


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CartPoleConstants:
    """Constants of the cart-pole in SI units.

    Attributes:
        gravity: acceleration, m/s².
        cart_mass: kg.
        pole_mass: kg.
        half_length: half the length of the pole, m.
        step: time step, s.
    """

    gravity: float
    cart_mass: float
    pole_mass: float
    half_length: float
    step: float


def linearised(constants: CartPoleConstants) -> tuple[Floats, Floats]:
    """Linearise one Euler step about the upright pole at rest.

    Source: the equations of motion of Barto, Sutton and Anderson (1983) without friction, as Gymnasium's
    CartPole integrates them, to first order.

    Returns:
        A, shape (4, 4), and B, shape (4, 1): next state = A state + B force, with the state (position m,
        velocity m/s, angle rad, angular velocity rad/s) and the force in N.
    """
    total = constants.cart_mass + constants.pole_mass
    lever = constants.half_length * (4 / 3 - constants.pole_mass / total)
    coupling = constants.pole_mass * constants.half_length / total
    angular = np.array([0, 0, constants.gravity / lever, 0])
    rate = np.array([[0, 1, 0, 0], -coupling * angular, [0, 0, 0, 1], angular], dtype=np.float64)
    force = np.array([0, (1 + coupling / lever) / total, 0, -1 / (total * lever)]).reshape(4, 1)
    return np.eye(4) + constants.step * rate, constants.step * force


def gains(constants: CartPoleConstants) -> Floats:
    """Return the feedback gains K, shape (4,), of the force -K state that minimises the quadratic cost.

    The cost of a step is (position / 1 m)² + (angle / 0.01 rad)² + (force / 100 N)² (weights by Bryson's rule);
    K comes from the discrete algebraic Riccati equation. Speeds cost nothing by themselves, so that the action
    depends on the angle more than on the angular velocity, which a picture does not show.
    """
    from scipy.linalg import solve_discrete_are  # here: every job loads this module, few need scipy

    a, b = linearised(constants)
    price = np.array([[1e-4]])
    value = solve_discrete_are(a, b, np.diag([1.0, 0.0, 1e4, 0.0]), price)
    solved: Floats = np.linalg.solve(price + b.T @ value @ b, b.T @ value @ a)
    row: Floats = solved[0]
    return row


@dataclass(frozen=True, eq=False)
class Regulator:
    """Chooses the push whose direction the regulator's force has: 0 left, 1 right."""

    gains: Floats

    def act(self, observation: npt.NDArray[np.floating[Any]]) -> int:
        """Return the action at an observation (position, velocity, angle, angular velocity), shape (4,)."""
        return int(-float(self.gains @ observation) > 0)


# ---- The equations of motion of the cart-pole in two dimensions, for many at once ----------------


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
