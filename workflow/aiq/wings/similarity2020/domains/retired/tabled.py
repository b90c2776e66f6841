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


# ---- NChain as a Gymnasium environment -----------------------------------------------------------


FORWARD, BACK = 0, 1


class NChainEnv(TabledEnv):
    r"""A chain of states: a small reward for going back at once, a large one for who goes to its end.

    ## Description

    The chain of Dearden, Friedman and Russell, "Bayesian Q-Learning" (1998), as OpenAI Gym had it under the id
    NChain-v0 until 2021. With probability `slip` the other action is done than the one that was asked for.

    ## Action Space

    `Discrete(2)`

    | Action | Done | Reward |
    |--------|------|--------|
    | 0 | one state forward; in the last state nothing | 0; in the last state `large` |
    | 1 | back to state 0 | `small` |

    ## Observation Space

    `Discrete(n)`: the state, 0 ... n - 1.

    ## Rewards

    As above, by the action that was done. In an episode of 1,000 steps a uniformly random policy earns 1,311.25 in the
    mean, the best one 3,665.83. Always going forward earns 3.6768 a step in the long run (3,677 in 1,000 steps).

    ## Starting State

    State 0.

    ## Episode End

    Truncation after 1,000 steps; no termination.

    ## Arguments

    | Parameter | Type | Default | Description |
    |-----------|------|---------|-------------|
    | `n` | int | `5` | number of states, at least 2 |
    | `slip` | float | `0.2` | probability of the other action |
    | `small` | float | `2` | reward of going back |
    | `large` | float | `10` | reward of going forward in the last state |

    ## Version History

    * v0: first version; the dynamics of OpenAI Gym's NChain-v0.
    """

    def __init__(
        self,
        n: int = 5,
        slip: float = 0.2,
        small: float = 2.0,
        large: float = 10.0,
        render_mode: str | None = None,
    ) -> None:
        """Build the table.

        Raises:
            InputError: an argument out of range, in one sentence.
        """
        states = checked_count("n", n, 2)
        if not 0 <= slip <= 1:
            raise InputError(f"slip is {slip!r}, it must lie in [0, 1]")
        if render_mode is not None:
            raise InputError(f"render_mode is {render_mode!r}; NChain has nothing to draw, leave it out")
        super().__init__(_transitions(states, float(slip), float(small), float(large)))
        self.render_mode: str | None = None


def _transitions(states: int, slip: float, small: float, large: float) -> Transitions:
    def done(state: int, action: int) -> tuple[int, float, bool]:
        if action == BACK:
            return 0, small, False
        return (state + 1, 0.0, False) if state < states - 1 else (state, large, False)

    table: dict[int, dict[int, Any]] = {}
    for state in range(states):
        table[state] = {
            action: [(1 - slip, *done(state, action)), (slip, *done(state, 1 - action))] for action in (FORWARD, BACK)
        }
    return table


# ---- Roulette as a Gymnasium environment ---------------------------------------------------------


class RouletteEnv(TabledEnv):
    r"""A roulette wheel: every bet loses in the mean, who knows that leaves at once.

    ## Description

    The wheel that OpenAI Gym had under the id Roulette-v0 until 2021: `spots` numbers from 0 on. A bet on 0 wins if
    the wheel shows 0. A bet on another number wins if the wheel shows a number of the same parity other than 0.

    ## Action Space

    `Discrete(spots + 1)`

    | Action | Done |
    |--------|------|
    | 0 | bet on 0 |
    | 1 ... spots - 1 | bet on the parity of the action |
    | spots | leave the table |

    ## Observation Space

    `Discrete(1)`: always 0.

    ## Rewards

    `spots - 1` (36) where a bet on 0 wins, 1 where a bet on a parity wins, -1 where a bet loses, 0 for leaving. With 37
    spots every bet has the mean -1/37 but one on 0, which has 0. The best return is 0.

    ## Starting State

    The only one.

    ## Episode End

    Termination: action `spots`. Truncation: after 100 steps.

    ## Arguments

    | Parameter | Type | Default | Description |
    |-----------|------|---------|-------------|
    | `spots` | int | `37` | numbers on the wheel, at least 3 and odd, so that both parities are equally likely |

    ## Version History

    * v0: first version; the dynamics of OpenAI Gym's Roulette-v0.
    """

    def __init__(self, spots: int = 37, render_mode: str | None = None) -> None:
        """Build the table.

        Raises:
            InputError: an argument out of range, in one sentence.
        """
        numbers = checked_count("spots", spots, 3)
        if numbers % 2 == 0:
            raise InputError(f"spots is {spots}, it must be odd: 0 and as many odd as even numbers")
        if render_mode is not None:
            raise InputError(f"render_mode is {render_mode!r}; Roulette has nothing to draw, leave it out")
        super().__init__({0: {action: _outcomes(action, numbers) for action in range(numbers + 1)}})
        self.render_mode: str | None = None


def _outcomes(action: int, spots: int) -> list[Transition]:
    if action == spots:
        return [(1.0, 0, 0.0, True)]
    wins = 1 if action == 0 else (spots - 1) // 2
    paid = float(spots - 1) if action == 0 else 1.0
    return [(wins / spots, 0, paid, False), (1 - wins / spots, 0, -1.0, False)]
