"""Networks that learn while they are tested: the agents of config/everything.yaml before the other measures.

A network of the same layers and widths begins every trial new and learns from every step by deep Q-learning, on the
terms of the measure: in the algorithmic quotient and in the anytime test what is learned counts from the first step.
So this is no second measurement of the trained networks of the suite, but of the same networks and rule of learning.

    python -m studies.everything_agents --out FOLDER [--quick]

writes ``everything-agents.csv``: agent, measure, score, low, high.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections import deque
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq.wings.algorithmic.equations import Population
from aiq.wings.algorithmic.equations.agents import Outside
from aiq.wings.algorithmic.equations.estimation import quotient
from aiq.wings.algorithmic.equations.machine import MachineSettings, sample_programs
from aiq.wings.algorithmic.equations.runs import run_adaptive
from aiq.wings.algorithmic.equations.trials import Episode, Experiment
from aiq.wings.algorithmic.settings import BLOCK
from aiq.wings.anytime.equations.administer import administer_interactions, at_budget
from aiq.wings.anytime.equations.automata import AutomatonClass
from aiq.wings.anytime.equations.classes import CupsClass, GridClass

Floats = npt.NDArray[np.float64]
NETWORKS = {
    "random": None,
    "linear": (0, 1),
    "1x2": (1, 2),
    "1x8": (1, 8),
    "1x32": (1, 32),
    "2x8": (2, 8),
    "2x32": (2, 32),
    "3x8": (3, 8),
    "3x32": (3, 32),
}
"""Layers and width of the suite's agents; None: uniformly random actions."""

ROOT = 2025
CLASSES = {"cups": CupsClass(), "automata": AutomatonClass(), "grid": GridClass()}


