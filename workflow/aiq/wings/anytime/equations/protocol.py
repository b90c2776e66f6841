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
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

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


class EnvironmentClass(Protocol):
    """Environments of one kind, with a complexity H and a generator by level."""

    @property
    def name(self) -> str:
        """Name in records."""

    @property
    def highest(self) -> float:
        """Largest H in the class, or infinity."""

    def draw(self, low: float, high: float, used: Set[str], rng: np.random.Generator) -> Environment | None:
        """Return an environment with low ≤ H ≤ high whose key is not in ``used``, uniformly, or None."""

    def oracle(self, sign: int = 1) -> Agent:
        """Return an informed agent that seeks reward, or with sign −1 avoids it."""


class AgentStopped(Exception):  # noqa: N818 (an order of the examinee, no error)
    """Raised by an agent that wants to end the test, such as a person who leaves."""


class AgentError(InputError):
    """An agent broke the protocol."""


def checked_action(agent: Agent, action: Any, actions: int) -> int:
    """Return ``action`` as int if it is a whole number in 0 … actions − 1, else raise AgentError.

    Raises:
        AgentError: it is anything else.
    """
    number = action[()] if isinstance(action, np.ndarray) and action.shape == () else action
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if whole and 0 <= number < actions:
        return int(number)
    raise AgentError(
        f"agent {agent.name!r} returned the action {action!r}; allowed are the whole numbers 0 to {actions - 1}, so "
        "correct what its act() returns"
    )


# ---- finite environments: sensitivity, exact and sampled, and what is best to do --------------------

Array = npt.NDArray[Any]
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Table:
    """A finite deterministic environment with S states and A actions.

    ``following`` (S, A): next state; ``rewards`` (S,): reward on entering a state; ``start`` (S,):
    probabilities of the first state.
    """

    following: Array
    rewards: Array
    start: Array


def exact_sensitivity(table: Table, horizon: int) -> float:
    """Return the share of states from which two continuations of one length ≤ ``horizon`` differ in reward sums.

    All states count, also those that cannot be reached, so a demand for 1 is a little too strict.
    """
    states = table.following.shape[0]
    least, most = np.zeros(states), np.zeros(states)
    sensitive = np.zeros(states, dtype=bool)
    for _ in range(horizon):
        least = (table.rewards + least)[table.following].min(axis=1)
        most = (table.rewards + most)[table.following].max(axis=1)
        sensitive |= most - least > TOLERANCE
    return float(sensitive.mean())


def sampled_sensitivity(
    environment: Environment, steps: int, histories: int, tries: int, rng: np.random.Generator
) -> float:
    """Return the share of sampled histories after which ``tries`` random continuations do not all pay the same sums.

    Continuations of ``steps`` actions are compared after the same history, of fewer, with the same randomness. A demand
    for 1 refuses an environment that is nowhere less sensitive than one differing continuation in ten with a
    probability of at most histories times 0.9 to the power tries − 1.
    """
    sensitive = 0
    for _ in range(histories):
        seed = int(rng.integers(2**62))
        history = rng.integers(environment.actions, size=int(rng.integers(steps))).tolist()
        sums = []
        for _ in range(tries):
            environment.reset(np.random.default_rng(seed))
            for action in history:
                environment.step(action)
            actions = rng.integers(environment.actions, size=steps).tolist()
            sums.append(np.cumsum([environment.step(action)[0] for action in actions]))
        sensitive += bool((np.ptp(np.array(sums), axis=0) > TOLERANCE).any())
    return sensitive / histories


def plan(table: Table, discount: float = 0.95, sign: int = 1) -> Array:
    """Return the best action in each state, (S,), for the discounted sum of ``sign`` × reward.

    By value iteration until no value changes by more than 1e-4. With a discount near 1 the mean reward
    of this policy is near that of the best cycle. (The best first actions over a fixed number of steps
    would not do: they may put off a cycle again and again.)
    """
    rewards = sign * table.rewards
    values = np.zeros(rewards.size)
    while True:
        previous = values
        values = (rewards + discount * values)[table.following].max(axis=1)
        if np.abs(values - previous).max() < 1e-4:
            return np.asarray((rewards + discount * values)[table.following].argmax(axis=1))


class Oracle(Player):
    """Base of agents that see the environment and seek reward, or with sign −1 avoid it."""

    def __init__(self, sign: int = 1) -> None:
        self.name = "oracle" if sign > 0 else "anti-oracle"
        self.sign = sign


class Planner(Oracle):
    """The oracle of finite environments: it sees the state and follows the plan (or with sign −1 the worst one)."""

    def inform(self, environment: Environment) -> None:
        """Plan for the environment."""
        self._environment = cast(Any, environment)
        self._policy = plan(self._environment.table(), sign=self.sign)

    def act(self) -> int:
        """Return the planned action."""
        return int(self._policy[self._environment.state])
