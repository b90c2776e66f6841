"""The best of a pool of deep Q-networks, trained on environments of the task's kind, then frozen."""

from __future__ import annotations

from typing import Any

import numpy as np

from aiq import domains, seeding
from aiq.agents.protocol import Array, CannotPlay, Policy, Task, Vectors
from aiq.config import validate
from aiq.config.reinforcement import Reinforcement
from aiq.config.training import Network
from aiq.policies import pool
from aiq.records.trial import Policy as Designed
from aiq.training import reinforcement

Weights = list[Vectors]


class Pool(Policy):
    """Networks are trained once for each kind of task; the one with the best evaluation plays all its environments.

    ``steps`` are environment steps of each training, ``known`` weights of a network by the name of the task: they are
    taken, nothing is trained.
    """

    def __init__(
        self,
        steps: int = 5_000,
        networks: int = 3,
        layers: int = 2,
        width: int = 32,
        root: int = 0,
        known: dict[str, Weights] | None = None,
    ) -> None:
        self.name, self._steps, self._networks = "dqn", steps, networks
        self._shape, self._root, self._known = {"layers": layers, "width": width}, root, dict(known or {})

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
        """Train the pool on the task's training environments; return the best network."""
        domain: dict[str, Any] = dict(task.training)
        world = domains.control_domain(task.name, validate(domains.CONTROL_FAMILIES[domain["source"]].settings, domain))
        settings = validate(Reinforcement, training(self._steps))
        architecture = pool.from_network(validate(Network, self._shape))
        policies = [Designed(architecture, number) for number in range(self._networks)]
        seeds = [seeding.integer(self._root, "agents", "dqn", task.name, number) for number in range(self._networks)]
        trained = reinforcement.train_agents(world, policies, settings, seeds=seeds, device="cpu", threads=1)
        best = max(trained, key=lambda agent: agent.trial.performance)
        return [weight.numpy() for weight in best.weights]


def training(steps: int) -> dict[str, Any]:
    """Return the settings of a training: double DQN, Adam at 0.001, batches of 64 at every second step."""
    return {
        "algorithm": "dqn",
        "steps": steps,
        "optimizer": {"name": "adam", "learning_rate": 0.001},
        "batch_size": 64,
        "train_every": 2,
        "exploration": {"rule": "epsilon_greedy"},
        "evaluation": {"every": max(1, steps // 8), "episodes": 10, "final_episodes": 40},
    }
