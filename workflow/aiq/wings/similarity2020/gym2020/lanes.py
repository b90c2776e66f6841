"""The environments of the suite in numpy, many side by side: only what a policy needs that looks at nothing.

The dynamics are Gymnasium's (equations of motion, limits, rewards, ends); tests step both with the same actions.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from aiq.domains.cartpole.physics import START, Constants, Equations, fallen
from aiq.wings.similarity2020.gym2020.exact import Floats, Transitions
from aiq.wings.similarity2020.gym2020.suite import GymTest, transitions

Integers = npt.NDArray[np.int64]
Step = tuple[Floats, Floats, npt.NDArray[np.bool_]]


class Dynamics(Protocol):
    """How states begin and change; a state is a column of an array (numbers, lanes)."""

    def begin(self, lanes: int, rng: np.random.Generator) -> Floats:
        """Return the states after a reset."""

    def step(self, states: Floats, actions: Integers, rng: np.random.Generator) -> Step:
        """Return the next states, the rewards (lanes,), and whether the episodes came to their end (lanes,)."""


class Tabled:
    """An environment with a table of transitions."""

    def __init__(self, table: Transitions) -> None:
        self._table = table
        self._reached = np.cumsum(table.probability, axis=2)
        self._reached[..., -1] = 1.0
        self._start = np.cumsum(table.start)

    def begin(self, lanes: int, rng: np.random.Generator) -> Floats:
        """Draw the first states."""
        last = int(np.flatnonzero(self._table.start)[-1])
        return np.minimum(np.searchsorted(self._start, rng.random(lanes), side="right"), last)[None].astype(np.float64)

    def step(self, states: Floats, actions: Integers, rng: np.random.Generator) -> Step:
        """Draw the outcomes."""
        at = states[0].astype(np.int64)
        place = (rng.random(len(at))[:, None] >= self._reached[at, actions]).sum(axis=1)
        table = self._table
        following = table.following[at, actions, place][None].astype(np.float64)
        return following, table.reward[at, actions, place], table.ended[at, actions, place]


class CartPole:
    """Gymnasium's CartPole."""

    def __init__(self) -> None:
        self._equations = Equations(np, Constants(10.0, 9.8, 0.5, 1.0, 0.1))

    def begin(self, lanes: int, rng: np.random.Generator) -> Floats:
        """Draw small deviations of all four numbers."""
        return rng.uniform(-START, START, (4, lanes))

    def step(self, states: Floats, actions: Integers, rng: np.random.Generator) -> Step:
        """Push for one tick."""
        moved = self._equations.advance(states, actions)
        return moved, np.ones(states.shape[1]), fallen(moved)


class MountainCar:
    """Gymnasium's MountainCar (Moore 1990): position, velocity."""

    def begin(self, lanes: int, rng: np.random.Generator) -> Floats:
        """Draw a place in the valley, at rest."""
        return np.stack([rng.uniform(-0.6, -0.4, lanes), np.zeros(lanes)])

    def step(self, states: Floats, actions: Integers, rng: np.random.Generator) -> Step:
        """Push back, not at all, or forward."""
        speed = np.clip(states[1] + (actions - 1) * 0.001 - 0.0025 * np.cos(3 * states[0]), -0.07, 0.07)
        place = np.clip(states[0] + speed, -1.2, 0.6)
        speed = np.where((place == -1.2) & (speed < 0), 0.0, speed)
        return np.stack([place, speed]), np.full(len(place), -1.0), (place >= 0.5) & (speed >= 0)


class Acrobot:
    """Gymnasium's Acrobot (Sutton and Barto's book): two angles, two angular velocities; masses and lengths are 1."""

    def begin(self, lanes: int, rng: np.random.Generator) -> Floats:
        """Draw small deviations from hanging at rest."""
        return rng.uniform(-0.1, 0.1, (4, lanes)).astype(np.float32).astype(np.float64)

    def step(self, states: Floats, actions: Integers, rng: np.random.Generator) -> Step:
        """Apply a torque of -1, 0 or 1 for 0.2 s, one Runge-Kutta step of fourth order."""
        torque, tick = actions - 1.0, 0.2
        first = _acceleration(states, torque)
        second = _acceleration(states + tick / 2 * first, torque)
        third = _acceleration(states + tick / 2 * second, torque)
        fourth = _acceleration(states + tick * third, torque)
        moved = states + tick / 6 * (first + 2 * second + 2 * third + fourth)
        moved[:2] = (moved[:2] + np.pi) % (2 * np.pi) - np.pi
        moved[2] = np.clip(moved[2], -4 * np.pi, 4 * np.pi)
        moved[3] = np.clip(moved[3], -9 * np.pi, 9 * np.pi)
        ended = -np.cos(moved[0]) - np.cos(moved[0] + moved[1]) > 1
        return moved, np.where(ended, 0.0, -1.0), ended


def _acceleration(states: Floats, torque: Floats) -> Floats:
    """Return the rates of the acrobot's state; centres of mass at 1/2, moments of inertia 1, gravity 9.8."""
    one, two, turn_one, turn_two = states
    sine, cosine = np.sin(two), np.cos(two)
    whole = 0.25 + (1 + 0.25 + cosine) + 2
    lower = 0.25 + 0.5 * cosine + 1
    pull_two = 0.5 * 9.8 * np.cos(one + two - np.pi / 2)
    pull_one = -0.5 * turn_two**2 * sine - turn_two * turn_one * sine + 1.5 * 9.8 * np.cos(one - np.pi / 2) + pull_two
    second = (torque + lower / whole * pull_one - 0.5 * turn_one**2 * sine - pull_two) / (1.25 - lower**2 / whole)
    return np.stack([turn_one, turn_two, -(lower * second + pull_one) / whole, second])


def dynamics(test: GymTest) -> Dynamics:
    """Return the dynamics of a test of the suite; a table of transitions is taken from Gymnasium."""
    if test.tabled:
        return Tabled(transitions(test))
    kinds: dict[str, type[CartPole | MountainCar | Acrobot]] = {
        "CartPole-v0": CartPole,
        "CartPole-v1": CartPole,
        "MountainCar-v0": MountainCar,
        "Acrobot-v1": Acrobot,
    }
    return kinds[test.id]()
