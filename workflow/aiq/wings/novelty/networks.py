"""Agents with a deep Q-network of level 0: the frozen baseline, and one that goes on learning.

The frozen network with local overrides where performance falls (NAPPING's kind).

After the abstract and what is known of the method (arXiv 2312.11138; no public code). Differences: a region is all that
lies nearer to a stored embedding than a radius, which is measured in level 0; a replacement is tried for some episodes
and kept if they do better than those before; one region is tried at a time.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from aiq.agents.protocol import Task
from aiq.domains.cartpole3d.levels import TICKS
from aiq.wings.novelty.protocol import ACTIONS, STATE, Alarm, Seen, Watchful
from aiq.wings.novelty.steering import Floats

Array = npt.NDArray[Any]
RATE = 3e-4  # learning rate of Adam
_RECENT = 3
_TRIED = 2
_BEFORE_FALL = 15


class Frozen(Watchful):
    """The baseline (3.4.3): greedy by the network of level 0 (view ``cart``, 10 inputs), it never notices anything."""

    name = "baseline"
    learning = False

    def __init__(self, weights: Sequence[Array]) -> None:
        self._weights = [np.asarray(weight, np.float32) for weight in weights]

    def choose(self) -> int:
        """Return the action of the largest value."""
        return int(np.argmax(self.values(self.seen)[0]))

    def values(self, observation: Seen) -> tuple[Array, Array]:
        """Return the values of the actions (5,) and the last hidden layer (units,)."""
        x = np.asarray(observation[:STATE], np.float32)
        for weight, bias in zip(self._weights[:-2:2], self._weights[1:-2:2], strict=True):
            x = np.maximum(weight @ x + bias, 0)
        return self._weights[-2] @ x + self._weights[-1], x


class Adaptive(Frozen):
    """Goes on learning by deep Q-learning in every episode, before and after anything is new; raises no alarm.

    It learns as the baseline was trained (double, soft targets, batch 64 at every second tick), with a little
    exploration; its memory begins with transitions of level 0, (n, 22), see ``transition``.
    """

    name = "adaptive"
    learning = True

    def __init__(self, weights: Sequence[Array], memory: Array, exploration: float = 0.02) -> None:
        super().__init__(weights)
        self._known = [torch.from_numpy(np.asarray(weight, np.float32)) for weight in weights]
        self._given, self._exploration = np.asarray(memory, np.float32), exploration

    def begin(self, task: Task) -> None:
        """Begin a trial with the network of level 0."""
        self._rng = np.random.default_rng(task.seed)
        layers: list[nn.Module] = []
        for weight, bias in zip(self._known[::2], self._known[1::2], strict=True):
            layer = nn.Linear(weight.shape[1], weight.shape[0])
            layer.load_state_dict({"weight": weight, "bias": bias})
            layers += [layer, nn.ReLU()]
        self._net = nn.Sequential(*layers[:-1])
        self._target = copy.deepcopy(self._net)
        self._optimizer = torch.optim.Adam(self._net.parameters(), RATE)
        self._memory = np.concatenate([self._given, np.zeros((30_000, self._given.shape[1]), np.float32)])
        self._size = len(self._given)

    def choose(self) -> int:
        """Return the action of the largest value, now and then a random one."""
        if self._rng.random() < self._exploration:
            return int(self._rng.integers(ACTIONS))
        with torch.no_grad():
            return int(self._net(torch.from_numpy(np.array(self.seen[:STATE], np.float32))).argmax())

    def observe(self, reward: float, observation: Seen, ended: bool) -> None:
        """Remember the transition, and learn at every second tick."""
        if self._size < len(self._memory):
            self._memory[self._size] = transition(self.seen, self.action, observation, ended)
            self._size += 1
        super().observe(reward, observation, ended)
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


def transition(before: Seen, action: int, after: Seen, fallen: bool) -> Array:
    """Return a row of a memory: observation (10), action, whether it fell, observation after (10), (22,)."""
    return np.concatenate([before[:STATE], [action, float(fallen)], after[:STATE]]).astype(np.float32)


class Region(NamedTuple):
    """Embeddings near a centre (units,), in which an action stands in for the network's."""

    centre: Floats
    action: int


class Overriding(Frozen):
    """Of the kind of NAPPING: ``radius`` of a region of embeddings; the alarm hears 1 - recent mean performance."""

    name = "overriding"
    learning = True
    alarm: Alarm

    def __init__(self, weights: Sequence[Array], radius: float, alarm: Alarm) -> None:
        super().__init__(weights)
        self._radius, self.alarm = radius, alarm

    def begin(self, task: Task) -> None:
        """Begin a trial without overrides."""
        self._rng = np.random.default_rng(task.seed)
        self.alarm = Alarm(self.alarm.threshold)
        self.regions: list[Region] = []
        self._trial: Region | None = None
        self._scores: list[float] = []
        self._tried: list[float] = []
        self._latest: list[float] = []

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        super().start(observation)
        self._path: list[tuple[Floats, int]] = []

    def choose(self) -> int:
        """Return the action of the nearest region, or the network's."""
        values, embedding = self.values(self.seen)
        chosen = int(np.argmax(values))
        regions = self.regions if self._trial is None else [*self.regions, self._trial]
        if regions:
            apart = [float(np.linalg.norm(region.centre - embedding)) for region in regions]
            nearest = int(np.argmin(apart))
            if apart[nearest] <= self._radius:
                chosen = regions[nearest].action
        self._path.append((embedding, chosen))
        return chosen

    def end(self) -> None:
        """Hear the performance; once it has fallen, judge the region under trial and begin another one."""
        performance = self.ticks / TICKS
        self._latest = [*self._latest[1 - _RECENT :], performance]
        if len(self._latest) == _RECENT:
            self.alarm.hear(1 - float(np.mean(self._latest)))
        if not self.alarm.raised:
            return
        if self._trial is None:
            self._scores = [*self._scores[-5:], performance]
        else:
            self._tried.append(performance)
            if len(self._tried) == _TRIED:
                if np.mean(self._tried) > np.mean(self._scores):
                    self.regions.append(self._trial)
                    self._scores = list(self._tried)
                self._trial = None
        if self._trial is None and performance < 1:  # some ticks before the fall, any action but the one taken there
            embedding, action = self._path[-min(len(self._path), 1 + int(self._rng.integers(_BEFORE_FALL)))]
            other = int((action + self._rng.integers(1, 5)) % 5)
            self._trial, self._tried = Region(np.asarray(embedding, np.float64), other), []
