"""Agents with a deep Q-network of level 0: the frozen baseline, and one that goes on learning."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from aiq.wings.novelty.protocol import Seen

INPUTS, ACTIONS = 10, 5

Array = np.ndarray


class Frozen:
    """The baseline (3.4.3): acts greedily by the network of level 0 and never notices anything.

    Args:
        weights: weight and bias of each layer in turn, the first with 10 inputs (the view ``cart``).
    """

    name = "baseline"
    alarmed = False

    def __init__(self, weights: Sequence[Array]) -> None:
        self._weights = [np.asarray(weight, np.float32) for weight in weights]

    def begin(self, seed: int) -> None:
        """Begin a trial."""

    def start(self, observation: Seen) -> None:
        """Begin an episode."""

    def act(self, observation: Seen) -> int:
        """Return the action of the largest value."""
        return int(np.argmax(self.values(observation)[0]))

    def values(self, observation: Seen) -> tuple[Array, Array]:
        """Return the values of the actions (5,) and the last hidden layer (units,)."""
        x = np.asarray(observation[:INPUTS], np.float32)
        for weight, bias in zip(self._weights[:-2:2], self._weights[1:-2:2], strict=True):
            x = np.maximum(weight @ x + bias, 0)
        return self._weights[-2] @ x + self._weights[-1], x

    def observe(self, action: int, observation: Seen, fallen: bool) -> None:
        """Nothing to learn."""

    def end(self, ticks: int) -> None:
        """Nothing to notice."""


class Adaptive(Frozen):
    """Goes on learning by deep Q-learning in every episode, before and after anything is new; raises no alarm.

    It learns as the baseline was trained (double, soft targets, batch 64 at every second tick), with a little
    exploration; its memory begins with transitions of level 0.

    Args:
        weights: of the baseline.
        memory: transitions of level 0: observation (10), action, whether it fell, observation after (10), (n, 22).
        rate: learning rate of Adam.
        exploration: probability of a uniformly random action.
    """

    name = "adaptive"

    def __init__(self, weights: Sequence[Array], memory: Array, rate: float = 3e-4, exploration: float = 0.02) -> None:
        super().__init__(weights)
        self._known = [torch.from_numpy(np.asarray(weight, np.float32)) for weight in weights]
        self._told, self._rate, self._exploration = np.asarray(memory, np.float32), rate, exploration

    def begin(self, seed: int) -> None:
        """Begin a trial with the network of level 0."""
        self._rng = np.random.default_rng(seed)
        layers: list[nn.Module] = []
        for weight, bias in zip(self._known[::2], self._known[1::2], strict=True):
            layer = nn.Linear(weight.shape[1], weight.shape[0])
            layer.load_state_dict({"weight": weight, "bias": bias})
            layers += [layer, nn.ReLU()]
        self._net = nn.Sequential(*layers[:-1])
        self._target = copy.deepcopy(self._net)
        self._optimizer = torch.optim.Adam(self._net.parameters(), self._rate)
        self._memory = np.concatenate([self._told, np.zeros((30_000, self._told.shape[1]), np.float32)])
        self._size = len(self._told)

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        self._before = np.array(observation[:INPUTS], np.float32)

    def act(self, observation: Seen) -> int:
        """Return the action of the largest value, now and then a random one."""
        if self._rng.random() < self._exploration:
            return int(self._rng.integers(ACTIONS))
        with torch.no_grad():
            return int(self._net(torch.from_numpy(np.array(observation[:INPUTS], np.float32))).argmax())

    def observe(self, action: int, observation: Seen, fallen: bool) -> None:
        """Remember the transition, and learn at every second tick."""
        after = np.array(observation[:INPUTS], np.float32)
        if self._size < len(self._memory):
            self._memory[self._size] = np.concatenate([self._before, [action, float(fallen)], after])
            self._size += 1
        self._before = after
        if self._size % 2 == 0:
            self._learn()

    def _learn(self) -> None:
        """Take one step along the loss of a batch, half of it from the latest 2,000 transitions."""
        latest = max(0, self._size - 2000)
        places = np.concatenate(
            [self._rng.integers(self._size, size=32), self._rng.integers(latest, self._size, size=32)]
        )
        rows = torch.from_numpy(self._memory[places])
        x, action, fallen, after = rows[:, :10], rows[:, 10:11].long(), rows[:, 11:12], rows[:, 12:]
        with torch.no_grad():
            best = self._net(after).argmax(1, keepdim=True)
            goal = 1 + 0.99 * (1 - fallen) * self._target(after).gather(1, best)
        loss = nn.functional.mse_loss(self._net(x).gather(1, action), goal)
        self._optimizer.zero_grad()
        torch.autograd.backward(loss)
        self._optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(self._target.parameters(), self._net.parameters(), strict=True):
                slow.lerp_(fast, 0.01)
