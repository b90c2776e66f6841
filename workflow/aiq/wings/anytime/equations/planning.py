"""Optimal behaviour in finite deterministic environments, for oracles."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from aiq.errors import InputError
from aiq.wings.anytime.equations.checks import Array, Table
from aiq.wings.anytime.equations.protocol import Environment, Observation


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


class Planner:
    """The oracle of finite environments: it sees the state and follows the plan (or with sign −1 the worst one)."""

    def __init__(self, sign: int = 1, discount: float = 0.95) -> None:
        self.name = "oracle" if sign > 0 else "anti-oracle"
        self._sign, self._discount = sign, discount

    def inform(self, environment: Environment) -> None:
        """Plan for the environment.

        Raises:
            InputError: the environment has no table.
        """
        if not isinstance(environment, Finite):
            raise InputError(f"the planner was given {environment.key}, which has no table; use another oracle")
        self._environment: Finite = environment
        self._policy = plan(environment.table(), self._discount, self._sign)

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Nothing to prepare."""

    def observe(self, observation: Observation, reward: float) -> None:
        """Nothing to learn."""

    def act(self) -> int:
        """Return the planned action."""
        return int(self._policy[self._environment.state])
