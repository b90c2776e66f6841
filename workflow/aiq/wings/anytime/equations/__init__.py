"""The anytime intelligence test (Hernández-Orallo and Dowe 2010): what takes part in it, and examinees.

``administer`` examines an agent in a class of environments (``automata``, ``classes``), by interactions (Definition 19)
or in physical time (Definition 18), and reduces repeated tests to records.

**To examine an agent of your own** give it three methods::

    class Mine:
        name = "mine"

        def begin(self, actions, rng): ...       # a new environment with actions 0 … actions − 1
        def observe(self, observation, reward): ... # a tuple of integers and the last reward
        def act(self): ...                       # return an integer 0 … actions − 1

The order is ``begin``, ``observe`` (the first observation, reward 0), then ``act`` and ``observe`` in
turn. ``rng`` is the agent's own source of randomness; an agent that uses no other can be repeated.
An agent with a method ``inform(environment)`` gets the environment itself before ``begin``: so are
oracles made, and such an agent is no honest examinee.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Set
from typing import Any, Protocol, TextIO

import numpy as np

from aiq.errors import InputError

Observation = tuple[int, ...]


class Clock:
    """Source of the time in seconds: the steady clock of the machine."""

    def now(self) -> float:
        """Return seconds of the performance counter."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)


class ManualClock(Clock):
    """A clock for deterministic tests: it moves by ``sleep`` alone."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Return the sum of all that passed."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move the clock forward."""
        self._now += seconds


class Environment(Protocol):
    """One environment: rewards in [−1, 1], balanced and reward-sensitive.

    ``key`` names it within the class; ``complexity`` H is above 0; there are at least 2 ``actions``.
    """

    key: str
    complexity: float
    actions: int

    def reset(self, rng: np.random.Generator) -> Observation:
        """Start anew with all further randomness from ``rng``; return the first observation."""

    def step(self, action: int) -> tuple[float, Observation]:
        """Carry out an action; return reward and observation."""

    def render(self) -> str:
        """Return the present state as lines of text."""


class Agent(Protocol):
    """An examinee; see the text of this module."""

    @property
    def name(self) -> str:
        """Name in records."""

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Begin a new environment with actions 0 … ``actions`` − 1."""

    def observe(self, observation: Observation, reward: float) -> None:
        """Take in an observation and the reward of the last action (0 at first)."""

    def act(self) -> int:
        """Return the next action."""


class Player(ABC):
    """Base of agents that keep what they were told last: the number of actions, a generator, an observation."""

    name = "player"

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Keep the actions and the source of randomness."""
        self.actions, self.rng = actions, rng

    def observe(self, observation: Observation, reward: float) -> None:
        """Keep the observation."""
        self.observation = observation

    @abstractmethod
    def act(self) -> int:
        """Return the next action."""


def inform(agent: Agent, environment: Environment) -> None:
    """Show an agent the environment itself, if it has a method for that."""
    if callable(getattr(agent, "inform", None)):
        agent.inform(environment)  # type: ignore[attr-defined]


class EnvironmentClass(ABC):
    """Environments of one kind, with a complexity H and a generator by level; its name in records."""

    name: str
    largest: int

    @property
    def highest(self) -> float:
        """Largest H in the class."""
        return float(self.largest)

    @abstractmethod
    def draw(self, low: float, high: float, used: Set[str], rng: np.random.Generator) -> Environment | None:
        """Return an environment with low ≤ H ≤ high whose key is not in ``used``, uniformly, or None."""

    @abstractmethod
    def oracle(self, sign: int = 1) -> Agent:
        """Return an informed agent that seeks reward, or with sign −1 avoids it."""


class AgentStopped(Exception):  # noqa: N818 (an order of the examinee, no error)
    """Raised by an agent that wants to end the test, such as a person who leaves."""


class AgentError(InputError):
    """An agent broke the protocol."""


def checked(agent: Agent, action: Any, actions: int) -> int:
    """Return ``action`` as int if it is a whole number in 0 … actions − 1, else raise AgentError."""
    number = action[()] if isinstance(action, np.ndarray) and action.shape == () else action
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if whole and 0 <= number < actions:
        return int(number)
    raise AgentError(
        f"agent {agent.name!r} returned the action {action!r}; allowed are the whole numbers 0 to {actions - 1}, so "
        "correct what its act() returns"
    )


# ---- examinees -------------------------------------------------------------------------------------


class RandomAgent(Player):
    """Takes every action with the same probability."""

    name = "random"

    def act(self) -> int:
        """Return any action."""
        return int(self.rng.integers(self.actions))


class TabularQ(Player):
    """Q-learning (Watkins 1989) with the observation as state, anew in every environment; parameters α, γ, ε."""

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
    """A function of the observation (an array of int64), as for Gymnasium; it returns an int or NumPy integer."""

    name = "policy"

    def __init__(self, policy: Callable[[np.ndarray[Any, Any]], Any]) -> None:
        self._policy = policy

    def act(self) -> int:
        """Return what the function returns, unchanged."""
        return self._policy(np.array(self.observation, dtype=np.int64))  # type: ignore[no-any-return]


class _Masked:
    """Base of agents that let one of some others play."""

    def __init__(self, name: str, *agents: Agent) -> None:
        self.name, self._agents, self._present = name, agents, agents[0]

    def inform(self, environment: Environment) -> None:
        for agent in self._agents:
            inform(agent, environment)

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        self._present.begin(actions, rng)

    def observe(self, observation: Observation, reward: float) -> None:
        self._present.observe(observation, reward)

    def act(self) -> int:
        return self._present.act()


class SlowAgent(_Masked):
    """Another agent, with ``seconds`` spent before every action on the test's clock."""

    def __init__(self, agent: Agent, seconds: float, clock: Clock) -> None:
        super().__init__(f"{agent.name} taking {seconds:g} s", agent)
        self._seconds, self._clock = seconds, clock

    def act(self) -> int:
        """Act after the delay."""
        self._clock.sleep(self._seconds)
        return super().act()


class SandbaggingAgent(_Masked):
    """Fails on purpose, in every second environment, to be given easier ones, and wins those."""

    def __init__(self, winner: Agent, loser: Agent) -> None:
        super().__init__(f"sandbagger ({winner.name}, {loser.name})", winner, loser)
        self._count = -1

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Decide who plays."""
        self._count += 1
        self._present = self._agents[self._count % 2]
        super().begin(actions, rng)


class Person(Player):
    """Shows rewards and pictures on ``output`` and reads the number of an action from a line of ``source``.

    A line that is no action is asked for again; ``q`` or the end of the input ends the test. Without ``picture`` the
    bare observation is shown in the place of the environment's own picture.
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
