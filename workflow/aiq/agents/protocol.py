"""What an agent is: it is told a task, acts, observes the reward, and learns from it or not.

**An agent of your own** needs a name, an attribute ``learning`` and four methods::

    class Mine:
        name = "mine"
        learning = True

        def begin(self, task): ...                        # a new environment: forget every other one
        def start(self, observation): ...                 # the first observation of an episode
        def act(self): ...                                # return an action, 0 ... task.actions - 1
        def observe(self, reward, observation, ended): ... # what came of the action

Whoever lets it play sets ``learning``: where it is False the agent acts as well as it can and changes nothing of what
it has learned. An agent that cannot play a task raises ``CannotPlay`` in ``begin`` and says why.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError

Array = npt.NDArray[Any]
Vectors = npt.NDArray[np.float32]


class CannotPlay(InputError):  # noqa: N818 (an answer, not a mistake)
    """An agent cannot be examined by a measure; the message says why, in words that go on after "cannot:"."""


@dataclass(frozen=True)
class Task:
    """What an agent is told of the environment that it will meet.

    An observation is an array of ``numbers`` numbers: where ``values`` are given each is an integer, the place of
    one of them (0 ... len(values) - 1); else they are real numbers. ``vector`` makes of it what a network sees. A
    factory of ``agents.outside`` (docs/how-to/own-agent.md) finds here what it is told of a control domain.

    Attributes:
        name: of the task.
        actions: number of actions; an action is an integer from 0 to ``actions`` - 1.
        numbers: numbers in an observation.
        values: the values that each can have; None for real numbers.
        rewards: smallest and largest reward of a step.
        horizon: longest episode in steps.
        episodes: most episodes that will be played between two calls of ``begin``.
        seed: root of all randomness of the agent in this task.
        text: what it is, in words.
        training: settings of a control domain of the same kind with other environments, to train on; empty: none.
    """

    name: str
    actions: int
    numbers: int
    values: tuple[float, ...] | None
    rewards: tuple[float, float]
    horizon: int
    episodes: int = 1
    seed: int = 0
    text: str = ""
    training: Mapping[str, Any] = field(default_factory=dict)

    @property
    def steps(self) -> int:
        """Most steps that will be played between two calls of ``begin``."""
        return self.horizon * self.episodes

    @property
    def observations(self) -> int:
        """Numbers in a vector (see ``vector``)."""
        return self.numbers if self.values is None or len(self.values) == 2 else self.numbers * len(self.values)

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest sum of rewards of an episode."""
        return self.rewards[0] * self.horizon, self.rewards[1] * self.horizon

    def vector(self, observations: Array) -> Vectors:
        """Return observations (n, numbers) as (n, ``observations``), float32.

        Numbers of two values are the values themselves, those of more are one-hot, as in the control domains; a place
        beyond the values lights none. Real numbers stay as they are.
        """
        if self.values is None:
            return np.asarray(observations, np.float32)
        if len(self.values) == 2:
            return self.native(observations)
        lit: Vectors = (observations[..., None] == np.arange(len(self.values))).astype(np.float32)
        return lit.reshape(len(observations), -1)

    def native(self, observations: Array) -> Vectors:
        """Return observations (n, numbers) as their values, float32."""
        if self.values is None:
            return np.asarray(observations, np.float32)
        return np.asarray(np.asarray(self.values, np.float32)[observations])


@runtime_checkable
class Agent(Protocol):
    """An agent; see the text of this module."""

    name: str
    learning: bool

    def begin(self, task: Task) -> None:
        """Meet a new environment and forget every other one; raises CannotPlay."""

    def start(self, observation: Array) -> None:
        """Take in the first observation (numbers,) of an episode."""

    def act(self) -> Any:
        """Return the next action."""

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Take in what came of the last action; ``ended``: the environment ended the episode (no time limit does)."""


class Policy(ABC):
    """Base of agents without memory: an action is a function of the observation, so that many can act at once."""

    name = "policy"
    learning = False

    def begin(self, task: Task) -> None:
        """Meet a new environment."""
        self.task = task

    def start(self, observation: Array) -> None:
        """Keep the observation."""
        self._seen = observation

    def act(self) -> Any:
        """Return the action for the last observation."""
        return self.choose(self._seen[None])[0]

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Keep the observation."""
        self._seen = observation

    @abstractmethod
    def choose(self, observations: Array) -> Any:
        """Return an action for each observation, (n, numbers) -> (n,)."""


def needs_finite(agent: str, task: Task) -> None:
    """Raise CannotPlay where observations are real numbers."""
    if task.values is None:
        raise CannotPlay(f"observations are {task.numbers} real numbers, {agent} needs a finite number of them")
