"""The cart-pole in two dimensions, for many at once: its equations of motion, and grey 32x32 pictures of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.records.estimate import Floats

SIDE = 32
_CART_WIDTH, _CART_TOP, _CART_BOTTOM = 6.0, 25.0, 29.0
_POLE_LENGTH, _POLE_HALF_WIDTH = 21.0, 0.75
_FLOOR, _CART, _POLE = 64.0, 150.0, 255.0
_CHUNK = 1024
# ---- A linear-quadratic regulator that balances the cart-pole ------------------------------------


STEP = 0.02


@dataclass(frozen=True, eq=False)
class Constants:
    """Constants in SI units, each a number, or an array without axes.

    Attributes:
        force: size of a push, N.
        gravity: m/s².
        half_length: half the length of the pole, m.
        cart_mass: kg.
        pole_mass: kg.
        step: time step, s.
    """

    force: Any
    gravity: Any
    half_length: Any
    cart_mass: Any
    pole_mass: Any
    step: float = STEP


def linearised(constants: Constants) -> tuple[Floats, Floats]:
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


def gains(constants: Constants) -> Floats:
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


TRACK = 2.4
FALL = 12 * 2 * math.pi / 360
START = 0.05


class Equations:
    """Motion without friction (Barto, Sutton and Anderson 1983), one Euler step of 0.02 s.

    The order of operations is that of Gymnasium's CartPole, so that results in float64 equal it bit for bit. The
    constants are numbers, or arrays of the library, numpy or torch.
    """

    def __init__(self, library: Any, constants: Constants) -> None:
        self._library, self.constants = library, constants
        self._force, self._gravity = constants.force, constants.gravity
        self._length, self._pole = constants.half_length, constants.pole_mass
        self._total = constants.pole_mass + constants.cart_mass
        self._lever = constants.pole_mass * constants.half_length
        self._four_thirds = 4.0 / 3.0 + 0 * self._total
        self._tau = constants.step + 0 * self._total
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


def fallen(state: Any) -> Any:
    """Return whether the cart is off its track of ±2.4 m or the pole beyond 12°, shape (lanes,)."""
    return (abs(state[0]) > TRACK) | (abs(state[2]) > FALL)


def _covered(low: npt.NDArray[np.float32], high: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the share of each of the 32 pixels of a line that the interval [low, high] covers, shape (n, 32)."""
    edge = np.arange(SIDE, dtype=np.float32)
    shares: npt.NDArray[np.float32] = np.clip(
        np.minimum(high[:, None], edge + 1) - np.maximum(low[:, None], edge), 0, 1
    )
    return shares


def _pole(column: npt.NDArray[np.float32], angle: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return how much of each pixel the pole covers, shape (n, 32, 32), from the distance to its axis."""
    centre = np.arange(SIDE, dtype=np.float32) + 0.5
    right = centre[None, None, :] - column[:, None, None]
    up = _CART_TOP - centre[None, :, None]
    sine, cosine = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    along = np.clip(right * sine + up * cosine, 0, _POLE_LENGTH)
    distance = np.hypot(right - along * sine, up - along * cosine)
    shares: npt.NDArray[np.float32] = np.clip(_POLE_HALF_WIDTH + 0.5 - distance, 0, 1)
    return shares


def draw(observations: npt.NDArray[np.generic]) -> npt.NDArray[np.uint8]:
    """Draw one picture for each observation, with soft edges, so that shifts below a pixel change grey levels.

    The track of -2.4 m ... 2.4 m spans the columns that keep the cart inside the picture. The pole is drawn
    21 pixels long, longer than to scale (1 m would be 5 pixels), at its true angle, so that one degree moves
    its tip by a third of a pixel. Velocities are not in the picture.

    Args:
        observations: position (m), velocity, angle (rad, positive to the right), angular velocity, shape (n, 4).

    Returns:
        Pictures of shape (n, 1, 32, 32): floor 64, cart 150, pole 255 on black.
    """
    pictures = np.empty((len(observations), 1, SIDE, SIDE), np.uint8)
    room = (SIDE - _CART_WIDTH) / 2
    for start in range(0, len(observations), _CHUNK):
        part = observations[start : start + _CHUNK].astype(np.float32)
        column = SIDE / 2 + np.clip(part[:, 0] / TRACK, -1, 1) * room
        cart = _covered(column - _CART_WIDTH / 2, column + _CART_WIDTH / 2)
        canvas = np.zeros((len(part), SIDE, SIDE), np.float32)
        canvas[:, int(_CART_BOTTOM)] = _FLOOR
        canvas[:, int(_CART_TOP) : int(_CART_BOTTOM)] = _CART * cart[:, None, :]
        pole = _pole(column, part[:, 2])
        canvas = canvas * (1 - pole) + _POLE * pole
        pictures[start : start + len(part), 0] = np.rint(canvas).astype(np.uint8)
    return pictures
