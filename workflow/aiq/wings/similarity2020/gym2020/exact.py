"""Exact returns over a table of transitions: of a policy that looks at nothing, and of the best one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

# ---- A table of transitions as arrays ------------------------------------------------------------


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Transitions:
    """What each action does in each state; K is the largest number of outcomes of an action.

    Attributes:
        probability: (states, actions, K), 0 where an action has fewer outcomes.
        following: (states, actions, K) int64, the next state.
        reward: (states, actions, K).
        ended: (states, actions, K) bool, whether the episode ends.
        start: (states,) probability of each state at a reset.
    """

    probability: Floats
    following: npt.NDArray[np.int64]
    reward: Floats
    ended: npt.NDArray[np.bool_]
    start: Floats

    def __post_init__(self) -> None:
        """Refuse probabilities that do not add up to 1."""
        if not np.allclose(self.probability.sum(axis=2), 1) or not np.isclose(self.start.sum(), 1):
            raise ValueError("the probabilities of an action's outcomes, or of the first state, do not add up to 1")

    @property
    def actions(self) -> int:
        """Number of actions."""
        return int(self.probability.shape[1])

    @classmethod
    def of(
        cls, table: Mapping[int, Mapping[int, Sequence[tuple[float, int, float, bool]]]], start: npt.ArrayLike
    ) -> Transitions:
        """Return the arrays of state -> action -> list of (probability, next state, reward, terminated)."""
        states, actions = len(table), len(table[0])
        most = max(len(outcomes) for row in table.values() for outcomes in row.values())
        arrays: dict[str, npt.NDArray[Any]] = {
            "probability": np.zeros((states, actions, most)),
            "following": np.zeros((states, actions, most), np.int64),
            "reward": np.zeros((states, actions, most)),
            "ended": np.zeros((states, actions, most), np.bool_),
        }
        for state, row in table.items():
            for action, outcomes in row.items():
                for place, outcome in enumerate(outcomes):
                    for name, value in zip(arrays, outcome, strict=True):
                        arrays[name][state, action, place] = value
        return cls(**arrays, start=np.asarray(start, np.float64))


# ---- Exact returns over a table of transitions ---------------------------------------------------


Surplus = Literal["clamp", "random"]


@dataclass(frozen=True)
class Exact:
    """Moments of an episode of at most so many steps.

    Attributes:
        mean: expected return.
        variance: of the return.
        length: expected number of steps.
        last: expected reward of the last step.
    """

    mean: float
    variance: float
    length: float
    last: float


def weights(own: int, asked: int | None = None, surplus: Surplus = "clamp") -> Floats:
    """Return the probability of each of an environment's own actions where ``asked`` are drawn uniformly.

    Args:
        own: number of the environment's actions.
        asked: number of actions of the larger environment of a pair; None: as many as its own.
        surplus: what an action beyond the environment's own does: ``clamp``, it becomes the last one; ``random``, a
            uniformly random one.

    Returns:
        shape (own,).
    """
    count = own if asked is None else asked
    if count < own:
        raise ValueError(f"{count} actions are drawn for an environment that has {own}")
    if surplus == "random":
        return np.full(own, 1 / own)
    found = np.full(own, 1 / count)
    found[-1] += (count - own) / count
    return found


def expected(table: Transitions, policy: Floats, horizon: int) -> Exact:
    """Return the moments of an episode under a policy that draws its actions alike in every state.

    Args:
        table: the environment.
        policy: probability of each action, shape (actions,).
        horizon: longest episode, at least 1.
    """
    chance = table.probability * policy[:, None]  # (states, actions, outcomes)
    going = ~table.ended
    mean, square, length, last = (np.zeros(len(chance)) for _ in range(4))
    for left in range(1, horizon + 1):
        later = mean[table.following] * going
        square = _over(chance, table.reward**2 + 2 * table.reward * later + square[table.following] * going)
        mean = _over(chance, table.reward + later)
        length = _over(chance, 1 + length[table.following] * going)
        final = table.reward if left == 1 else np.where(going, last[table.following], table.reward)
        last = _over(chance, final)
    start = table.start
    value = float(start @ mean)
    return Exact(value, float(start @ square) - value**2, float(start @ length), float(start @ last))


def optimal(table: Transitions, horizon: int) -> float:
    """Return the largest expected return of an episode of at most ``horizon`` steps, by value iteration."""
    going = ~table.ended
    best = np.zeros(len(table.start))
    for _ in range(horizon):
        gain = table.reward + best[table.following] * going
        best = (table.probability * gain).sum(axis=2).max(axis=1)
    return float(table.start @ best)


def _over(chance: Floats, values: Floats) -> Floats:
    """Return the expectation over actions and outcomes, (states,)."""
    return np.asarray((chance * values).sum(axis=(1, 2)))
