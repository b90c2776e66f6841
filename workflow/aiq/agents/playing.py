"""Agents of the protocol in environments side by side, and one agent in a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aiq.agents.protocol import Agent, Array, Policy, Task
from aiq.domains.control.base import checked_action
from aiq.environments.kernel import Kernel, Lanes
from aiq.errors import InputError


@dataclass(frozen=True, eq=False)
class Played:
    """What episodes gave.

    Attributes:
        returns: (lanes, episodes) sums of rewards.
        steps: (lanes, episodes) int64, their lengths.
        ended: (lanes, episodes) bool, whether the environment ended them (not the time limit).
    """

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
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"agent {agent} raised {reason} on {task}; correct the agent") from error


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
