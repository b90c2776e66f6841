"""NChain as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

from aiq.errors import InputError
from aiq.wings.similarity2020.domains.retired.tabled import TabledEnv, Transitions, checked_count

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
