"""Exact returns over a table of transitions: of a policy that looks at nothing, and of the best one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from aiq.wings.similarity2020.gym2020.tables import Floats, Transitions

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
