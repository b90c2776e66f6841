"""Episodes of a policy that draws its actions alike in every state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.wings.similarity2020.gym2020.exact import Floats
from aiq.wings.similarity2020.gym2020.lanes import Dynamics

CLIP = 200.0


@dataclass(frozen=True, eq=False)
class Episodes:
    """Independent episodes, one number each.

    Attributes:
        total: (episodes,) return.
        last: (episodes,) reward of the last step.
        length: (episodes,) int64, number of steps.
    """

    total: Floats
    last: Floats
    length: npt.NDArray[np.int64]

    @property
    def doubled(self) -> Floats:
        """What the public program counts as return, (episodes,).

        Its wrapper pays, in place of the last step's reward, the total reward of the episode, cut to ±200.
        """
        return np.asarray(self.total - self.last + np.clip(self.total, -CLIP, CLIP))


def play(dynamics: Dynamics, policy: Floats, horizon: int, count: int, rng: np.random.Generator) -> Episodes:
    """Play ``count`` episodes of at most ``horizon`` steps side by side.

    Args:
        dynamics: the environment.
        policy: probability of each action, shape (actions,).
        horizon: longest episode.
        count: number of episodes.
        rng: source of randomness.
    """
    total, last, length = np.zeros(count), np.zeros(count), np.zeros(count, np.int64)
    reached = np.cumsum(policy)
    reached[-1] = 1.0
    running = np.arange(count)
    states = dynamics.begin(count, rng)
    for _ in range(horizon):
        actions = np.searchsorted(reached, rng.random(len(running)), side="right").astype(np.int64)
        states, reward, ended = dynamics.step(states, actions, rng)
        total[running] += reward
        last[running] = reward
        length[running] += 1
        if ended.any():
            running, states = running[~ended], states[:, ~ended]
        if not len(running):
            break
    return Episodes(total, last, length)
