"""An environment whose whole dynamics is a table of transitions, as Gymnasium's toy-text environments have one."""

from __future__ import annotations

import operator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from aiq.domains.actions import checked_action
from aiq.errors import InputError

Transition = tuple[float, int, float, bool]
Transitions = dict[int, dict[int, list[Transition]]]


class TabledEnv(gymnasium.Env[np.int64, np.int64]):
    """Draws every step from ``P``; an episode begins in state 0.

    Attributes:
        P: state -> action -> list of (probability, next state, reward, terminated), as in Gymnasium's toy-text
            environments; the probabilities of an action add up to 1.
        initial_state_distrib: probability of each state at a reset, shape (states,).
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium declares it as a variable)

    def __init__(self, transitions: Transitions) -> None:
        self.P = transitions
        self.observation_space = spaces.Discrete(len(transitions))
        self.action_space = spaces.Discrete(len(transitions[0]))
        self.initial_state_distrib = np.eye(len(transitions))[0]
        self._state: int | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.int64, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        self._state = 0
        return np.int64(self._state), {}

    def step(self, action: int | np.integer[Any]) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        """Take one step.

        Raises:
            ResetNeeded: no episode is running.
            InputError: an action outside the environment's, in one sentence.
        """
        if self._state is None:
            raise ResetNeeded(f"no episode of {type(self).__name__} is running: call reset() before step()")
        outcomes = self.P[self._state][checked_action(type(self).__name__, action, len(self.P[0]))]
        drawn, reached = float(self.np_random.random()), 0.0
        for probability, state, reward, terminated in outcomes:  # noqa: B007  the last one is kept where rounding ends
            reached += probability
            if drawn < reached:
                break
        self._state = None if terminated else state
        return np.int64(state), float(reward), terminated, False, {}


def checked_count(what: str, value: Any, least: int) -> int:
    """Return a whole number of at least ``least``, or refuse it."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise InputError(f"{what} is {value!r}, it must be a whole number of at least {least}")
    return number
