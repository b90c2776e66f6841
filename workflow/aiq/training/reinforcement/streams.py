"""The random numbers of every agent's training, drawn from its own keyed generators in blocks ahead of time.

What an agent draws is a function of its seed and of the step alone, whatever the others do and however the steps are
cut into blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from aiq import seeding
from aiq.config.reinforcement import Boltzmann, EpsilonGreedy, Reinforcement
from aiq.training.checkpoints import State

FORCED = 1e30
"""Added to the value of an action that is taken whatever the values are."""


def learns(settings: Reinforcement, step: int) -> bool:
    """Whether the networks are updated at a step (counted from 0), before its transition is kept."""
    return step >= settings.learning_starts and step > 0 and step % settings.train_every == 0


def epsilon(rule: EpsilonGreedy, steps: int, step: int) -> float:
    """Return the probability of a uniform action at a step (counted from 0) of so many."""
    return rule.start + (rule.end - rule.start) * min(1.0, step / (rule.fraction * steps))


class Streams:
    """Exploration and minibatches of some agents, one a seed."""

    def __init__(self, seeds: Sequence[int], settings: Reinforcement, actions: int) -> None:
        self._settings, self._actions = settings, actions
        self._exploration = [seeding.generator(seed, "exploration") for seed in seeds]
        self._replay = [seeding.generator(seed, "replay") for seed in seeds]

    def keep(self, agents: Sequence[int]) -> None:
        """Go on with these agents alone."""
        self._exploration = [self._exploration[agent] for agent in agents]
        self._replay = [self._replay[agent] for agent in agents]

    def state(self) -> State:
        """Return where all streams are."""
        told = zip(self._exploration, self._replay, strict=True)
        return {
            f"{agent:06d}": {"exploration": seeding.state_of(one), "replay": seeding.state_of(other)}
            for agent, (one, other) in enumerate(told)
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where the streams of as many agents were."""
        told = [state[f"{agent:06d}"] for agent in range(len(self._replay))]
        self._exploration = [seeding.resumed(one["exploration"]) for one in told]
        self._replay = [seeding.resumed(one["replay"]) for one in told]

    def noise(self, first: int, count: int) -> torch.Tensor:
        """Return what is added to the actions' values at some steps, float64, (count, agents, actions).

        The largest sum is the action to take. Boltzmann: Gumbel numbers times the temperature, which gives
        probabilities proportional to exp(Q / temperature) exactly (Gumbel 1954; the Gumbel-max trick). Epsilon-greedy:
        0, or ``FORCED`` at a uniform action.
        """
        rule = self._settings.exploration
        noise = np.zeros((count, len(self._exploration), self._actions))
        if isinstance(rule, Boltzmann):
            for agent, random in enumerate(self._exploration):
                noise[:, agent] = random.gumbel(0, rule.temperature, (count, self._actions))
            return torch.from_numpy(noise)
        chance = np.array([epsilon(rule, self._settings.steps, step) for step in range(first, first + count)])
        for agent, random in enumerate(self._exploration):
            drawn = random.random((count, 2))
            at = np.flatnonzero(drawn[:, 0] < chance)
            noise[at, agent, (drawn[at, 1] * self._actions).astype(np.int64)] = FORCED
        return torch.from_numpy(noise)

    def ages(self, steps: Sequence[int]) -> np.ndarray:
        """Return which transitions are learnt from at some steps, as steps back, int64, (steps, agents, batch_size).

        0 is the newest kept; uniform with replacement over the transitions kept before the step.
        """
        size = self._settings.batch_size
        kept = np.minimum(np.asarray(steps, np.float64), self._settings.replay)[:, None]
        found = np.empty((len(steps), len(self._replay), size), np.int64)
        for agent, random in enumerate(self._replay):
            found[:, agent] = random.random((len(steps), size)) * kept
        return found
