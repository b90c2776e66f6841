"""A linear-quadratic regulator that balances the cart-pole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

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