class Network:
    """Values of actions by dense layers with ReLU, and Adam; one step of learning per call of ``learn``."""

    def __init__(self, inputs: int, outputs: int, layers: int, width: int, rng: np.random.Generator) -> None:
        sizes = [inputs, *[width] * layers, outputs]
        self.weights: list[Floats] = []
        for near, far in pairwise(sizes):
            bound = 1 / math.sqrt(near)
            self.weights += [rng.uniform(-bound, bound, (near, far)), rng.uniform(-bound, bound, far)]
        self._mean, self._square = ([np.zeros_like(w) for w in self.weights] for _ in range(2))
        self._steps = 0

    def layers(self, x: Floats) -> list[Floats]:
        """Return the inputs (n, inputs) and what every layer makes of them, the values (n, outputs) last."""
        found = [x]
        pairs = list(zip(self.weights[::2], self.weights[1::2], strict=True))
        for weight, bias in pairs[:-1]:
            found.append(np.maximum(found[-1] @ weight + bias, 0))
        return [*found, found[-1] @ pairs[-1][0] + pairs[-1][1]]

    def gradient(self, x: Floats, actions: npt.NDArray[np.int64], targets: Floats) -> list[Floats]:
        """Return the gradient of the mean squared difference between values of actions and targets (n,)."""
        found, rows = self.layers(x), np.arange(len(x))
        delta = np.zeros_like(found[-1])
        delta[rows, actions] = 2 * (found[-1][rows, actions] - targets) / len(x)
        gradients: list[Floats] = []
        for number in range(len(self.weights) // 2 - 1, -1, -1):
            gradients[:0] = [found[number].T @ delta, delta.sum(0)]
            if number:
                delta = (delta @ self.weights[2 * number].T) * (found[number] > 0)
        return gradients

    def learn(self, x: Floats, actions: npt.NDArray[np.int64], targets: Floats, rate: float) -> None:
        """Take one step of Adam."""
        self._steps += 1
        for k, gradient in enumerate(self.gradient(x, actions, targets)):
            self._mean[k] += 0.1 * (gradient - self._mean[k])
            self._square[k] += 0.001 * (gradient**2 - self._square[k])
            mean = self._mean[k] / (1 - 0.9**self._steps)
            square = self._square[k] / (1 - 0.999**self._steps)
            self.weights[k] -= rate * mean / (np.sqrt(square) + 1e-8)


class Online:
    """A network that learns from every step, as an examinee of the anytime test; see ``online`` for the quotient's.

    Args:
        name: of the network, one of ``NETWORKS``.
        symbols: observations are one symbol of so many, one-hot; None takes the numbers as they are.
        batch: transitions of a step of learning, drawn from all so far, at most the last 500.
    """

    def __init__(self, name: str, symbols: int | None = None, batch: int = 16) -> None:
        self.name, self._shape, self._symbols, self._batch = name, NETWORKS[name], symbols, batch

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Begin with a new network and nothing remembered."""
        self._actions, self._rng, self._net = actions, rng, None
        self._memory: deque[tuple[Floats, int, float, Floats]] = deque(maxlen=500)
        self._seen: Floats | None = None
        self._last, self._taken = 0, 0

    def observe(self, observation: tuple[int, ...], reward: float) -> None:
        """Remember the transition that ends here, and learn."""
        if self._symbols is None:
            seen = np.array(observation, float)
        else:
            seen = np.zeros(self._symbols)
            seen[observation[0]] = 1.0
        if self._shape is None:
            return
        if self._net is None:
            self._net = Network(len(seen), self._actions, *self._shape, self._rng)
        if self._seen is not None and self._taken:
            self._memory.append((self._seen, self._last, reward, seen))
            self._learn(self._net)
        self._seen = seen

    def act(self) -> int:
        """Return the best action, or with a share that falls from 1 to .05 over 50 steps one at random."""
        self._taken += 1
        epsilon = max(0.05, 1 - self._taken / 50)
        if self._net is None or self._seen is None or self._rng.random() < epsilon:
            self._last = int(self._rng.integers(self._actions))
        else:
            self._last = int(self._net.layers(self._seen[None])[-1][0].argmax())
        return self._last

    def _learn(self, net: Network, discount: float = 0.9, rate: float = 0.005) -> None:
        """Take one step towards reward plus the discounted value of what follows."""
        chosen = self._rng.integers(len(self._memory), size=min(self._batch, len(self._memory)))
        seen, actions, rewards, after = zip(*(self._memory[k] for k in chosen), strict=True)
        targets = np.array(rewards) + discount * net.layers(np.array(after))[-1].max(1)
        net.learn(np.array(seen), np.array(actions), targets, rate)


class _Actor:
    """An ``Online`` agent under the protocol of the algorithmic quotient; rewards are divided by 100."""

    def __init__(self, agent: Online) -> None:
        self._agent = agent

    def act(self, observation: int, reward: float) -> int:
        """Take in what came of the last action and choose the next."""
        self._agent.observe((observation,), reward / 100)
        return self._agent.act()


def online(actions: int, observations: int, seed: int, name: str) -> _Actor:
    """Return a new agent for a trial of the algorithmic quotient."""
    agent = Online(name, observations)
    agent.begin(actions, np.random.default_rng(seed))
    return _Actor(agent)


def algorithmic(name: str, *, programs: int, length: int, runs: int) -> tuple[float, float, float]:
    """Return the quotient of a network that learns in every trial, with its 95 % interval."""
    drawn = sample_programs(ROOT, 0, -(-programs // BLOCK), MachineSettings()).programs[:programs]
    population = Population(drawn)
    agent = Outside("studies.everything_agents:online", {"name": name})
    found = quotient(run_adaptive(Experiment(agent, Episode(length), ROOT), population, runs), population).estimate
    low, high = found.interval or (math.nan, math.nan)
    return found.value, low, high


def anytime(name: str, family: str, *, budget: int, tests: int) -> tuple[float, float, float]:
    """Return the score of the anytime test on a class at a budget of interactions, with its 95 % interval."""
    symbols = 64 if family == "automata" else None
    runs = [
        administer_interactions(Online(name, symbols), CLASSES[family], budget, root=ROOT, repetition=number)
        for number in range(tests)
    ]
    found = at_budget(runs, budget, seed=ROOT).upsilon
    low, high = found.interval or (math.nan, math.nan)
    return found.value, low, high


def main() -> None:
    """Score every network by both measures; rows that are there already are kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the table")
    parser.add_argument("--quick", action="store_true", help="a small part, to see that it works")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / "everything-agents.csv"
    rows = list(csv.reader(path.open(encoding="utf-8")))[1:] if path.exists() else []
    small = asked.quick
    for name in NETWORKS:
        for measure in ("algorithmic", *(f"anytime-{family}" for family in CLASSES)):
            if any(row[:2] == [name, measure] for row in rows):
                continue
            began = time.process_time()
            if measure == "algorithmic":
                found = algorithmic(name, programs=200, length=20 if small else 200, runs=40 if small else 200)
            else:
                family = measure.removeprefix("anytime-")
                found = anytime(name, family, budget=60 if small else 400, tests=2 if small else 60)
            rows.append([name, measure, *(f"{value:.6f}" for value in found)])
            print(*rows[-1], f"{time.process_time() - began:.1f} s", flush=True)
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([["agent", "measure", "score", "low", "high"], *rows])


if __name__ == "__main__":
    main()
