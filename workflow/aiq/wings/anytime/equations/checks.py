"""Is an environment reward-sensitive (Definition 7), and what is best to do in it?

Exactly from the table of a finite deterministic environment; sensitivity elsewhere by sampling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.wings.anytime.equations.protocol import Environment, Player

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

    def __post_init__(self) -> None:
        """Refuse shapes that do not fit and probabilities that do not add up to 1."""
        states = self.following.shape[0]
        if self.rewards.shape != (states,) or self.start.shape != (states,) or abs(self.start.sum() - 1) > 1e-9:
            raise ValueError("rewards, start and transitions of a table do not fit together")


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

    Continuations are compared after the same history with the same randomness. A demand for 1 refuses an environment
    that is nowhere less sensitive than one differing continuation in ten with a probability of at most histories
    times 0.9 to the power tries − 1.

    Args:
        environment: to be checked.
        steps: longest history and length of a continuation, at least 1.
        histories: at least 1.
        tries: continuations of each, at least 2.
        rng: source of randomness.
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


@runtime_checkable
class Finite(Protocol):
    """An environment that can show its table and its present state."""

    @property
    def state(self) -> int:
        """Number of the present state in the table."""
        ...

    def table(self) -> Table:
        """Return the environment as a table."""
        ...


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


class Planner(Player):
    """The oracle of finite environments: it sees the state and follows the plan (or with sign −1 the worst one)."""

    def __init__(self, sign: int = 1) -> None:
        self.name = "oracle" if sign > 0 else "anti-oracle"
        self._sign = sign

    def inform(self, environment: Environment) -> None:
        """Plan for the environment.

        Raises:
            InputError: the environment has no table.
        """
        if not isinstance(environment, Finite):
            raise InputError(f"the planner was given {environment.key}, which has no table; use another oracle")
        self._environment: Finite = environment
        self._policy = plan(environment.table(), sign=self._sign)

    def act(self) -> int:
        """Return the planned action."""
        return int(self._policy[self._environment.state])
