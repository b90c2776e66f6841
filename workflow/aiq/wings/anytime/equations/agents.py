"""Examinees: random, tabular Q-learning, a policy function, a slow one, a cheat, a follower of Good, a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TextIO

import numpy as np

from aiq.wings.anytime.equations.grid import MOVES, SHIFTS
from aiq.wings.anytime.equations.protocol import Agent, AgentStopped, Clock, Environment, Observation, Player, inform


class RandomAgent(Player):
    """Takes every action with the same probability."""

    name = "random"

    def act(self) -> int:
        """Return any action."""
        return int(self.rng.integers(self.actions))


class TabularQ(Player):
    """Q-learning (Watkins 1989) with the observation as state, learning anew in every environment.

    ``rate`` α, ``discount`` γ, ``exploration`` ε; greedy ties are drawn uniformly.
    """

    name = "q-learning"

    def __init__(self, rate: float = 0.5, discount: float = 0.6, exploration: float = 0.1) -> None:
        self._rate, self._discount, self._exploration = rate, discount, exploration

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Forget what was learnt."""
        super().begin(actions, rng)
        self._values: dict[Observation, np.ndarray[Any, Any]] = {}
        self._last: tuple[Observation, int] | None = None

    def _row(self, state: Observation) -> np.ndarray[Any, Any]:
        return self._values.setdefault(state, np.zeros(self.actions))

    def observe(self, observation: Observation, reward: float) -> None:
        """Learn from the last action."""
        if self._last is not None:
            state, action = self._last
            row = self._row(state)
            row[action] += self._rate * (reward + self._discount * self._row(observation).max() - row[action])
        super().observe(observation, reward)

    def act(self) -> int:
        """Return an ε-greedy action."""
        row = self._row(self.observation)
        if self.rng.random() < self._exploration:
            action = int(self.rng.integers(self.actions))
        else:
            action = int(self.rng.choice(np.flatnonzero(row == row.max())))
        self._last = (self.observation, action)
        return action


class PolicyAgent(Player):
    """A policy function ``policy(observation) -> action``, as written for Gymnasium environments.

    The function gets the observation as an array of int64 and may return an int or a NumPy integer.
    """

    def __init__(self, policy: Callable[[np.ndarray[Any, Any]], Any], name: str = "policy") -> None:
        self._policy, self.name = policy, name

    def act(self) -> int:
        """Return what the function returns, unchanged."""
        return self._policy(np.array(self.observation, dtype=np.int64))  # type: ignore[no-any-return]


class SlowAgent:
    """Another agent, with ``seconds`` spent before every action on the test's clock."""

    def __init__(self, agent: Agent, seconds: float, clock: Clock) -> None:
        self._agent, self._seconds, self._clock = agent, seconds, clock
        self.name = f"{agent.name} taking {seconds:g} s"

    def inform(self, environment: Environment) -> None:
        """Pass the environment on."""
        inform(self._agent, environment)

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
    """Fails on purpose, in every second environment, to be given easier ones, and wins those."""

    def __init__(self, winner: Agent, loser: Agent) -> None:
        self._winner, self._loser = winner, loser
        self._count = -1
        self.name = f"sandbagger ({winner.name}, {loser.name})"

    def _present(self) -> Agent:
        return self._loser if self._count % 2 else self._winner

    def inform(self, environment: Environment) -> None:
        """Pass the environment on to both."""
        for agent in (self._winner, self._loser):
            inform(agent, environment)

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


class FollowGood(Player):
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
        super().begin(actions, rng)
        self._notes: dict[int, str] = {}
        self._time = 0
        self._met = False
        self._offset: tuple[int, int] | None = None
        self._action: int | None = None

    def observe(self, observation: Observation, reward: float) -> None:
        """Find Good among the neighbours, or under the agent by the reward, and note its move."""
        good: tuple[int, int] | None = (0, 0) if reward > 0.5 else None
        self._met = self._met or good is not None
        for k, move in enumerate(MOVES[:4]):
            if observation[3 * k]:
                good = SHIFTS[move]
        if self._action is not None:
            if self._offset is not None and good is not None:
                own = SHIFTS[MOVES[self._action]]
                step = (good[0] - self._offset[0] + own[0], good[1] - self._offset[1] + own[1])
                self._notes.update((self._time, move) for move, shift in SHIFTS.items() if shift == step)
            self._time += 1
        self._offset = good

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
        self._action = int(self.rng.integers(self.actions))
        if self._met and self._offset is not None:
            step = self._predicted()
            goal = (self._offset[0] + step[0], self._offset[1] + step[1])
            self._action = next((k for k, move in enumerate(MOVES) if SHIFTS[move] == goal), self._action)
        return self._action


class Person(Player):
    """Shows rewards and pictures on ``output`` and reads the number of an action from a line of ``source``.

    A line that is no action is asked for again; ``q`` or the end of the input ends the test. With ``picture`` the
    environment's own picture is shown in the place of the bare observation.
    """

    name = "person"

    def __init__(self, source: TextIO, output: TextIO, *, picture: bool = True) -> None:
        self._source, self._output, self._picture = source, output, picture

    def inform(self, environment: Environment) -> None:
        """Keep the environment for its picture."""
        self._environment = environment

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Announce a new environment."""
        super().begin(actions, rng)
        self._write(f"\nA new environment with actions 0 to {actions - 1} (q ends the test).")

    def observe(self, observation: Observation, reward: float) -> None:
        """Show reward and observation."""
        text = self._environment.render() if self._picture else " ".join(map(str, observation))
        self._write(f"reward {reward:+.2f}\n{text}")

    def act(self) -> int:
        """Ask until an action is given, or raise AgentStopped where the person ends the test."""
        while True:
            self._write("action? ", end="")
            line = self._source.readline()
            word = line.strip()
            if not line or word.lower() == "q":
                raise AgentStopped
            if word.isdecimal() and int(word) < self.actions:
                return int(word)
            self._write(f"{word!r} is no action; type a number from 0 to {self.actions - 1}, or q.")

    def _write(self, text: str, end: str = "\n") -> None:
        self._output.write(text + end)
        self._output.flush()
