"""Adapters both ways between agents of the protocol and those of the open-world evaluation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aiq.agents.playing import decided
from aiq.agents.protocol import Agent, Array, CannotPlay, Task
from aiq.wings.novelty.protocol import Agent as NoveltyAgent
from aiq.wings.novelty.protocol import Seen

STATE = 10
"""Numbers of an observation of CartPole3D without its balls."""


class FromNovelty:
    """An agent of the open-world evaluation (`aiq.wings.novelty.protocol`), which plays CartPole3D alone."""

    learning = True

    def __init__(self, agent: NoveltyAgent) -> None:
        self._agent, self.name = agent, agent.name

    def begin(self, task: Task) -> None:
        """Begin a trial; raises CannotPlay anywhere but on CartPole3D."""
        if task.values is not None or task.actions != 5 or task.numbers < STATE or (task.numbers - STATE) % 7:
            raise CannotPlay("it knows the cart and pole of CartPole3D and nothing else")
        self._agent.begin(task.seed)
        self._ticks = -1

    def start(self, observation: Array) -> None:
        """Begin an episode; the one before is over."""
        self._over()
        self._ticks, self._seen = 0, np.asarray(observation, np.float32)
        self._agent.start(self._seen)

    def act(self) -> int:
        """Return the next action."""
        self._last = self._agent.act(self._seen)
        return self._last

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Take in what came of the action; ``ended``: the pole fell."""
        self._seen = np.asarray(observation, np.float32)
        self._ticks += not ended
        self._agent.observe(self._last, self._seen, ended)
        if ended:
            self._over()

    def _over(self) -> None:
        """Tell of the end of an episode, once."""
        if self._ticks >= 0:
            self._agent.end(self._ticks)
        self._ticks = -1


class Trialist:
    """An agent of the protocol in the open-world evaluation: paid 1 per tick, sees cart and pole, raises no alarm."""

    alarmed = False

    def __init__(self, agent: Agent, task: Task) -> None:
        self._agent, self._task, self.name = agent, task, agent.name

    def begin(self, seed: int) -> None:
        """Tell the agent of a new trial."""
        self._agent.begin(replace(self._task, seed=seed))

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        self._agent.start(observation[:STATE])

    def act(self, observation: Seen) -> int:
        """Return the next action."""
        return decided(self._agent, self._task)

    def observe(self, action: int, observation: Seen, fallen: bool) -> None:
        """Show what came of it."""
        self._agent.observe(float(not fallen), observation[:STATE], fallen)

    def end(self, ticks: int) -> None:
        """Nothing to tell."""
