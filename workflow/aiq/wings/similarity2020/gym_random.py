"""What the public program of 2019 did with the Gym suite: uniformly random actions, simulated without any network.

In its training (dev/diversity/DQN_M.py) epsilon fell from 200 over a million steps, so in the 20,000 steps of a
training every action was uniformly random; observations were cast to zeros; at the end of an episode its wrapper paid
the total reward, cut to ±200, in place of the last one; each value is the mean of the last 20 training episodes of one
run. Nothing of it depends on the network.

The dynamics are Gymnasium's (equations of motion, limits, rewards, ends), many environments side by side; tests step
both with the same actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.cartpole import START, Constants, Equations, fallen
from aiq.wings.similarity2020.gym_suite import Floats, GymTest, Surplus, Transitions, transitions, weights
from aiq.wings.similarity2020.settings import PublishedAgent

Integers = npt.NDArray[np.int64]
Step = tuple[Floats, Floats, npt.NDArray[np.bool_]]
CLIP = 200.0


class Dynamics(Protocol):
    """How states begin and change; a state is a column of an array (numbers, lanes)."""

    def begin(self, lanes: int, rng: np.random.Generator) -> Floats:
        """Return the states after a reset."""

    def step(self, states: Floats, actions: Integers, rng: np.random.Generator) -> Step:
        """Return the next states, the rewards (lanes,), and whether the episodes came to their end (lanes,)."""


class _Tabled:
    """An environment with a table of transitions."""

    def __init__(self, table: Transitions) -> None:
        self._table = table
        self._reached = np.cumsum(table.probability, axis=2)
        self._reached[..., -1] = 1.0
        self._start = np.cumsum(table.start)

    def begin(self, lanes: int, rng: np.random.Generator) -> Floats:
        last = int(np.flatnonzero(self._table.start)[-1])
        return np.minimum(np.searchsorted(self._start, rng.random(lanes), side="right"), last)[None].astype(np.float64)

    def step(self, states: Floats, actions: Integers, rng: np.random.Generator) -> Step:
        at = states[0].astype(np.int64)
        place = (rng.random(len(at))[:, None] >= self._reached[at, actions]).sum(axis=1)
        table = self._table
        following = table.following[at, actions, place][None].astype(np.float64)
        return following, table.reward[at, actions, place], table.ended[at, actions, place]


class _CartPole:
    """Gymnasium's CartPole."""

    def __init__(self) -> None:
        self._equations = Equations(np, Constants(10.0, 9.8, 0.5, 1.0, 0.1))

    def begin(self, lanes: int, rng: np.random.Generator) -> Floats:
        return rng.uniform(-START, START, (4, lanes))

    def step(self, states: Floats, actions: Integers, rng: np.random.Generator) -> Step:
        moved = self._equations.advance(states, actions)
        return moved, np.ones(states.shape[1]), fallen(moved)


class _MountainCar:
    """Gymnasium's MountainCar (Moore 1990): position, velocity."""

    def begin(self, lanes: int, rng: np.random.Generator) -> Floats:
        return np.stack([rng.uniform(-0.6, -0.4, lanes), np.zeros(lanes)])

    def step(self, states: Floats, actions: Integers, rng: np.random.Generator) -> Step:
        speed = np.clip(states[1] + (actions - 1) * 0.001 - 0.0025 * np.cos(3 * states[0]), -0.07, 0.07)
        place = np.clip(states[0] + speed, -1.2, 0.6)
        speed = np.where((place == -1.2) & (speed < 0), 0.0, speed)
        return np.stack([place, speed]), np.full(len(place), -1.0), (place >= 0.5) & (speed >= 0)


class _Acrobot:
    """Gymnasium's Acrobot (Sutton and Barto's book): two angles, two angular velocities; masses and lengths are 1."""

    def begin(self, lanes: int, rng: np.random.Generator) -> Floats:
        return rng.uniform(-0.1, 0.1, (4, lanes)).astype(np.float32).astype(np.float64)

    def step(self, states: Floats, actions: Integers, rng: np.random.Generator) -> Step:
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
    angle, bend, turn_one, turn_two = states
    sine, cosine = np.sin(bend), np.cos(bend)
    whole = 0.25 + (1 + 0.25 + cosine) + 2
    lower = 0.25 + 0.5 * cosine + 1
    pull_two = 0.5 * 9.8 * np.cos(angle + bend - np.pi / 2)
    pull_one = -0.5 * turn_two**2 * sine - turn_two * turn_one * sine + 1.5 * 9.8 * np.cos(angle - np.pi / 2) + pull_two
    second = (torque + lower / whole * pull_one - 0.5 * turn_one**2 * sine - pull_two) / (1.25 - lower**2 / whole)
    return np.stack([turn_one, turn_two, -(lower * second + pull_one) / whole, second])


