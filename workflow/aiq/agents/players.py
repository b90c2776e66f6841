"""Agents made of a trained network, and of what others wrote: ``module:function``, policies of Stable-Baselines3.

Whatever a factory returns becomes an agent of the protocol: an object that has it already, an object with
``predict(observation)`` as the policies of Stable-Baselines3 have, or a function from an observation to an action, as
in ``agents.outside`` of a configuration (docs/how-to/own-agent.md).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from aiq import domains, seeding
from aiq.agents.protocol import Agent, Array, CannotPlay, Policy, Task, Vectors, called
from aiq.config import validate
from aiq.config.agents import load_factory
from aiq.config.training import Network, Reinforcement
from aiq.errors import InputError, reason
from aiq.policies import networks
from aiq.records.trial import Policy as Designed
from aiq.training import reinforcement

Weights = list[Vectors]
_NETWORKS, _SHAPE = 3, {"layers": 2, "width": 32}


class Pool(Policy):
    """The best of a pool of deep Q-networks, trained on environments of the task's kind, then frozen.

    Networks are trained once for each kind of task, for so many environment ``steps`` each; the one with the best
    evaluation plays all its environments.
    """

    def __init__(self, steps: int = 5_000, root: int = 0) -> None:
        self.name, self._steps, self._root = "dqn", steps, root
        self._known: dict[str, Weights] = {}

    def take(self, task: str, weights: Weights) -> None:
        """Take a network for the tasks of a name, so that none is trained for them."""
        self._known[task] = weights

    def begin(self, task: Task) -> None:
        """Train, where no network of this task's name is known.

        Raises:
            CannotPlay: there is nothing to train on.
        """
        super().begin(task)
        if task.name not in self._known:
            if not task.training:
                raise CannotPlay("environments differ in their numbers of actions or observations, a network has one")
            self._known[task.name] = self._trained(task)
        self._weights = self._known[task.name]
        self._width = self._weights[0].shape[1]

    def weights(self, task: Task) -> Weights:
        """Return the network of a task: weight and bias of each layer in turn."""
        self.begin(task)
        return self._weights

    def choose(self, observations: Array) -> Array:
        """Return the actions of the largest values."""
        x = self._fitted(self.task.vector(observations))
        for weight, bias in zip(self._weights[:-2:2], self._weights[1:-2:2], strict=True):
            x = np.maximum(x @ weight.T + bias, 0)
        best: Array = (x @ self._weights[-2].T + self._weights[-1]).argmax(axis=1)
        return best

    def _fitted(self, vectors: Vectors) -> Vectors:
        """Return vectors as wide as the network: what it never met is left out, what is lacking is 0."""
        lacking = self._width - vectors.shape[1]
        return np.pad(vectors, ((0, 0), (0, max(0, lacking))))[:, : self._width]

    def _trained(self, task: Task) -> Weights:
        domain: dict[str, Any] = dict(task.training)
        world = domains.control_domain(task.name, validate(domains.CONTROL_FAMILIES[domain["source"]].settings, domain))
        settings = validate(Reinforcement, _training(self._steps))
        architecture = networks.from_network(validate(Network, _SHAPE))
        policies = [Designed(architecture, number) for number in range(_NETWORKS)]
        seeds = [seeding.integer(self._root, "agents", "dqn", task.name, number) for number in range(_NETWORKS)]
        trained = reinforcement.train_agents(world, policies, settings, seeds=seeds, device="cpu", threads=1)
        best = max(trained, key=lambda agent: agent.trial.performance)
        return [weight.numpy() for weight in best.weights]


def _training(steps: int) -> dict[str, Any]:
    return {
        "algorithm": "dqn",
        "steps": steps,
        "optimizer": {"name": "adam", "learning_rate": 0.001},
        "batch_size": 64,
        "train_every": 2,
        "exploration": {"rule": "epsilon_greedy"},
        "evaluation": {"every": max(1, steps // 8), "episodes": 10, "final_episodes": 40},
    }


# ---- What others wrote ---------------------------------------------------------------------------


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
        except InputError as refusal:
            if isinstance(refusal, CannotPlay) or refusal.__cause__ is not None:
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
        raise InputError(f"agent {word!r}: {path} is no saved {algorithm} ({reason(error)}); give one") from error
