"""Agents that others wrote: ``module:function``, and trained policies of Stable-Baselines3.

Whatever a factory returns becomes an agent of the protocol: an object that has it already, an object with
``predict(observation)`` as the policies of Stable-Baselines3 have, or a function from an observation to an action, as
in ``agents.outside`` of a configuration (docs/how-to/own-agent.md).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from aiq.agents.playing import called
from aiq.agents.protocol import Agent, Array, CannotPlay, Policy, Task
from aiq.config.training import load_factory
from aiq.errors import InputError


class Act:
    """What ``factory(task)`` returns, made anew for every task: a function ``act(observation) -> action``, or an agent.

    A function sees the task's ``vector``, float32, and is told no reward. An agent with the protocol plays the task.
    """

    learning = True

    def __init__(self, factory: Callable[..., Any], name: str) -> None:
        self._factory, self.name = factory, name

    def begin(self, task: Task) -> None:
        """Call the factory.

        Raises:
            CannotPlay: the factory refused the task with an InputError.
            InputError: it raised anything else, or returned nothing that acts.
        """
        try:
            made = called(self.name, task.name, self._factory, task)
        except CannotPlay:
            raise
        except InputError as refusal:
            if refusal.__cause__ is not None:
                raise
            raise CannotPlay(str(refusal)) from refusal
        is_function = callable(made) and not hasattr(made, "act")
        self._agent: Agent = _Function(made, self.name) if is_function else adapted(made, self.name)
        self._agent.begin(task)

    def start(self, observation: Array) -> None:
        """Take in the first observation."""
        self._agent.learning = self.learning
        self._agent.start(observation)

    def act(self) -> Any:
        """Return what the function or the agent answers."""
        return self._agent.act()

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Take in what came of the action."""
        self._agent.observe(reward, observation, ended)


class _Function(Policy):
    """A function of one observation."""

    def __init__(self, function: Callable[[Array], Any], name: str) -> None:
        self._function, self.name = function, name

    def choose(self, observations: Array) -> Any:
        return [self._function(vector) for vector in self.task.vector(observations)]


class Predicting(Policy):
    """A trained policy with ``predict``, as of Stable-Baselines3, on tasks that have its spaces.

    A ``Discrete`` space gets the number of the observation, ``MultiBinary`` its bits, a ``Box`` the values or, where it
    is as wide, the one-hot vector.
    """

    def __init__(self, model: Any, name: str) -> None:
        self._model, self.name = model, name

    def begin(self, task: Task) -> None:
        """Compare the spaces."""
        super().begin(task)
        actions, space = getattr(self._model, "action_space", None), getattr(self._model, "observation_space", None)
        if actions is not None and getattr(actions, "n", None) != task.actions:
            raise CannotPlay(f"it acts in {actions}, the task has {task.actions} actions")
        self._see = self._way(space, task)

    def choose(self, observations: Array) -> Any:
        """Return an action for each observation."""
        return np.atleast_1d(self._model.predict(self._see(observations), deterministic=True)[0])

    def _way(self, space: Any, task: Task) -> Callable[[Array], Array]:
        """Return what makes of observations what the policy sees."""
        count, shape = getattr(space, "n", None), getattr(space, "shape", None)
        states = None if task.values is None else float(len(task.values)) ** task.numbers
        if shape == () and states is not None and count == states:
            powers = len(task.values or ()) ** np.arange(task.numbers)[::-1]
            return lambda seen: seen @ powers
        if shape == (task.numbers,) and (states is None or count is None or count == task.numbers):
            return task.native if count is None else lambda seen: seen.astype(np.int8)
        if space is None or shape == (task.observations,):
            return task.vector
        raise CannotPlay(f"it sees {space}, the task shows {task.numbers} numbers ({task.observations} one-hot)")


def adapted(made: Any, name: str) -> Agent:
    """Return what a factory made as an agent of the protocol."""
    if isinstance(made, Agent):
        return made
    if callable(getattr(made, "predict", None)):
        return Predicting(made, name)
    raise InputError(
        f"agent {name} is {type(made).__name__}, which does not act; give a factory of a function of the observation, "
        "of an object with predict, or of one with begin, start, act, observe, name and learning"
    )


def outside(word: str) -> Callable[[], Agent]:
    """Return what makes the agent that ``module:function`` or a file of Stable-Baselines3 names.

    A function is called with the task, for every environment, and returns what acts there. A class that has the
    methods of the protocol is made without arguments.

    Args:
        word: ``my_agents:balancer``, or ``sb3:PPO:policy.zip``: the algorithm and the file that its ``save`` wrote.

    Raises:
        InputError: it cannot be found, or is no such file.
    """
    if word.startswith("sb3:"):
        model = _saved(word)
        return lambda: Predicting(model, word)
    factory = load_factory(word)
    methods = ("begin", "start", "act", "observe")
    if isinstance(factory, type) and all(callable(getattr(factory, method, None)) for method in methods):
        return lambda: adapted(factory(), word)
    return lambda: Act(factory, word)


def _saved(word: str) -> Any:
    """Return the saved policy of Stable-Baselines3 that a word names."""
    _, algorithm, path = (*word.split(":", 2), "", "")[:3]
    import stable_baselines3

    kind: Any = getattr(stable_baselines3, algorithm, None)
    if not hasattr(kind, "load") or not path:
        raise InputError(f"agent {word!r} names no policy; write sb3:ALGORITHM:FILE, for example sb3:PPO:policy.zip")
    if not Path(path).is_file():
        raise InputError(f"agent {word!r}: there is no file {path!r}; give the file that the policy's save wrote")
    try:
        return kind.load(path, device="cpu")
    except Exception as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"agent {word!r}: {path} is no saved {algorithm} ({why}); give one") from error
