"""What an examinee, an environment and a class of environments have to offer to the test.

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
from collections.abc import Set
from typing import Protocol

import numpy as np

from aiq.errors import InputError
from aiq.wings.anytime.records import AnytimeRun

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
        """Move the clock forward.

        Raises:
            InputError: the time is negative.
        """
        if not seconds >= 0:
            raise InputError(f"the clock was told to move by {seconds} s; time moves forward, so give 0 or more")
        self._now += seconds


class Environment(Protocol):
    """One environment: rewards in [−1, 1], balanced and reward-sensitive.

    Attributes:
        key: name within the class, the same for the same environment.
        complexity: H, above 0.
        actions: number of actions, at least 2.
    """

    key: str
    complexity: float
    actions: int

    def reset(self, rng: np.random.Generator) -> Observation:
        """Start anew with all further randomness from ``rng``; return the first observation."""
        ...

    def step(self, action: int) -> tuple[float, Observation]:
        """Carry out an action; return reward and observation."""
        ...

    def render(self) -> str:
        """Return the present state as lines of text."""
        ...


class Agent(Protocol):
    """An examinee; see the text of this module."""

    @property
    def name(self) -> str:
        """Name in records."""
        ...

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Begin a new environment with actions 0 … ``actions`` − 1."""
        ...

    def observe(self, observation: Observation, reward: float) -> None:
        """Take in an observation and the reward of the last action (0 at first)."""
        ...

    def act(self) -> int:
        """Return the next action."""
        ...


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


class EnvironmentClass(Protocol):
    """Environments of one kind, with a complexity H and a generator by level."""

    @property
    def name(self) -> str:
        """Name in records."""
        ...

    @property
    def highest(self) -> float:
        """Largest H in the class, or infinity."""
        ...

    def draw(self, low: float, high: float, used: Set[str], rng: np.random.Generator) -> Environment | None:
        """Return an environment with low ≤ H ≤ high whose key is not in ``used``, uniformly, or None."""
        ...

    def oracle(self, sign: int = 1) -> Agent:
        """Return an informed agent that seeks reward, or with sign −1 avoids it."""
        ...


class AgentStopped(Exception):  # noqa: N818 (an order of the examinee, no error)
    """Raised by an agent that wants to end the test, such as a person who leaves."""


class AgentError(InputError):
    """An agent broke the protocol; ``run`` holds the test up to there, with status ``failed``."""

    run: AnytimeRun | None = None


def checked_action(agent: Agent, action: object, actions: int) -> int:
    """Return ``action`` as int if it is a whole number in 0 … actions − 1.

    Raises:
        AgentError: it is anything else.
    """
    whole = isinstance(action, int | np.integer) and not isinstance(action, bool)
    if not whole and isinstance(action, np.ndarray) and action.shape == () and action.dtype.kind in "iu":
        whole = True
    if whole:
        number = int(action)  # type: ignore[call-overload]
        if 0 <= number < actions:
            return int(number)
    raise AgentError(
        f"agent {agent.name!r} returned the action {action!r}; allowed are the whole numbers 0 to {actions - 1}, so "
        "correct what its act() returns"
    )
