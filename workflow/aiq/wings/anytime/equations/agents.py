"""Examinees: random, tabular Q-learning, a policy function, a slow one, one that cheats, one that follows Good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from aiq.errors import InputError
from aiq.wings.anytime.equations.grid import MOVES, SHIFTS
from aiq.wings.anytime.equations.protocol import Agent, Clock, Environment, Informed, Observation


class RandomAgent:
    """Takes every action with the same probability."""

    name = "random"

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Remember the actions."""
        self._actions, self._rng = actions, rng

    def observe(self, observation: Observation, reward: float) -> None:
        """Ignore everything."""

    def act(self) -> int:
        """Return any action."""
        return int(self._rng.integers(self._actions))


class TabularQ:
    """Q-learning (Watkins 1989) with the observation as state, learning anew in every environment.

    Args:
        rate: α in (0, 1].
        discount: γ in [0, 1).
        exploration: ε in [0, 1]; greedy ties are drawn uniformly.
    """

    name = "q-learning"

    def __init__(self, rate: float = 0.5, discount: float = 0.6, exploration: float = 0.1) -> None:
        if not (0 < rate <= 1 and 0 <= discount < 1 and 0 <= exploration <= 1):
            raise InputError(
                f"α = {rate}, γ = {discount}, ε = {exploration} are no parameters of Q-learning; α must lie in (0, 1], "
                "γ in [0, 1), ε in [0, 1]"
            )
        self._rate, self._discount, self._exploration = rate, discount, exploration

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Forget what was learnt."""
        self._values: dict[Observation, np.ndarray[Any, Any]] = {}
        self._actions, self._rng = actions, rng
        self._last: tuple[Observation, int] | None = None

    def _row(self, state: Observation) -> np.ndarray[Any, Any]:
        return self._values.setdefault(state, np.zeros(self._actions))

    def observe(self, observation: Observation, reward: float) -> None:
        """Learn from the last action."""
        if self._last is not None:
            state, action = self._last
            row = self._row(state)
            row[action] += self._rate * (reward + self._discount * self._row(observation).max() - row[action])
        self._state = observation

    def act(self) -> int:
        """Return an ε-greedy action."""
        row = self._row(self._state)
        if self._rng.random() < self._exploration:
            action = int(self._rng.integers(self._actions))
        else:
            action = int(self._rng.choice(np.flatnonzero(row == row.max())))
        self._last = (self._state, action)
        return action


class PolicyAgent:
    """A policy function ``policy(observation) -> action``, as written for Gymnasium environments.

    The function gets the observation as an array of int64 and may return an int or a NumPy integer.
    """

    def __init__(self, policy: Callable[[np.ndarray[Any, Any]], Any], name: str = "policy") -> None:
        if not callable(policy):
            raise InputError(
                f"the policy is {policy!r}; give a function that takes an observation and returns an action"
            )
        self._policy, self.name = policy, name

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Nothing to prepare."""

    def observe(self, observation: Observation, reward: float) -> None:
        """Keep the observation."""
        self._observation = np.array(observation, dtype=np.int64)

    def act(self) -> int:
        """Return what the function returns, unchanged."""
        return self._policy(self._observation)  # type: ignore[no-any-return]


class SlowAgent:
    """Another agent, with ``seconds`` spent before every action on the test's clock."""

    def __init__(self, agent: Agent, seconds: float, clock: Clock) -> None:
        if not seconds >= 0:
            raise InputError(f"the time per action is {seconds} s; give 0 or more")
        self._agent, self._seconds, self._clock = agent, seconds, clock
        self.name = f"{agent.name} taking {seconds:g} s"

    def inform(self, environment: Environment) -> None:
        """Pass the environment on."""
        if isinstance(self._agent, Informed):
            self._agent.inform(environment)

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Begin without delay."""
        self._agent.begin(actions, rng)

    def observe(self, observation: Observation, reward: float) -> None:
        """Observe without delay."""
        self._agent.observe(observation, reward)

    def act(self) -> int:
        """Act after the delay."""
        self._clock.sleep(self._seconds)
        return self._agent.act()


class SandbaggingAgent:
    """Fails on purpose to be given easier environments, and wins those.

    After ``wins`` environments played as ``winner`` it plays the next one as ``loser``.
    """

    def __init__(self, winner: Agent, loser: Agent, wins: int = 1) -> None:
        if wins < 1:
            raise InputError(f"the number of wins before a failure is {wins}; give 1 or more")
        self._winner, self._loser, self._wins = winner, loser, wins
        self._count = -1
        self.name = f"sandbagger ({winner.name}, {loser.name})"

    def _present(self) -> Agent:
        return self._loser if self._count % (self._wins + 1) == self._wins else self._winner

    def inform(self, environment: Environment) -> None:
        """Pass the environment on to both."""
        for agent in (self._winner, self._loser):
            if isinstance(agent, Informed):
                agent.inform(environment)

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Decide who plays."""
        self._count += 1
        self._present().begin(actions, rng)

    def observe(self, observation: Observation, reward: float) -> None:
        """Pass on."""
        self._present().observe(observation, reward)

    def act(self) -> int:
        """Act as who plays."""
        return self._present().act()


class FollowGood:
    """The policy of section 6.3: move at random until the reward is above .5, then follow Good.

    A reward above .5 means that the agent is on Good's cell. From the first time on it notes each move of
    Good that it can tell from two sights in a row, with its time, and predicts the next one by the
    shortest period that fits all notes. It goes to the cell where it expects Good if that takes one
    move, and at random otherwise: behind a Good that runs away it would stay behind for ever.
    """

    name = "follow-good"
    longest = 64

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Forget the last environment; every move is random at first."""
        self._rng, self._actions = rng, actions
        self._notes: dict[int, str] = {}
        self._time = 0
        self._met = False
        self._offset: tuple[int, int] | None = None
        self._action: int | None = None

    def observe(self, observation: Observation, reward: float) -> None:
        """Find Good among the neighbours, or under the agent by the reward, and note its move."""
        found: tuple[int, int] | None = (0, 0) if reward > 0.5 else None
        self._met = self._met or found is not None
        for k, move in enumerate(MOVES[:4]):
            if observation[3 * k]:
                found = SHIFTS[move]
        if self._action is not None:
            if self._offset is not None and found is not None:
                own = SHIFTS[MOVES[self._action]]
                step = (found[0] - self._offset[0] + own[0], found[1] - self._offset[1] + own[1])
                self._notes.update((self._time, move) for move, shift in SHIFTS.items() if shift == step)
            self._time += 1
        self._offset = found

    def _predicted(self) -> tuple[int, int]:
        """Return Good's next move by the shortest period that fits the notes, or staying if nothing is known."""
        for period in range(1, self.longest + 1):
            cycle: dict[int, str] = {}
            if all(cycle.setdefault(time % period, move) == move for time, move in self._notes.items()):
                return SHIFTS[cycle.get(self._time % period, "S")]
        self._notes.clear()
        return SHIFTS["S"]

    def act(self) -> int:
        """Go where Good will be if one move is enough, else anywhere."""
        self._action = int(self._rng.integers(self._actions))
        if self._met and self._offset is not None:
            step = self._predicted()
            goal = (self._offset[0] + step[0], self._offset[1] + step[1])
            self._action = next((k for k, move in enumerate(MOVES) if SHIFTS[move] == goal), self._action)
        return self._action
