"""Adapters both ways between agents of the protocol and examinees of the anytime test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from aiq.agents.protocol import Agent, Array, CannotPlay, Task, needs_finite
from aiq.wings.anytime.equations.protocol import Agent as AnytimeAgent


class FromAnytime:
    """An examinee of the anytime test as an agent; it goes on learning whatever it is told."""

    learning = True

    def __init__(self, agent: AnytimeAgent) -> None:
        self._agent, self.name = agent, agent.name

    def begin(self, task: Task) -> None:
        """Meet a new environment; raises CannotPlay where observations are real numbers."""
        needs_finite(self.name, task)
        self._agent.begin(task.actions, np.random.default_rng(task.seed))

    def start(self, observation: Array) -> None:
        """Take in the first observation, with reward 0."""
        self._agent.observe(tuple(observation.tolist()), 0.0)

    def act(self) -> Any:
        """Return the next action."""
        return self._agent.act()

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Take in what came of the action."""
        self._agent.observe(tuple(observation.tolist()), reward)


class Follower(FromAnytime):
    """An examinee that looks at the four neighbours of a cell of the grid."""

    def begin(self, task: Task) -> None:
        """Meet a new environment; raises CannotPlay anywhere but in the grid."""
        if task.numbers != 12 or task.values != (0.0, 1.0):
            raise CannotPlay("it looks at the four neighbours of a cell, which the grid alone shows")
        super().begin(task)


class Examinee:
    """An agent of the protocol as an examinee of the anytime test.

    Args:
        agent: the agent.
        task: from the number of actions to the task; its seed is drawn anew for every environment.
    """

    def __init__(self, agent: Agent, task: Callable[[int], Task]) -> None:
        self._agent, self._task, self.name = agent, task, agent.name

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Tell the agent of a new environment."""
        self._agent.begin(replace(self._task(actions), seed=int(rng.integers(2**63))))
        self._fresh = True

    def observe(self, observation: tuple[int, ...], reward: float) -> None:
        """Show the first observation, or what came of an action."""
        seen = np.array(observation, np.int64)
        if self._fresh:
            self._agent.start(seen)
        else:
            self._agent.observe(reward, seen, False)
        self._fresh = False

    def act(self) -> int:
        """Return the agent's action as it is; the test checks it."""
        return cast(int, self._agent.act())
