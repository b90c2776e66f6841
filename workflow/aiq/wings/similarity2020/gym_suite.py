"""The Gym suite of the 2020 paper: ids, longest episodes, ranges, transitions; and random play on it.

In the training of the public program of 2019 (dev/diversity/DQN_M.py) epsilon fell from 200 over a million steps, so in
the 20,000 steps of a training every action was uniformly random; observations were cast to zeros; at the end of an
episode its wrapper paid the total reward, cut to ±200, in place of the last one; each value is the mean of the last 20
training episodes of one run. Nothing of it depends on the network, so it is simulated here without any.

The dynamics are Gymnasium's (equations of motion, limits, rewards, ends), many environments side by side; tests step
both with the same actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.cartpole import START, Constants, Equations, fallen
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.errors import DomainError, did_you_mean
from aiq.settings import Settings

if TYPE_CHECKING:
    from aiq.wings.similarity2020.settings import PublishedAgent

Floats = npt.NDArray[np.float64]
Surplus = Literal["clamp", "random"]


@dataclass(frozen=True)
class GymTest:
    """One environment of the suite, named as in Fig. 5; ``id`` and ``options`` as gymnasium.make takes them.

    ``bounds``: returns that count as performance 0 and 1, for a ``reason``; a return outside counts as the bound.
    ``horizon``: longest episode in steps. ``tabled``: whether it has a table of transitions.
    """

    name: str
    id: str
    actions: int
    horizon: int
    bounds: tuple[float, float]
    reason: str
    options: Mapping[str, Any] = field(default_factory=dict)
    tabled: bool = True

    def performance(self, total: float) -> float:
        """Return the performance in [0, 1] of a return."""
        low, high = self.bounds
        return min(1.0, max(0.0, (total - low) / (high - low)))


_POLE, _LAKE, _NEVER = "1 for every step", "1 at the goal", "never there; solved by Gym's threshold"
_TESTS = (
    GymTest("CartPole-v0", "CartPole-v0", 2, 200, (0, 200), _POLE, tabled=False),
    GymTest("CartPole-v1", "CartPole-v1", 2, 500, (0, 500), _POLE, tabled=False),
    GymTest("MountainCar", "MountainCar-v0", 3, 200, (-200, -110), _NEVER, tabled=False),
    GymTest("Acrobot", "Acrobot-v1", 3, 500, (-500, -100), _NEVER, tabled=False),
    GymTest("FrozenLake", "FrozenLake-v1", 4, 100, (0, 1), _LAKE, {"map_name": "4x4", "is_slippery": True}),
    GymTest("NChain", "aiq/NChain-v0", 2, 1000, (0, 3677), "1,000 times the best mean reward a step in the long run"),
    GymTest("Roulette", "aiq/Roulette-v0", 38, 100, (-100, 0), "all bets lost; leaving at once"),
    GymTest("FrozenLake8x8", "FrozenLake8x8-v1", 4, 200, (0, 1), _LAKE, {"map_name": "8x8", "is_slippery": True}),
    GymTest("CliffWalking", "CliffWalking-v1", 4, 2000, (-2000, -13), "no end in 2,000 steps; shortest way"),
    GymTest("Taxi", "Taxi-v4", 6, 200, (-200, 8), "no end in 200 steps; solved by Gym's threshold"),
)
SUITE: Mapping[str, GymTest] = MappingProxyType({test.name: test for test in _TESTS})


def by_settings(name: str, settings: Settings) -> GymTest:
    """Return the test of the suite that settings describe."""
    if not isinstance(settings, Gymnasium):
        raise DomainError(f"domain {name} is {type(settings).__name__}; the suite of 2020 is of gymnasium's")
    for test in SUITE.values():
        if test.id == settings.id:
            horizon = settings.horizon or test.horizon
            if horizon != test.horizon or {**test.options, **settings.options} != dict(test.options):
                raise DomainError(
                    f"domain {name} has a horizon of {horizon} and options {settings.options}; the suite of 2020 has "
                    f"{test.id} with {test.horizon} and {dict(test.options)}"
                )
            return test
    ids = {test.id: None for test in SUITE.values()}
    raise DomainError(
        f"domain {name} is {settings.id!r}{did_you_mean(settings.id, ids)}; the published recipe knows the suite of "
        f"2020 only: {', '.join(ids)}"
    )


@dataclass(frozen=True, eq=False)
class Transitions:
    """What each action does in each state, (states, actions, K); K is the largest number of outcomes of an action.

    ``probability``: 0 where an action has fewer outcomes; ``following``: the next state; ``ended``: whether the episode
    ends. ``start`` (states,): probability of each state at a reset.
    """

    probability: Floats
    following: npt.NDArray[np.int64]
    reward: Floats
    ended: npt.NDArray[np.bool_]
    start: Floats


def transitions(test: GymTest) -> Transitions:
    """Return the transitions of a test whose environment has a table of them; this imports Gymnasium."""
    import gymnasium

    environment = gymnasium.make(test.id, max_episode_steps=test.horizon, disable_env_checker=True, **test.options)
    plain: Any = environment.unwrapped
    table, start = plain.P, np.asarray(plain.initial_state_distrib, np.float64)
    environment.close()
    most = max(len(outcomes) for row in table.values() for outcomes in row.values())
    kinds = (np.float64, np.int64, np.float64, np.bool_)
    arrays: list[npt.NDArray[Any]] = [np.zeros((len(table), len(table[0]), most), kind) for kind in kinds]
    for state, row in table.items():
        for action, outcomes in row.items():
            for array, values in zip(arrays, zip(*outcomes, strict=True), strict=True):
                array[state, action, : len(outcomes)] = values
    return Transitions(*arrays, start)


def weights(own: int, asked: int | None = None, surplus: Surplus = "clamp") -> Floats:
    """Return the probability of each of an environment's own actions, (own,), where ``asked`` are drawn uniformly.

    ``surplus``: what an action beyond its own does: ``clamp``, it becomes the last one; ``random``, a random one.
    """
    count = own if asked is None else asked
    if surplus == "random":
        return np.full(own, 1 / own)
    shares = np.full(own, 1 / count)
    shares[-1] += (count - own) / count
    return shares


def optimal(table: Transitions, horizon: int) -> float:
    """Return the largest expected return of an episode of at most ``horizon`` steps, by value iteration."""
    going = ~table.ended
    best = np.zeros(len(table.start))
    for _ in range(horizon):
        gain = table.reward + best[table.following] * going
        best = (table.probability * gain).sum(axis=2).max(axis=1)
    return float(table.start @ best)


# ---- Random play --------------------------------------------------------------------------------------


Integers = npt.NDArray[np.int64]
Step = tuple[Floats, Floats, npt.NDArray[np.bool_]]
CLIP = 200.0


class _Tabled:
    """An environment with a table of transitions; states are columns (numbers, lanes), rewards and ends (lanes,)."""

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


Dynamics = _Tabled | _CartPole | _MountainCar | _Acrobot


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
