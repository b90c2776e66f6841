"""Environments of OpenAI Gym that Gymnasium has no more: Roulette and NChain, of the 2020 paper's suite.

``gymnasium.make("aiq/Roulette-v0")`` and ``gymnasium.make("aiq/NChain-v0")`` work once ``aiq.domains`` is imported.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from aiq.domains.control.base import checked_action
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


class NChainEnv(TabledEnv):
    """A chain of states: a small reward for going back at once, a large one for who goes to its end.

    The chain of Dearden, Friedman and Russell, "Bayesian Q-Learning" (1998), as OpenAI Gym had it under the id
    NChain-v0 until 2021. With probability .2 the other action is done than the one that was asked for.

    - Actions: `Discrete(2)`. 0 goes one state forward, reward 0; in the last state it stays, reward 10. 1 goes back to
      state 0, reward 2.
    - Observations: `Discrete(5)`, the state. An episode begins in 0.
    - End: truncation after 1,000 steps.

    In an episode of 1,000 steps a uniformly random policy earns 1,311.25 in the mean, the best one 3,665.83. Always
    going forward earns 3.6768 a step in the long run (3,677 in 1,000 steps).

    Args:
        n: states, at least 2.
        slip: probability that the other action is done.
        small: reward for going back.
        large: reward for staying in the last state.

    Raises:
        InputError: an argument out of range.
    """

    def __init__(self, n: int = 5, slip: float = 0.2, small: float = 2.0, large: float = 10.0) -> None:
        if n != int(n) or n < 2:
            raise InputError(f"n is {n}, it must be a whole number of at least 2")
        if not 0 <= slip <= 1:
            raise InputError(f"slip is {slip}, it must lie in [0, 1]")
        self.slip, self.small, self.large = slip, float(small), float(large)
        super().__init__({state: {action: self._outcomes(state, action, n) for action in (0, 1)} for state in range(n)})

    def _outcomes(self, state: int, action: int, n: int) -> list[Transition]:
        forward = (state + 1, 0.0, False) if state < n - 1 else (state, self.large, False)
        done = [forward, (0, self.small, False)]
        return [(1 - self.slip, *done[action]), (self.slip, *done[1 - action])]


class RouletteEnv(TabledEnv):
    """A roulette wheel: every bet loses in the mean, who knows that leaves at once.

    The wheel that OpenAI Gym had under the id Roulette-v0 until 2021: 37 numbers from 0 on. A bet on 0 wins if the
    wheel shows 0. A bet on another number wins if the wheel shows a number of the same parity other than 0.

    - Actions: `Discrete(38)`. 0 bets on 0, 1 ... 36 on the parity of the action, 37 leaves the table.
    - Observations: `Discrete(1)`, always 0.
    - Rewards: 36 where a bet on 0 wins, 1 where a bet on a parity wins, -1 where a bet loses, 0 for leaving. Every bet
      has the mean -1/37 but one on 0, which has 0. The best return is 0.
    - End: termination by the action 37; truncation after 100 steps.

    Args:
        spots: numbers of the wheel, odd and at least 3.

    Raises:
        InputError: an argument out of range.
    """

    def __init__(self, spots: int = 37) -> None:
        if spots != int(spots) or spots < 3 or spots % 2 == 0:
            raise InputError(f"spots is {spots}, it must be odd and at least 3")
        super().__init__({0: {action: self._outcomes(action, spots) for action in range(spots + 1)}})

    @staticmethod
    def _outcomes(action: int, spots: int) -> list[Transition]:
        if action == spots:
            return [(1.0, 0, 0.0, True)]
        wins = 1 if action == 0 else (spots - 1) // 2
        paid = float(spots - 1) if action == 0 else 1.0
        return [(wins / spots, 0, paid, False), (1 - wins / spots, 0, -1.0, False)]