def dynamics(test: GymTest) -> Dynamics:
    """Return the dynamics of a test of the suite; a table of transitions is taken from Gymnasium."""
    if test.tabled:
        return _Tabled(transitions(test))
    if test.id.startswith("CartPole"):
        return _CartPole()
    return _MountainCar() if test.id == "MountainCar-v0" else _Acrobot()


@dataclass(frozen=True, eq=False)
class Episodes:
    """Independent episodes, (episodes,): return, reward of the last step, number of steps."""

    total: Floats
    last: Floats
    length: npt.NDArray[np.int64]

    @property
    def doubled(self) -> Floats:
        """What the program counts as return: the total, cut to ±200, in place of the last reward, (episodes,)."""
        return np.asarray(self.total - self.last + np.clip(self.total, -CLIP, CLIP))


def play(dynamics: Dynamics, policy: Floats, horizon: int, count: int, rng: np.random.Generator) -> Episodes:
    """Play ``count`` episodes of at most ``horizon`` steps side by side by a policy (actions,) of probabilities."""
    total, last, length = np.zeros(count), np.zeros(count), np.zeros(count, np.int64)
    reached = np.cumsum(policy)
    reached[-1] = 1.0
    running = np.arange(count)
    states = dynamics.begin(count, rng)
    for _ in range(horizon):
        actions = np.searchsorted(reached, rng.random(len(running)), side="right").astype(np.int64)
        states, reward, ended = dynamics.step(states, actions, rng)
        total[running] += reward
        last[running] = reward
        length[running] += 1
        if ended.any():
            running, states = running[~ended], states[:, ~ended]
        if not len(running):
            break
    return Episodes(total, last, length)


class Bank:
    """Episodes of every environment at every number of actions, played when first asked for."""

    def __init__(self, agent: PublishedAgent, surplus: Surplus, seed: int) -> None:
        self._agent, self._surplus, self._seed = agent, surplus, seed
        self._episodes: dict[tuple[str, int], Episodes] = {}

    def trained(self, tests: Sequence[GymTest], runs: int, rng: np.random.Generator) -> Floats:
        """Return the raw returns of so many trainings, (runs,), on one test or a pair, which may be twice the same."""
        sources, most = [], max(test.actions for test in tests)
        for test in tests:
            key = (test.name, most)
            if key not in self._episodes:
                drawing = seeding.generator(self._seed, "published", "episodes", *key)
                policy = weights(test.actions, most, self._surplus)
                self._episodes[key] = play(dynamics(test), policy, test.horizon, self._agent.episodes, drawing)
            sources.append(self._episodes[key])
        return trained(sources, runs, self._agent.steps, self._agent.last, rng)


def trained(sources: Sequence[Episodes], runs: int, steps: int, last: int, rng: np.random.Generator) -> Floats:
    """Return mean returns of the ``last`` finished episodes of trainings on one test or two, (runs,), NaN: none."""
    typical = sum(source.length.mean() / len(sources) for source in sources)
    doubled, length = np.empty((runs, 0)), np.empty((runs, 0), np.int64)
    while length.sum(axis=1).min(initial=steps + 1) <= steps or not length.size:
        drawn = _drawn(sources, (runs, int(1.1 * steps / typical) + last), rng)
        doubled = np.concatenate([doubled, drawn[0]], axis=1)
        length = np.concatenate([length, drawn[1]], axis=1)
    finished = (np.cumsum(length, axis=1) <= steps).sum(axis=1)
    place = finished[:, None] - 1 - np.arange(last)
    counted = np.take_along_axis(doubled, np.maximum(place, 0), axis=1)
    total, number = (counted * (place >= 0)).sum(axis=1), (place >= 0).sum(axis=1)
    return np.asarray(np.divide(total, number, out=np.full(runs, np.nan), where=finished > 0))


def _drawn(sources: Sequence[Episodes], shape: tuple[int, int], rng: np.random.Generator) -> tuple[Floats, Integers]:
    """Return returns and lengths of drawn episodes, each of the shape."""
    in_first = rng.random(shape) < 1 / len(sources)
    doubled, length = np.empty(shape), np.empty(shape, np.int64)
    for source, where in zip(sources, (in_first, ~in_first), strict=False):
        picked = rng.integers(len(source.total), size=int(where.sum()))
        doubled[where], length[where] = source.doubled[picked], source.length[picked]
    return doubled, length
