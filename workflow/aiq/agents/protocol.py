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

``play`` lets agents act in environments side by side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from aiq.domains.control.base import checked_action
from aiq.errors import InputError, reason

if TYPE_CHECKING:
    from aiq.environments import Kernel, Lanes

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


# ---- Agents act ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Played:
    """What episodes gave (lanes, episodes): sums of rewards, lengths, whether the environment ended them (no limit)."""

    returns: Array
    steps: Array
    ended: Array


def task_of(kernel: Kernel, name: str, horizon: int, **further: Any) -> Task:
    """Return what an agent is told of a measure's environments."""
    rewards = (kernel.factor * kernel.rewards[0], kernel.factor * kernel.rewards[1])
    return Task(
        name, len(kernel.actions), kernel.numbers, kernel.values, rewards, horizon, text=kernel.about, **further
    )


class _Group:
    """Agents, one a lane; or one policy that acts in all lanes at once."""

    def __init__(self, agents: Sequence[Agent], lanes: Lanes, task: Task) -> None:
        self._agents, self._lanes, self._task = agents, lanes, task
        first = agents[0]
        self._policy = first if isinstance(first, Policy) and all(agent is first for agent in agents) else None
        self._seen = np.zeros((len(agents), task.numbers), np.float64 if task.values is None else np.int64)

    def start(self, which: Array, learning: Array | None) -> None:
        seen = self._lanes.observe(which)
        self._seen[which] = seen
        if self._policy is None:
            for k, lane in enumerate(which.tolist()):
                if learning is not None:
                    self._agents[lane].learning = bool(learning[k])
                self._agents[lane].start(seen[k])

    def step(self, which: Array) -> tuple[Array, Array]:
        """Let the agents of some lanes act and learn what came of it; return rewards and whether episodes ended."""
        rewards, ended = self._lanes.step(which, self._actions(which))
        seen = self._lanes.observe(which)
        self._seen[which] = seen
        if self._policy is None:
            for k, lane in enumerate(which.tolist()):
                self._agents[lane].observe(float(rewards[k]), seen[k], bool(ended[k]))
        return rewards, ended

    def _actions(self, which: Array) -> Array:
        if self._policy is None:
            return np.array([decided(self._agents[lane], self._task) for lane in which.tolist()], np.int64)
        answers = called(self._policy.name, self._task.name, self._policy.choose, self._seen[which])
        return np.array([checked(self._policy.name, answer, self._task) for answer in answers], np.int64)


def play(
    agents: Sequence[Agent], lanes: Lanes, task: Task, *, practice: int = 0, scored: int = 1, begun: bool = False
) -> Played:
    """Let one agent per lane, which has been told the task, play its episodes; return the ``scored`` ones.

    One ``Policy`` in every place acts in all lanes at once. Where there are episodes of ``practice`` before, agents
    learn in them and not afterwards. ``begun``: the first episode of every lane has been begun already.

    Raises:
        InputError: an agent raised or left its actions.
    """
    group, going = _Group(agents, lanes, task), np.arange(len(agents))
    whole = (len(agents), practice + scored)
    returns, steps, ended = np.zeros(whole), np.zeros(whole, np.int64), np.zeros(whole, np.bool_)
    number = np.zeros(len(agents), np.int64)

    def learning(which: Array) -> Array | None:
        return number[which] < practice if practice else None

    if not begun:
        lanes.begin(going)
    group.start(going, learning(going))
    while len(going):
        rewards, ends = group.step(going)
        place = number[going]
        returns[going, place] += rewards
        steps[going, place] += 1
        ended[going, place] = ends
        over = ends | (steps[going, place] >= task.horizon)
        if not over.any():
            continue
        number[going[over]] += 1
        again = going[over][number[going[over]] < whole[1]]
        going = np.sort(np.concatenate([going[~over], again]))
        if len(again):
            lanes.begin(again)
            group.start(again, learning(again))
    return Played(returns[:, practice:], steps[:, practice:], ended[:, practice:])


def decided(agent: Agent, task: Task) -> int:
    """Return the agent's next action, or refuse one that raises or answers with no action of the task."""
    return checked(agent.name, called(agent.name, task.name, agent.act), task)


def called(agent: str, task: str, function: Any, *arguments: Any) -> Any:
    """Return what a function of an agent returns; raises InputError where it raises."""
    try:
        return function(*arguments)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"agent {agent} raised {reason(error)} on {task}; correct the agent") from error


def checked(agent: str, answer: Any, task: Task) -> int:
    """Return an answer as an action.

    Raises:
        InputError: it is none of the task's.
    """
    if isinstance(answer, np.ndarray) and answer.shape == ():
        answer = answer[()]
    try:
        return checked_action(task.name, answer, task.actions)
    except InputError as error:
        raise InputError(f"agent {agent}: {error}") from None
