"""The predictor that the agents share: a reduced cart-pole in three dimensions, without balls, and one that is learned.

The pole is a thin rod on a frictionless joint. With the unit vector u along it, L the distance from the joint to its
centre of mass, J its moment of inertia about the joint and k = m L / J:

    u'' = -k P (a + g z) - |u'|² u,    (M + m - m L k) a + m L k (a · u) u = F - m L k g u_z u + m L |u'|² u

where P takes the part across u, a is the cart's acceleration, and the second line holds in the plane. A tick is
Bullet's: first velocities, then places. The constants of level 0 are the simulator's own: *privileged knowledge*, which
``fitted`` does without.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MOST_BALLS = 20
WIDTH = 10 + 7 * MOST_BALLS


def cart_pole(observation: npt.NDArray[Any]) -> Floats:
    """Return the state of cart and pole, (8,), from the first ten numbers of a view of the preset ``paper``.

    Cart position (m) and velocity (m/s) in the plane; ``lean``: the horizontal part of the unit vector along the pole;
    ``turn``: its change a second.
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


TICK = 0.02
PUSHES = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
"""Direction of the push of each action."""
WALL = 4.5
"""Largest distance of the cart's centre from the middle of the box along x and y, m."""


class Predictor(Protocol):
    """What says where a state goes."""

    def step(self, states: Floats, pushes: Floats) -> Floats:
        """Return the states (n, 8) after one tick under pushes (n, 2), directions of length 0 or 1."""


@dataclass(frozen=True)
class Constants:
    """What the equations hold, of level 0 by default.

    Attributes:
        cart_mass: kg.
        pole_mass: kg.
        centre: distance from the joint to the pole's centre of mass, m.
        length: of the pole, m, for its moment of inertia.
        gravity: m/s².
        force: of a push, N.
    """

    cart_mass: float = 1.0
    pole_mass: float = 0.1
    centre: float = 1.0
    length: float = 1.0
    gravity: float = 9.8
    force: float = 10.0

    @property
    def inertia(self) -> float:
        """Of the pole about its joint, kg m²."""
        return self.pole_mass * (self.centre**2 + self.length**2 / 12)


class Physics:
    """The equations with given constants (privileged, if they are the simulator's)."""

    def __init__(self, constants: Constants | None = None) -> None:
        self.constants = constants or Constants()

    def step(self, states: Floats, pushes: Floats) -> Floats:
        """Return the states (n, 8) after one tick under pushes (n, 2)."""
        c = self.constants
        place, speed, lean, turn = states[:, :2], states[:, 2:4], states[:, 4:6], states[:, 6:8]
        k = c.pole_mass * c.centre / c.inertia
        coupling = c.pole_mass * c.centre * k
        across = (lean * lean).sum(1, keepdims=True)
        up = np.sqrt(np.maximum(1e-9, 1 - across))
        rising = -(lean * turn).sum(1, keepdims=True) / up
        whirl = (turn * turn).sum(1, keepdims=True) + rising**2
        plain = c.cart_mass + c.pole_mass - coupling
        drive = c.force * pushes + (c.pole_mass * c.centre * whirl - coupling * c.gravity * up) * lean
        along = (drive * lean).sum(1, keepdims=True)
        moved = (drive - coupling * along / (plain + coupling * across) * lean) / plain
        pulled = (moved * lean).sum(1, keepdims=True) + c.gravity * up
        bent = -k * (moved - pulled * lean) - whirl * lean
        return advanced(place, speed, lean, turn, moved, bent)

    def slopes(self) -> Floats:
        """Return the accelerations near the upright, (2, 2): of cart and lean (rows) by push and lean (columns)."""
        c = self.constants
        k = c.pole_mass * c.centre / c.inertia
        coupling = c.pole_mass * c.centre * k
        plain = c.cart_mass + c.pole_mass - coupling
        cart = np.array([c.force, -coupling * c.gravity]) / plain
        return np.array([cart, -k * cart + [0.0, k * c.gravity]])


@dataclass(frozen=True, eq=False)
class Linear:
    """Accelerations that are linear in push and lean, the same along x and y, and what always acts.

    ``slopes`` (2, 2): of cart and lean (rows) by push and lean (columns), 1/s². ``drift`` (2, 2): what always acts on
    cart and lean (rows) along x and y (columns).
    """

    slopes: Floats
    drift: Floats

    def step(self, states: Floats, pushes: Floats) -> Floats:
        """Return the states (n, 8) after one tick under pushes (n, 2)."""
        place, speed, lean, turn = states[:, :2], states[:, 2:4], states[:, 4:6], states[:, 6:8]
        moved = self.slopes[0, 0] * pushes + self.slopes[0, 1] * lean + self.drift[0]
        bent = self.slopes[1, 0] * pushes + self.slopes[1, 1] * lean + self.drift[1]
        return advanced(place, speed, lean, turn, moved, bent)


def advanced(place: Floats, speed: Floats, lean: Floats, turn: Floats, moved: Floats, bent: Floats) -> Floats:
    """Return the states (n, 8) after one tick under accelerations (n, 2) of cart and lean; walls give the cart back."""
    speed = speed + TICK * moved
    place = place + TICK * speed
    beyond = np.abs(place) > WALL
    if beyond.any():
        speed = np.where(beyond & (speed * place > 0), -speed, speed)
        place = np.clip(place, -WALL, WALL)
    turn = turn + TICK * bent
    return np.concatenate([place, speed, lean + TICK * turn, turn], axis=1)


def fitted(before: Floats, pushes: Floats, after: Floats, episodes: npt.NDArray[np.int64] | None = None) -> Linear:
    """Return linear accelerations by least squares over transitions; ticks in which something was hit are left out.

    Those whose residual lies beyond five times the median one count as hits. Nothing of the simulator's constants
    enters, so fitted on play in level 0 this is the *learned* predictor.

    Args:
        before: states (n, 8).
        pushes: (n, 2).
        after: states a tick later (n, 8).
        episodes: number of each transition's episode (n,), from 0 on: what always acts may differ between them, and
            its mean is returned; None: all of one episode.
    """
    number = np.zeros(len(before), np.int64) if episodes is None else episodes
    held = np.eye(int(number.max()) + 1)[number]
    accelerations = (after[:, [2, 3, 6, 7]] - before[:, [2, 3, 6, 7]]) / TICK
    slopes, drift = np.zeros((2, 2)), np.zeros((2, 2))
    for row, columns in enumerate(([0, 1], [2, 3])):
        goal = accelerations[:, columns].T.reshape(-1)
        moved = np.stack([pushes.T.reshape(-1), before[:, 4:6].T.reshape(-1)], axis=1)
        seen = np.concatenate([moved, np.kron(np.eye(2), held)], axis=1)
        keep = np.ones(len(seen), bool)
        for _ in range(3):
            solved = np.linalg.lstsq(seen[keep], goal[keep], rcond=None)[0]
            rest = np.abs(goal - seen @ solved)
            keep = rest <= 5 * max(float(np.median(rest)), 1e-6)
        slopes[row], drift[row] = solved[:2], solved[2:].reshape(2, -1).mean(axis=1)
    return Linear(slopes, drift)
