"""An agent of the algorithmic test as one of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiq.agents.playing import called
from aiq.agents.protocol import Array, CannotPlay, Task


class FromActor:
    """An agent of the algorithmic test: factory(actions, observations, seed) makes it."""

    learning = True

    def __init__(self, factory: Callable[..., Any], name: str) -> None:
        self._factory, self.name = factory, name

    def begin(self, task: Task) -> None:
        """Make it anew; raises CannotPlay where an observation is not one number of some values."""
        if task.values is None or task.numbers != 1:
            raise CannotPlay(
                f"an observation is {task.numbers} numbers, agents of the algorithmic test take one symbol"
            )
        self._actor = called(self.name, task.name, self._factory, task.actions, len(task.values), task.seed)

    def start(self, observation: Array) -> None:
        """Keep the first observation; the reward before it is 0."""
        self._percept = (int(observation[0]), 0.0)

    def act(self) -> Any:
        """Return the next action."""
        return self._actor.act(*self._percept)

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Keep what came of the action until it acts again."""
        self._percept = (int(observation[0]), reward)
