"""A table of transitions as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

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
